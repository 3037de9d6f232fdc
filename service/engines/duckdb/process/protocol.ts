/**
 * The messages between an engine process and its parent. The parent validates what it receives; the process, which would
 * have to load zod for it, uses the types only.
 */
import * as z from "zod";
import type { Column, InputFormat, Location, OutputFormat } from "../../../../contract";
import type { TableDefinition, ViewDefinition } from "../../../core/ports/engine";
import { preparedStatement, type Reader } from "../../prepared-statement";

interface CheckInput {
  readonly statement: string;
  readonly user?: string | undefined;
  readonly tables: readonly TableDefinition[];
  readonly views: readonly ViewDefinition[];
}

interface SelectInput extends CheckInput {
  readonly queryId: number;
  /** What a process has read of the statement when it checked it. */
  readonly read?: Uint8Array | undefined;
  readonly outputFormat: OutputFormat;
  readonly output: string;
}

interface SplitInput {
  readonly queryId: number;
  readonly inputs: readonly Location[];
  readonly format: InputFormat;
  readonly columns?: readonly Column[] | undefined;
  readonly output: string;
  readonly objectBytes: number;
}

/** The input of each operation. */
interface OperationInputs {
  readonly tablesRead: { readonly statement: string };
  readonly columnNames: CheckInput;
  readonly checkSelect: CheckInput;
  readonly sampleTable: { readonly table: TableDefinition; readonly limit: number };
  readonly prepare: CheckInput & { readonly scanMode: "always" | "if-small"; readonly reader: Reader };
  readonly select: SelectInput;
  readonly split: SplitInput;
}

const column = z.strictObject({ name: z.string(), type: z.string() });

/** The settings of an engine process. */
export interface EngineSettings {
  readonly debug: boolean;
  /** The memory limit of the cluster. */
  readonly memoryBytes: number;
  readonly threads: number;
  /** Folder of the data that this process spills. */
  readonly tempDirectory: string;
  /** Maximum size of the spilled data in bytes. */
  readonly tempBytes: number;
  /** Folder of what the cluster's processes remember of tables; absent where objects have no lasting files. */
  readonly factsDirectory?: string | undefined;
  /** Maximum size of a result's object in bytes. */
  readonly resultObjectBytes: number;
  /** The only directory whose files statements may access. */
  readonly dataDirectory: string;
  /** The S3 that has the objects; the data directory then has copies of those that a request reads. */
  readonly s3?:
    | {
        readonly endpoint?: string | undefined;
        readonly region?: string | undefined;
        /** Path of DuckDB's extension httpfs, if DuckDB is to read Parquet objects itself. */
        readonly httpfs?: string | undefined;
      }
    | undefined;
}

const id = z.number();

/** The output of each operation. */
export const operationOutputs = {
  tablesRead: z.array(z.strictObject({ database: z.string(), table: z.string() })),
  columnNames: z.array(z.string()).nullable(),
  /** What the run need not read again; null for a large statement. */
  checkSelect: z.instanceof(Uint8Array).nullable(),
  sampleTable: z.strictObject({
    columns: z.array(column),
    rows: z.array(z.array(z.string().nullable())),
    isTruncated: z.boolean(),
  }),
  prepare: preparedStatement,
  select: z.strictObject({ columns: z.array(column), rows: z.number() }),
  split: z.strictObject({ columns: z.array(column), checked: z.boolean() }),
} as const;
export type EngineOperation = keyof OperationInputs;
export type EngineOperationInput<Name extends EngineOperation> = OperationInputs[Name];
export type EngineOperationOutput<Name extends EngineOperation> = z.infer<(typeof operationOutputs)[Name]>;

/** Asks for an operation. */
export type EngineRequest = {
  [Name in EngineOperation]: {
    readonly type: "request";
    readonly id: number;
    readonly operation: Name;
    readonly input: OperationInputs[Name];
  };
}[EngineOperation];

/** A message from the parent to the engine process. */
export type ToEngine =
  | { readonly type: "start"; readonly settings: EngineSettings }
  | EngineRequest
  | { readonly type: "cancel"; readonly id: number }
  /** DuckDB's memory limit from now on, the process's part of the cluster's. */
  | { readonly type: "memory"; readonly bytes: number };

const failure = z.strictObject({
  kind: z.enum(["api", "engine", "cancelled"]),
  message: z.string(),
  /** Code and field of an API error. */
  code: z.string().optional(),
  field: z.string().optional(),
});
/** An error of a request, serialised. */
export type Failure = z.infer<typeof failure>;

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
  /** The process accepts the next request; it gives back `keptBytes` unless one comes soon. */
  z.strictObject({ type: z.literal("idle"), rssBytes: z.number(), keptBytes: z.number() }),
  /** The process ends after this message, for the given reason. */
  z.strictObject({ type: z.literal("ending"), reason: z.string() }),
]);
/** A message from the engine process to its parent. */
export type FromEngine = z.infer<typeof fromEngine>;

/** What an engine process sends at once. */
export const allFromEngine = z.array(fromEngine);
