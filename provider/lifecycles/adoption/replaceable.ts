/**
 * What is found out before a resource is deleted for its replacement: a replacement that cannot be made must cost neither
 * the objects nor the resource.
 */
import { ApiError, errors, parseLocation, type InputFormat } from "../../../contract";
import { requireInputFormat } from "../../../storage";
import { ClientError } from "../../client";
import { forEachName, NoMatchError, withExpandedPatterns } from "../freshness/input-objects";
import type { LifecycleContext, PreflightContext } from "../lifecycle";
import { missingObjects, noMatchReason } from "../queries/checks/input-check";
import { expandedSizeProblem, requestSizeProblems } from "../queries/checks/request-size";
import { folderOf, hasObjects } from "../queries/results";
import { Refusal } from "../refusal";
import { hasUnknown } from "../schema/check";
import { folderOfTable } from "../schema/table-names";
import { mayChange } from "./existing-table";
import { findExisting, type WantedTable } from "./preflight";

/** The inputs of a resource that tell whether it can be made. */
interface Inputs {
  readonly clusterName?: string;
  readonly inputObjectKeys?: readonly string[];
  readonly inputFormat?: InputFormat | undefined;
  readonly outputDatabase?: string;
  readonly outputResourcePath?: string;
  readonly outputLogPath?: string;
}

/**
 * Checks, before what a query published is deleted for its replacement, that the replacement can be made: that its cluster,
 * its bucket and its input objects exist, that the objects have their format, that its request is not too large, and that
 * no other table is where it moves. What it depends on has been made by now.
 * @param published the query and the folder of its objects
 * @throws {Refusal} when it cannot
 */
export async function requireReplaceable(
  { queryId, folder }: { readonly queryId: number; readonly folder: string },
  context: LifecycleContext,
): Promise<void> {
  const { programTables, urn } = context;
  const news = programTables?.replacementOf(queryId, urn) as Inputs | undefined;
  // Deleted for another resource, its objects stay until it is made again.
  if (news === undefined || programTables?.isDeletedForOther(queryId, urn)) return;
  await requirePrerequisites(news, context);
  const problem = await takenTable(news, folder, context).catch(() => undefined);
  if (problem !== undefined) throw cannotBeMade(news, problem);
}

/**
 * Checks the same of what is left of a resource, before it is purged.
 * @throws {Refusal} when something is missing
 * @throws {ClientError} when the service does not answer; {ApiError} when it refuses the key pair
 */
export async function requirePrerequisites(news: Inputs, context: LifecycleContext): Promise<void> {
  for (const find of [missingCluster, missingBucket, missingInput, unreadableInput, refusedRequest]) {
    const missing = await find(news, context).catch((error: unknown) => {
      // One that is not allowed to ask is not allowed to replace either.
      if (error instanceof ClientError || (error instanceof ApiError && error.status === 403)) throw error;
      // The storage may not answer, or the service refuse: the replacement then says what is wrong.
      return undefined;
    });
    if (missing !== undefined) throw cannotBeMade(news, missing);
  }
}

const cannotBeMade = ({ inputObjectKeys }: Inputs, problem: string) =>
  new Refusal(
    `the ${inputObjectKeys ? "table stays, because it" : "earlier result stays, because the query"} could not be made again: ${problem}`,
  );

/** Returns why a table cannot be made in another folder than before: another one is there. */
async function takenTable(news: Inputs, before: string, context: LifecycleContext): Promise<string | undefined> {
  const { storage, programTables } = context;
  if (news.inputObjectKeys === undefined || !storage || hasUnknown(news)) return undefined;
  const wanted = news as WantedTable;
  const folder = folderOfTable(wanted);
  if (folder === before || !(await hasObjects(storage, folder))) return undefined;
  if (!("problem" in (await findExisting(wanted, context)))) return undefined;
  // It may be that of a resource which this run moves to another table, and has not reported yet.
  await programTables?.registered(context);
  const existing = await findExisting(wanted, context);
  return "problem" in existing && !mayChange(existing) ? existing.problem : undefined;
}

async function missingCluster({ clusterName }: Inputs, { client, secret, signal }: LifecycleContext) {
  if (clusterName === undefined || hasUnknown(clusterName)) return undefined;
  try {
    await client.getCluster({ clusterName }, { signal });
  } catch (error) {
    if (!(error instanceof errors.ClusterNotFound)) throw error;
    return `the cluster${secret ? "" : ` "${clusterName}"`} does not exist. Correct clusterName`;
  }
  return undefined;
}

async function missingBucket(news: Inputs, { storage, secret }: Pick<LifecycleContext, "storage" | "secret">) {
  const { outputDatabase, outputResourcePath, outputLogPath } = news;
  if (!storage || hasUnknown([outputDatabase, outputResourcePath, outputLogPath])) return undefined;
  const [property, bucket] =
    outputDatabase !== undefined
      ? ["outputDatabase", outputDatabase]
      : outputResourcePath !== undefined
        ? ["outputResourcePath", folderOf(outputResourcePath).bucket]
        : ["outputLogPath", folderOf(outputLogPath!).bucket];
  if (await storage.bucketExists(bucket)) return undefined;
  return `the bucket${secret ? "" : ` "${bucket}"`} does not exist. Create it, or correct ${property}`;
}

async function missingInput({ inputObjectKeys }: Inputs, { storage, programTables, secret }: LifecycleContext) {
  if (inputObjectKeys === undefined || hasUnknown(inputObjectKeys)) return undefined;
  const [first] = await missingObjects(inputObjectKeys, { storage, programTables });
  if (first === undefined) return undefined;
  const object = secret ? "an object of inputObjectKeys" : `the object "${first}" of inputObjectKeys`;
  return `${object} does not exist. Put it there, or correct the name`;
}

/** Returns why a split would refuse the content of an input object, as the service does at its submission. */
async function unreadableInput(news: Inputs, { storage, secret }: LifecycleContext) {
  const { inputObjectKeys, inputFormat = "csv" } = news;
  if (!storage || inputObjectKeys === undefined || hasUnknown([inputObjectKeys, inputFormat])) return undefined;
  try {
    await forEachName(inputObjectKeys, (name) => requireInputFormat(storage, parseLocation(name), inputFormat));
  } catch (error) {
    if (!(error instanceof errors.InvalidFormat)) throw error;
    return secret ? "an object of inputObjectKeys does not have its format" : error.message;
  }
  return undefined;
}

/** Returns why the service would refuse the request for its size, or which pattern matches nothing now. */
async function refusedRequest(news: Inputs, context: LifecycleContext): Promise<string | undefined> {
  const { inputObjectKeys } = news;
  if (inputObjectKeys === undefined) return requestSizeProblems(news, context)[0]?.reason;
  if (hasUnknown(inputObjectKeys)) return undefined;
  const given = { ...news, inputObjectKeys };
  try {
    return expandedSizeProblem(given, await withExpandedPatterns(given, context), context)?.reason;
  } catch (error) {
    if (!(error instanceof NoMatchError)) throw error;
    return noMatchReason(error, context);
  }
}

/** Warns, in a preview too, of a bucket that does not exist: something else may still make it before. */
export async function warnOfMissingBucket(news: Inputs, context: PreflightContext): Promise<void> {
  const missing = await missingBucket(news, context).catch(() => undefined);
  if (missing !== undefined) context.warn(`"pulumi up" will fail as things are: ${missing}`);
}
