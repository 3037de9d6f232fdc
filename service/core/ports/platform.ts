/** The ports to the platform: clock, log, disks. `compose.ts` selects the adapters. */
import type { Readable } from "node:stream";
import type { Location } from "../../../contract/location";
import type { QueryStatus, QueryType } from "../../../contract/values";

/**
 * The service's clock. Tests use one that they advance. What must hold although somebody sets the system's clock, such as
 * a lease, is measured with `performance.now()` instead.
 */
export interface Clock {
  /** Milliseconds since 1970. */
  now(): number;
  /** Resolves when the time has passed or the signal aborts; never rejects. */
  sleep(milliseconds: number, signal?: AbortSignal): Promise<void>;
}

/** The service's log: structured, without secrets. */
export interface Logger {
  info(fields: object, message: string): void;
  warn(fields: object, message: string): void;
  error(fields: object, message: string): void;
}

/** The move of a complete result to its place. */
export interface Publication {
  /** Epoch of the attempt that has written the result. */
  readonly writtenBy: number;
  /** Epoch of the query's last attempt, which publishes the result. */
  readonly publishedBy: number;
  /** True when an earlier publication was interrupted: this one completes it, and a missing folder counts as moved. */
  readonly isRetry: boolean;
  /**
   * Resolves when this process may publish: nobody else does for {@link confirmedMilliseconds} from the call, and in the
   * turn of the answer.
   * @throws AttemptLost when another process publishes the result
   */
  confirm(): Promise<void>;
}

/** What {@link OutputFolders.deleteOrphans} must know of queries. */
export interface OrphanQueries {
  /** Returns the queries whose folders are kept; called when the folders have been listed. */
  kept(): Promise<ReadonlySet<number>>;
  /** Returns the folder that a query replaces; undefined when its record was deleted. */
  outputOf(queryId: number): Promise<Location | undefined>;
}

/**
 * Temporary folders of query results, and their publication. Every method throws StorageAccessError when the storage
 * cannot be accessed.
 */
export interface OutputFolders {
  /**
   * Creates the empty folder `tmp/<queryId>/<epoch>/` in the bucket, and the bucket's marker `tmp_$folder$`. Deletes the
   * folders of earlier attempts, unless this one may resume the job of an earlier one.
   */
  prepare(queryId: number, epoch: number, bucket: string, keepsEarlier?: boolean): Promise<Location>;
  /** Moves the prepared folder to `target` and deletes what was there. */
  publishReplacing(queryId: number, target: Location, publication: Publication): Promise<void>;
  /**
   * Moves the prepared folder to `target`.
   * @throws OutputTableAlreadyExists when objects are there.
   */
  publishNew(queryId: number, target: Location, publication: Publication): Promise<void>;
  /**
   * Deletes the prepared folder of an attempt if it still exists, or of all attempts of the query, and `tmp_$folder$`
   * when no other query needs it.
   */
  discard(queryId: number, bucket: string, epoch?: number): Promise<void>;
  /**
   * Deletes the temporary folders of the queries that are not kept, in every bucket. An earlier result that a failed
   * publication could not put back is put back now, unless something is in its place.
   */
  deleteOrphans(queries: OrphanQueries): Promise<void>;
  /** Finds an object whose key is the folder or one of its parents, such as `a/b` for the folder `a/b/c/`. */
  blockingObject(folder: Location): Promise<Location | undefined>;
  /** Deletes the copies of objects that killed writers left behind and that are older than a time. */
  removeLeftovers(before: number): Promise<void>;
  /** Creates the bucket unless it exists. */
  ensureBucket(bucket: string): Promise<void>;
}

/** A log file of a cluster, ready to be exported. */
export interface LogFile {
  /** Path below the cluster's logs, such as `engine/engine.log`. */
  readonly name: string;
  /** Bytes to export: the file's size when it was listed. */
  readonly size: number;
  open(): Readable;
}

/** The log files. The writing methods never throw: a full disk must not end a query. */
export interface LogFiles {
  /** Adds a line to the log of a query and to the log of its cluster. */
  query(clusterName: string, queryId: number, line: string): void;
  /** Adds a line to the log of a cluster. */
  cluster(clusterName: string, line: string): void;
  /** Returns the log of a query; empty when there is none. */
  readQuery(clusterName: string, queryId: number): Promise<string>;
  /** Deletes the logs of all queries of a cluster. */
  dropQueries(clusterName: string): void;
  /** Deletes the log of a query. Returns the bytes that it had. */
  deleteQuery(clusterName: string, queryId: number): Promise<number>;
  /** Size of the logs of all queries of a cluster, in bytes. */
  queryBytes(clusterName: string): Promise<number>;
  /** Resolves when every process can read what was added, or when that fails. */
  flush(): Promise<void>;
  /** Lists the log files of a cluster: those of the service and of the engine. */
  list(clusterName: string): Promise<LogFile[]>;
}

/** Usage of the file system of the storage, in bytes. */
export interface DiskUsage {
  /** Size of all objects in all buckets. */
  readonly objects: number;
  /** Size of all other files on the same file system. */
  readonly other: number;
  readonly capacity: number;
}

/** What becomes of an OpenLineage event. `dropped` counts runs, whose events were never sent. */
export type LineageOutcome = "received" | "refused" | "dropped";

/** The platform that the core runs on. */
export interface Platform {
  readonly clock: Clock;
  readonly log: Logger;
  readonly outputs: OutputFolders;
  readonly logs: LogFiles;
  diskUsage(): Promise<DiskUsage>;
  /** Called for every query that ends, for metrics. */
  queryEnded?(type: QueryType, status: QueryStatus): void;
  /** Called for OpenLineage events that were sent, and for runs whose events are not sent, for metrics. */
  lineageEvents?(outcome: LineageOutcome, count: number): void;
}
