/** What the core needs of an engine. Only main.ts knows who provides it. */
import type { Column, InputFormat, Location, OutputFormat } from "../../../contract";

/** A table that a statement reads. */
export interface TableDefinition {
  readonly database: string;
  readonly table: string;
  /** Every object under this folder is rows. */
  readonly location: Location;
  readonly format: InputFormat;
  /** Absent or empty where nobody declared them: they are read from the data. */
  readonly columns?: readonly Column[];
  /** Whether our own split checked that every value parses as its column's type, so that it may be read as such. */
  readonly checked?: boolean;
}

/** What a statement reads, by name; `database` is `default` where the statement names none. */
export interface TableName {
  readonly database: string;
  readonly table: string;
}

/** A select that an engine is to run. */
export interface SelectJob {
  readonly queryId: number;
  readonly statement: string;
  /** Every table of {@link Engine.tablesRead}. */
  readonly tables: readonly TableDefinition[];
  readonly outputFormat: OutputFormat;
  /** Empty folder that receives `000000_0`, `000001_0`, …; what else happens to it is the core's. */
  readonly output: Location;
}

/** A split that an engine is to run. */
export interface SplitJob {
  readonly queryId: number;
  readonly inputs: readonly Location[];
  readonly format: InputFormat;
  /** Absent: the columns are read from the data. */
  readonly columns?: readonly Column[];
  /** Empty folder that receives the objects in the order of the inputs' rows. */
  readonly output: Location;
  /** Greatest size of an object in bytes. */
  readonly objectBytes: number;
}

/** What a split found out about the table it wrote. */
export interface SplitResult {
  /** The declared ones. Empty where none were declared: they are read from the data when a statement reads the table. */
  readonly columns: readonly Column[];
  readonly checked: boolean;
}

/** How a job tells what it does, while it does it. */
export interface JobContext {
  /** Aborted when the query is cancelled: the engine ends the work within a second and rejects. */
  readonly signal: AbortSignal;
  /** Share of the work that is done, 0 to 100, and the stage it is in, from 1. */
  progress(percent: number, stage: number): void;
  /** One line of the query's log. */
  log(line: string): void;
  /** The engine's own identifier of the work. */
  jobId(id: string): void;
}

/** The running engine of one cluster. */
export interface Engine {
  /**
   * Reads a statement without running it: its syntax, that it is one SELECT, and the tables it names.
   * @throws InvalidDMLStatement with line and column, InvalidDatabaseName, InvalidTableName.
   */
  tablesRead(statement: string): Promise<readonly TableName[]>;
  /** Checks a statement against its tables; throws InvalidDMLStatement for what the engine would refuse or get wrong. */
  checkSelect(job: Pick<SelectJob, "statement" | "tables">): Promise<void>;
  select(job: SelectJob, context: JobContext): Promise<void>;
  split(job: SplitJob, context: JobContext): Promise<SplitResult>;
  /** Resolves when the engine has ended, with the reason; never rejects. */
  readonly ended: Promise<EngineEnd>;
  /** Ends the engine and everything it runs. */
  close(): Promise<void>;
}

/** Why an engine ended. */
export interface EngineEnd {
  /** False where nobody asked it to. */
  readonly expected: boolean;
  /** For the log of a query that ran on it, such as `the engine ran out of memory (limit 2.0 GB)`. */
  readonly reason: string;
}

/** What an engine is started with. */
export interface EngineOptions {
  readonly clusterName: string;
  readonly debug: boolean;
  /** Memory limit in bytes. */
  readonly memoryBytes: number;
  /** Threads the engine may use. */
  readonly threads: number;
  /** The cluster's own folder on this machine: `logs/` holds its log files, `temp/` what it spills. */
  readonly directory: string;
}

/** A kind of engine, by the name that a cluster's `type` has. */
export interface EngineFamily {
  readonly type: string;
  /** Starts an engine; resolves when it takes work, rejects with the reason where it cannot. */
  start(options: EngineOptions): Promise<Engine>;
}
