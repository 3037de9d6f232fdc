/** What the core needs of the machine it runs on. `compose.ts` says who provides it. */
import type { Readable } from "node:stream";
import type { Location, QueryStatus, QueryType } from "../../../contract";

/** The service's time. Tests give one that they advance themselves. */
export interface Clock {
  /** Milliseconds since 1970. */
  now(): number;
  /** Resolves when the time has passed, or at once when the signal aborts; never rejects. */
  sleep(milliseconds: number, signal?: AbortSignal): Promise<void>;
}

/** The service's own log: structured, and free of secrets. */
export interface Logger {
  info(fields: object, message: string): void;
  warn(fields: object, message: string): void;
  error(fields: object, message: string): void;
}

/** Which attempt at a move this is. */
export interface Attempt {
  /** Whether one was begun before and interrupted at any point: it is completed, and a folder that is gone was moved. */
  readonly again: boolean;
}

/**
 * Where results are written before they are complete, and how they get to their place. Every method throws
 * StorageAccessError where the storage refuses.
 */
export interface OutputFolders {
  /** Makes the empty folder `tmp/<queryId>/` in the bucket, and the bucket's `tmp_$folder$`. */
  prepare(queryId: number, bucket: string): Promise<Location>;
  /** Moves the prepared folder to `target` in place of everything that is there. */
  replace(queryId: number, target: Location, attempt?: Attempt): Promise<void>;
  /**
   * Moves the prepared folder to `target`, where no object may be.
   * @throws OutputTableAlreadyExists
   */
  place(queryId: number, target: Location, attempt?: Attempt): Promise<void>;
  /** Deletes what is left of the prepared folder, and `tmp_$folder$` when no other query needs it. */
  discard(queryId: number, bucket: string): Promise<void>;
  /** Deletes what queries that are not among `kept` left under `tmp/` of any bucket. */
  sweep(kept: ReadonlySet<number>): Promise<void>;
  /** The object that stands where a part of the folder's path would have to be, if there is one. */
  obstacle(folder: Location): Promise<Location | undefined>;
  /** Makes a bucket where there is none. */
  makeBucket(bucket: string): Promise<void>;
}

/** A log file of a cluster, ready to be exported. */
export interface LogFile {
  /** Path below the cluster's logs, such as `engine/engine.log`. */
  readonly name: string;
  /** Bytes to export: what the file had when it was listed. */
  readonly size: number;
  open(): Readable;
}

/** Log files. None of its writers throws: a full disk must not end a query. */
export interface LogFiles {
  /** Adds a line to the log of a query and to that of its cluster. */
  query(clusterName: string, queryId: number, line: string): void;
  /** Adds a line to the log of a cluster. */
  cluster(clusterName: string, line: string): void;
  /** The log of a query; empty where it wrote none. */
  readQuery(clusterName: string, queryId: number): Promise<string>;
  /** Drops the logs of all queries of a cluster. */
  dropQueries(clusterName: string): void;
  /** The log files of a cluster: the service's and the engine's. */
  list(clusterName: string): Promise<LogFile[]>;
}

/** What the disks under the storage hold, in bytes. */
export interface DiskUsage {
  /** Size of all objects in all buckets. */
  readonly objects: number;
  /** What anything else takes on the same file system. */
  readonly other: number;
  readonly capacity: number;
}

/** The machine below the core. */
export interface Platform {
  readonly clock: Clock;
  readonly log: Logger;
  readonly outputs: OutputFolders;
  readonly logs: LogFiles;
  diskUsage(): Promise<DiskUsage>;
  /** Told of every query that comes to an end, for metrics. */
  queryEnded?(type: QueryType, status: QueryStatus): void;
}
