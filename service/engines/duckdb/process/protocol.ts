/** What an engine process and its parent say to each other. Both sides check what they receive. */
import * as z from "zod";
import { ApiError, apiError } from "../../../../contract";
import { EngineError } from "../errors";

const column = z.strictObject({ name: z.string(), type: z.string() });
const format = z.enum(["csv", "tsv", "json"]);

/** A file of a table or an input of a split, on this machine. */
const file = z.strictObject({ path: z.string(), location: z.string(), size: z.number() });
export type EngineFile = z.infer<typeof file>;

const table = z.strictObject({
  database: z.string(),
  table: z.string(),
  format,
  columns: z.array(column).optional(),
  checked: z.boolean(),
  files: z.array(file),
});
/** A table with the files that its rows are in, in the order of their names. */
export type EngineTable = z.infer<typeof table>;

const statement = z.strictObject({ statement: z.string() });
const check = z.strictObject({ statement: z.string(), tables: z.array(table) });
const select = z.strictObject({
  queryId: z.number(),
  statement: z.string(),
  tables: z.array(table),
  outputFormat: z.enum(["csv", "tsv"]),
  output: z.string(),
});
const split = z.strictObject({
  queryId: z.number(),
  inputs: z.array(file),
  format,
  columns: z.array(column).optional(),
  output: z.string(),
  objectBytes: z.number(),
});

/** What an engine process is started with. */
const engineSettings = z.strictObject({
  clusterName: z.string(),
  debug: z.boolean(),
  memoryBytes: z.number(),
  threads: z.number(),
  logDirectory: z.string(),
  tempDirectory: z.string(),
  /** Greatest size of the spilled data in bytes. */
  tempBytes: z.number(),
  /** Greatest size of a result's object in bytes. */
  resultObjectBytes: z.number(),
  /** The only directory whose files statements may touch. */
  dataDirectory: z.string(),
});
export type EngineSettings = z.infer<typeof engineSettings>;

const id = z.number();

/** Operations: what each answers. */
export const operationOutputs = {
  tablesRead: z.array(z.strictObject({ database: z.string(), table: z.string() })),
  checkSelect: z.null(),
  select: z.null(),
  split: z.strictObject({ columns: z.array(column), checked: z.boolean() }),
} as const;
export type Operation = EngineRequest["operation"];
export type OperationInput<Name extends Operation> = Extract<EngineRequest, { operation: Name }>["input"];
export type OperationOutput<Name extends Operation> = z.infer<(typeof operationOutputs)[Name]>;

const request = z.discriminatedUnion("operation", [
  z.strictObject({ type: z.literal("request"), id, operation: z.literal("tablesRead"), input: statement }),
  z.strictObject({ type: z.literal("request"), id, operation: z.literal("checkSelect"), input: check }),
  z.strictObject({ type: z.literal("request"), id, operation: z.literal("select"), input: select }),
  z.strictObject({ type: z.literal("request"), id, operation: z.literal("split"), input: split }),
]);
export type EngineRequest = z.infer<typeof request>;

export const toEngine = z.discriminatedUnion("type", [
  z.strictObject({ type: z.literal("start"), settings: engineSettings }),
  request,
  z.strictObject({ type: z.literal("cancel"), id }),
  z.strictObject({ type: z.literal("close") }),
]);
/** From the parent to the engine process. */
export type ToEngine = z.infer<typeof toEngine>;

const failure = z.strictObject({
  kind: z.enum(["api", "engine", "cancelled"]),
  message: z.string(),
  /** Code and field of an API error. */
  code: z.string().optional(),
  field: z.string().optional(),
});
type Failure = z.infer<typeof failure>;

export const fromEngine = z.discriminatedUnion("type", [
  z.strictObject({ type: z.literal("ready") }),
  z.strictObject({ type: z.literal("progress"), id, percent: z.number(), stage: z.number() }),
  z.strictObject({ type: z.literal("log"), id, line: z.string() }),
  z.strictObject({ type: z.literal("jobId"), id, jobId: z.string() }),
  z.strictObject({ type: z.literal("result"), id, output: z.unknown() }),
  z.strictObject({ type: z.literal("failure"), id, failure }),
  /** The process ends after this message, for this reason. */
  z.strictObject({ type: z.literal("ending"), reason: z.string() }),
]);
/** From the engine process to its parent. */
export type FromEngine = z.infer<typeof fromEngine>;

/**
 * An error as it travels.
 * @param cancelled whether the request was cancelled.
 * @param publish takes out of a message what its readers are not to see.
 */
export function encodeFailure(error: unknown, cancelled: boolean, publish: (message: string) => string): Failure {
  const message = publish(error instanceof Error ? error.message : String(error));
  if (cancelled) return { kind: "cancelled", message };
  if (!(error instanceof ApiError)) return { kind: "engine", message };
  return { kind: "api", message, code: error.code, ...(error.field === undefined ? {} : { field: error.field }) };
}

/** The error that {@link encodeFailure} wrote down. */
export function decodeFailure({ kind, message, code, field: at }: Failure): Error {
  return kind === "api" && code !== undefined
    ? apiError(code, message, at === undefined ? {} : { field: at })
    : new EngineError(message);
}
