/**
 * Requests to what dag-service has besides the API (`contract/extension.ts`). Another service of the API answers them with
 * an error, which means that there is no such answer.
 */
import * as z from "zod";
import {
  ApiError,
  catalogDatabase,
  checkAnswer,
  checkRequest,
  errors,
  objectPage,
  outputFolder,
  validate,
  type CatalogDatabase,
  type CheckAnswer,
  type ObjectPage,
  type OutputFolder,
} from "../../contract";
import type { OperationCaller } from "./call";
import { MalformedAnswerError, UnexpectedAnswerError } from "./errors";
import type { CallOptions } from "./options";

/**
 * Checks a statement without running it; undefined at a service without this check.
 * @throws ClusterNotFound; the error of the first invalid field
 */
export async function checkStatement(
  caller: OperationCaller,
  request: { readonly query: string; readonly clusterName: string },
  options: CallOptions,
): Promise<CheckAnswer | undefined> {
  const operation = "checkStatement";
  const valid = validate(checkRequest, request, { operation, resource: "/check" });
  const sent = { operation, method: "POST", target: "/check", body: JSON.stringify(valid) } as const;
  const answer = await answerOf(caller, sent, checkAnswer, options);
  const { clusterName } = valid;
  // The service checks with another cluster when this one is down, and also when it does not exist.
  if (answer && clusterName !== undefined && answer.clusterName !== clusterName) {
    await caller.call("getCluster", { clusterName }, options);
  }
  return answer;
}

/** A database that cannot exist has no tables, but the path of its list must be below `/catalog/`. */
const listRequest = z.strictObject({
  database: z
    .string({ error: "it must be a text" })
    .regex(/^(?!\.{1,2}$)[^/]+$/, 'it must be the name of a database, which has no "/"'),
});

/**
 * Lists the tables and views of a database, none when it does not exist; undefined at a service without this list.
 * @throws InvalidParameter for what is no name of a database
 */
export async function listTables(
  caller: OperationCaller,
  request: { readonly database: string },
  options: CallOptions,
): Promise<CatalogDatabase | undefined> {
  const { database } = validate(listRequest, request, { operation: "listTables", resource: "/catalog" });
  const target = `/catalog/${encodeURIComponent(database)}`;
  try {
    return await answerOf(caller, { operation: "listTables", method: "GET", target }, catalogDatabase, options);
  } catch (error) {
    if (error instanceof errors.DatabaseNotFound) return { database, tables: [], views: [] };
    throw error;
  }
}

/** Lists the first objects of a folder, by name, none without the bucket; undefined at a service without this list. */
export async function listObjects(
  caller: OperationCaller,
  { folder, max }: { readonly folder: string; readonly max: number },
  options: CallOptions,
): Promise<ObjectPage | undefined> {
  const target = `/objects?${new URLSearchParams({ prefix: folder, max: String(max) })}`;
  try {
    return await answerOf(caller, { operation: "listObjects", method: "GET", target }, objectPage, options);
  } catch (error) {
    if (error instanceof errors.InputBucketIsNotFound) return { objects: [], isTruncated: false };
    throw error;
  }
}

/** Returns what a result in a folder would replace; undefined at a service that does not say. */
export async function describeOutput(
  caller: OperationCaller,
  folder: string,
  options: CallOptions,
): Promise<OutputFolder | undefined> {
  const path = folder.slice("dag://".length).split("/").map(encodeURIComponent).join("/");
  const target = `/outputs/${path}`;
  return answerOf(caller, { operation: "describeOutput", method: "GET", target }, outputFolder, options);
}

async function answerOf<Schema extends z.ZodType>(
  caller: OperationCaller,
  request: {
    readonly operation: string;
    readonly method: "GET" | "POST";
    readonly target: string;
    readonly body?: string;
  },
  response: Schema,
  options: CallOptions,
): Promise<z.output<Schema> | undefined> {
  try {
    return (await caller.send({ ...request, resource: request.target, response }, options)) as z.output<Schema>;
  } catch (error) {
    const isAnswer = error instanceof errors.DatabaseNotFound || error instanceof errors.InputBucketIsNotFound;
    if (!isAnswer && isMissing(error)) return undefined;
    throw error;
  }
}

/** Returns true for the answers of a service, or of a proxy before it, that knows only the API. */
function isMissing(error: unknown): boolean {
  if (error instanceof MalformedAnswerError) return true;
  if (!(error instanceof ApiError || error instanceof UnexpectedAnswerError)) return false;
  const { status = 0, code } = error;
  return status === 501 || (status < 500 && status !== 429 && status !== 408 && code !== "TooManyQueries");
}
