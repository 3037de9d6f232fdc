/** The messages between an engine process and its parent. Both sides validate what they receive. */
import * as z from "zod";
import { ApiError, apiError, inputFormats, tableFormats } from "../../../../contract";
import { EngineError } from "../engine-errors";

const column = z.strictObject({ name: z.string(), type: z.string() });
const format = z.enum(inputFormats);

const location = z.strictObject({ bucket: z.string(), key: z.string() });

const table = z.strictObject({
  database: z.string(),
  table: z.string(),
  format: z.enum(tableFormats),
  columns: z.array(column).optional(),
  partitions: z.array(column).optional(),
  checked: z.boolean(),
  mayHaveHeader: z.boolean().exactOptional(),
  /** Folder of its objects. */
  location,
});
/** A table that a statement reads. */
export type TableRequest = z.infer<typeof table>;

const view = z.strictObject({ database: z.string(), view: z.string(), query: z.string() });
/** A view that a statement reads. */
export type ViewRequest = z.infer<typeof view>;

const statement = z.strictObject({ statement: z.string() });
const checkSelect = z.strictObject({
  statement: z.string(),
  user: z.string().optional(),
  tables: z.array(table),
  views: z.array(view),
});
const select = z.strictObject({
  queryId: z.number(),
  statement: z.string(),
  user: z.string().optional(),
  tables: z.array(table),
  views: z.array(view),
  outputFormat: z.enum(["csv", "tsv"]),
  output: z.string(),
});
const split = z.strictObject({
  queryId: z.number(),
  inputs: z.array(location),
  format,
  columns: z.array(column).optional(),
  output: z.string(),
  objectBytes: z.number(),
});

const sampleTable = z.strictObject({ table, limit: z.number() });
const prepare = checkSelect.extend({ scanMode: z.enum(["always", "if-small"]), reader: z.enum(["hive", "spark"]) });

const part = z.discriminatedUnion("kind", [
  z.strictObject({ kind: z.enum(["text", "view text"]), text: z.string(), origin: z.number() }),
  z.strictObject({ kind: z.literal("table"), table: z.number(), origin: z.number() }),
]);
const externalTable = z.strictObject({
  database: z.string(),
  table: z.string(),
  format: z.enum(tableFormats),
  columns: z.array(column),
  partitions: z.array(column),
  folders: z.array(z.strictObject({ path: z.string(), values: z.array(z.string().nullable()) })),
  paths: z.array(z.string()),
  isEmpty: z.boolean(),
  header: z.boolean(),
  headerLines: z.array(z.string()),
  escapes: z.boolean(),
  quotes: z.boolean(),
  carriageReturns: z.boolean(),
});

/** The settings of an engine process. */
const engineSettings = z.strictObject({
  debug: z.boolean(),
  /** The memory limit of the cluster. */
  memoryBytes: z.number(),
  threads: z.number(),
  /** Folder of the data that this process spills. */
  tempDirectory: z.string(),
  /** Maximum size of the spilled data in bytes. */
  tempBytes: z.number(),
  /** Folder of what the cluster's processes remember of tables; absent where objects have no lasting files. */
  factsDirectory: z.string().optional(),
  /** Maximum size of a result's object in bytes. */
  resultObjectBytes: z.number(),
  /** The only directory whose files statements may access. */
  dataDirectory: z.string(),
  /** The S3 that has the objects; the data directory then has copies of those that a request reads. */
  s3: z
    .strictObject({
      endpoint: z.string().optional(),
      region: z.string().optional(),
      /** Path of DuckDB's extension httpfs, if DuckDB is to read Parquet objects itself. */
      httpfs: z.string().optional(),
    })
    .optional(),
});
export type EngineSettings = z.infer<typeof engineSettings>;

const id = z.number();

/** The output of each operation. */
export const operationOutputs = {
  tablesRead: z.array(z.strictObject({ database: z.string(), table: z.string() })),
  columnNames: z.array(z.string()).nullable(),
  checkSelect: z.null(),
  sampleTable: z.strictObject({
    columns: z.array(column),
    rows: z.array(z.array(z.string().nullable())),
    isTruncated: z.boolean(),
  }),
  prepare: z.strictObject({
    parts: z.array(part),
    tables: z.array(externalTable),
    names: z.array(z.string()).nullable(),
  }),
  select: z.strictObject({ columns: z.array(column) }),
  split: z.strictObject({ columns: z.array(column), checked: z.boolean() }),
} as const;
export type EngineOperation = EngineRequest["operation"];
export type EngineOperationInput<Name extends EngineOperation> = Extract<EngineRequest, { operation: Name }>["input"];
export type EngineOperationOutput<Name extends EngineOperation> = z.infer<(typeof operationOutputs)[Name]>;

const request = z.discriminatedUnion("operation", [
  z.strictObject({ type: z.literal("request"), id, operation: z.literal("tablesRead"), input: statement }),
  z.strictObject({ type: z.literal("request"), id, operation: z.literal("columnNames"), input: checkSelect }),
  z.strictObject({ type: z.literal("request"), id, operation: z.literal("checkSelect"), input: checkSelect }),
  z.strictObject({ type: z.literal("request"), id, operation: z.literal("sampleTable"), input: sampleTable }),
  z.strictObject({ type: z.literal("request"), id, operation: z.literal("prepare"), input: prepare }),
  z.strictObject({ type: z.literal("request"), id, operation: z.literal("select"), input: select }),
  z.strictObject({ type: z.literal("request"), id, operation: z.literal("split"), input: split }),
]);
export type EngineRequest = z.infer<typeof request>;

export const toEngine = z.discriminatedUnion("type", [
  z.strictObject({ type: z.literal("start"), settings: engineSettings }),
  request,
  z.strictObject({ type: z.literal("cancel"), id }),
  /** DuckDB's memory limit from now on, the process's part of the cluster's. */
  z.strictObject({ type: z.literal("memory"), bytes: z.number() }),
]);
/** A message from the parent to the engine process. */
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
  /** The process accepts requests; `rssBytes` is the memory that it uses without any. */
  z.strictObject({ type: z.literal("ready"), rssBytes: z.number() }),
  z.strictObject({ type: z.literal("progress"), id, percent: z.number(), stage: z.number() }),
  z.strictObject({ type: z.literal("log"), id, line: z.string() }),
  z.strictObject({ type: z.literal("jobId"), id, jobId: z.string() }),
  z.strictObject({ type: z.literal("result"), id, output: z.unknown() }),
  z.strictObject({ type: z.literal("failure"), id, failure }),
  /** A record for the log of the cluster's engine. */
  z.strictObject({
    type: z.literal("record"),
    level: z.enum(["debug", "info", "warn", "error"]),
    fields: z.record(z.string(), z.unknown()),
    message: z.string(),
  }),
  /** The process ends after this message, for the given reason. */
  z.strictObject({ type: z.literal("ending"), reason: z.string() }),
]);
/** A message from the engine process to its parent. */
export type FromEngine = z.infer<typeof fromEngine>;

/** What an engine process sends at once. */
export const allFromEngine = z.array(fromEngine);

/**
 * Serialises an error.
 * @param cancelled true when the request was cancelled.
 * @param redact removes the parts of a message that users must not see.
 */
export function encodeFailure(error: unknown, cancelled: boolean, redact: (message: string) => string): Failure {
  const message = redact(error instanceof Error ? error.message : String(error));
  if (cancelled) return { kind: "cancelled", message };
  if (!(error instanceof ApiError)) return { kind: "engine", message };
  return { kind: "api", message, code: error.code, ...(error.field === undefined ? {} : { field: error.field }) };
}

/** Deserialises an error of {@link encodeFailure}. */
export function decodeFailure({ kind, message, code, field: at }: Failure): Error {
  return kind === "api" && code !== undefined
    ? apiError(code, message, at === undefined ? {} : { field: at })
    : new EngineError(message);
}
