/** The port to the engines. `compose.ts` selects the adapters. */
import type { Column, InputFormat, Location, OutputFormat, TableFormat } from "../../../contract";

/** A table that a statement reads, with the location and format of its data. */
export interface TableDefinition {
  readonly database: string;
  readonly table: string;
  /** Folder of the table: every object under it holds rows, except those whose path has a part with `_` or `.` first. */
  readonly location: Location;
  readonly format: TableFormat;
  /** The declared columns. When absent or empty, the engine infers them from the data. */
  readonly columns?: readonly Column[] | undefined;
  /**
   * The declared partition columns: the objects lie in folders `name=value/`, one level for each column. When absent, a
   * table without declared columns has those that its folders name, and any other table has none.
   */
  readonly partitions?: readonly Column[] | undefined;
  /** True when our own split has checked that every value parses as its column's type. */
  readonly checked?: boolean;
  /** False when the first row of no object is a header, as in results. @default true */
  readonly mayHaveHeader?: boolean;
  /** True when the format is that of the first object, which the names of the others must not contradict. @default false */
  readonly formatFound?: boolean;
}

/** Name of a table that a statement reads; `database` is `default` when the statement names no database. */
export interface TableName {
  readonly database: string;
  readonly table: string;
}

/** The columns and first rows of a table. */
export interface RowSample {
  readonly columns: readonly Column[];
  /** Cells as text; null is NULL. */
  readonly rows: readonly (readonly (string | null)[])[];
  readonly isTruncated: boolean;
}

/** A view: a name for a query, which is read as if it stood in its place. */
export interface ViewDefinition {
  readonly database: string;
  readonly view: string;
  /** One SELECT, in HiveQL. */
  readonly query: string;
}

/**
 * A statement as a check has read it. It spares the parser to the job that runs the statement, often in a process that has
 * not loaded it. Only the engine that gave it can use it, and only with the same statement.
 */
export type ReadStatement = Uint8Array;

/** A select for an engine to run. */
export interface SelectJob {
  readonly queryId: number;
  readonly statement: string;
  /** What the check of the statement has read; absent when none has, or when the engine gives nothing. */
  readonly read?: ReadStatement | undefined;
  /** The access key id of the caller, which is the user in HiveQL. */
  readonly user?: string;
  /** Every table of {@link Engine.tablesRead}, of the statement and of its views. */
  readonly tables: readonly TableDefinition[];
  /** The views that it reads, also through other views; none reads itself. */
  readonly views?: readonly ViewDefinition[];
  readonly outputFormat: OutputFormat;
  /** Empty folder to which the engine writes `000000_0`, `000001_0`, …; the core publishes and deletes it. */
  readonly output: Location;
  /** What an earlier attempt has passed to {@link JobContext.keep}: its job may still run, or be complete. */
  readonly resume?: string;
}

/** What an engine knows of the result that it wrote. */
export interface SelectResult {
  /** The columns as the engine names them, with the types that it computed in; absent when they are not known. */
  readonly columns?: readonly Column[];
  /** The number of rows; absent when the engine does not count them. */
  readonly rows?: number;
}

/** A split for an engine to run. */
export interface SplitJob {
  readonly queryId: number;
  readonly inputs: readonly Location[];
  readonly format: InputFormat;
  /** The declared columns. When absent, the engine infers them from the data. */
  readonly columns?: readonly Column[];
  /**
   * Empty folder to which the engine writes the objects, in the order of the inputs' rows; on S3 also a list of those
   * that are to be made of ranges of the inputs (`storage/s3-ranges.ts`).
   */
  readonly output: Location;
  /** Maximum size of an object in bytes. */
  readonly objectBytes: number;
}

/** Properties of the table that a split wrote. */
export interface SplitResult {
  /**
   * The declared columns; without a declaration those that the engine has found, for the query's record, or none. A
   * statement that reads the table finds them again.
   */
  readonly columns: readonly Column[];
  /** True when every value parses as its column's type. */
  readonly checked: boolean;
}

/**
 * The reason of {@link JobContext.signal} when a later attempt resumes the query: the job ends here, and one that
 * was passed to {@link JobContext.keep} goes on where it runs.
 */
export class JobLeft extends Error {
  override readonly name = "JobLeft";

  constructor() {
    super("the query is left to a later attempt");
  }
}

/** Cancels a running job, and receives its progress and log lines. */
export interface JobContext {
  /** Aborted when the query is cancelled: the engine ends the job within a second and rejects. */
  readonly signal: AbortSignal;
  /** Reports the share of the job that is done, 0 to 100, and its stage, from 1. */
  progress(percent: number, stage: number): void;
  /** Adds a line to the query's log. */
  log(line: string): void;
  /** Reports the engine's own identifier of the job. */
  jobId(id: string): void;
  /**
   * Stores a handle by which a later attempt can resume the job, in place of an earlier one. It is durable when this
   * resolves. Absent for a job that no attempt follows.
   * @throws AttemptLost when another process has taken the query over
   */
  keep?(handle: string): Promise<void>;
}

/** A statement with the tables and views that it reads. */
export type CheckedQuery = Pick<SelectJob, "statement" | "user" | "tables" | "views">;

/** Ends and limits a check. */
export interface CheckControl {
  /** Aborted when nobody waits for the result any more: the check ends and rejects with the signal's reason. */
  readonly signal: AbortSignal;
  /** True for a submission: the check takes at most 10 seconds and 256 MiB, else it is refused. */
  readonly limited: boolean;
}

/**
 * The running engine of a cluster. No check and no job reaches another: whatever ends one, its cancellation, a crash or
 * the limit of memory, ends that one only.
 */
export interface Engine {
  /**
   * Parses a statement without running it, checks that it is one SELECT, and returns the tables that it reads.
   * @throws InvalidDMLStatement with line and column, InvalidDatabaseName, InvalidTableName, ServiceUnavailable.
   */
  tablesRead(statement: string, control: CheckControl): Promise<readonly TableName[]>;
  /** Returns the names of the output columns; undefined when they are not known, as when a table of a `*` is gone. */
  columnNames(query: CheckedQuery, control: CheckControl): Promise<readonly string[] | undefined>;
  /**
   * Checks a statement against its tables, without computing anything of it.
   * @returns what {@link select} needs not read again, if the engine gives it
   * @throws InvalidDMLStatement when the engine does not support it, ServiceUnavailable
   */
  checkSelect(query: CheckedQuery, control: CheckControl): Promise<ReadStatement | undefined>;
  /**
   * Returns the columns and the first rows of a table, which are those of its first objects.
   * @throws Error when its objects cannot be read
   */
  sampleTable(table: TableDefinition, limit: number, control: CheckControl): Promise<RowSample>;
  select(job: SelectJob, context: JobContext): Promise<SelectResult>;
  split(job: SplitJob, context: JobContext): Promise<SplitResult>;
  /**
   * Ends a job that was passed to {@link JobContext.keep} and that no attempt resumes. Resolves when its server says
   * that it has ended; rejects with the reason when that is not known, and may be called again.
   */
  endJob?(handle: string): Promise<void>;
  /** Resolves with the reason when the engine has ended; never rejects. */
  readonly ended: Promise<EngineEnd>;
  /** Ends the engine and all its jobs. */
  close(): Promise<void>;
}

/** The reason for which an engine ended. */
export interface EngineEnd {
  /** True when the engine ended because it was closed; false for a crash. */
  readonly expected: boolean;
  /** Text for the logs of the queries that ran on it, such as `the engine was closed`. */
  readonly reason: string;
}

/** Settings of an engine. */
export interface EngineOptions {
  readonly clusterName: string;
  readonly debug: boolean;
  /** Memory limit in bytes. */
  readonly memoryBytes: number;
  /** Threads the engine may use. */
  readonly threads: number;
  /** The cluster's folder on this machine: `logs/` has its log files, `temp/` its spilled data. */
  readonly directory: string;
  /** Aborted when the engine is not wanted any more: its start may end at once. */
  readonly signal?: AbortSignal;
}

/** A kind of engine; the `type` of a cluster selects it. */
export interface EngineFamily {
  readonly type: string;
  /** Starts an engine. Resolves when it accepts jobs; rejects with the reason when it cannot start. */
  start(options: EngineOptions): Promise<Engine>;
}
