/**
 * The records of what queries read: for each finished query the tables, views and objects, with their state at that time.
 * They are kept as long as the query's record.
 */
import type { Location } from "../../../contract";
import type { PublishedFolder } from "./published-folder";

/** What a query read. */
export interface ReadInput {
  /** `objects`: those objects directly in the folder that a split names. */
  readonly kind: "table" | "view" | "objects";
  /** The folder; for a view the one that a table of its name would have. */
  readonly folder: Location;
  /** False for what is read through a view only. */
  readonly isDirect: boolean;
  /** Number and size of the objects; null for a view, and when they are not known. */
  readonly objects: number | null;
  readonly bytes: number | null;
  /** Identifies the objects, or the statement of a view; null when it is not known. */
  readonly fingerprint: string | null;
}

/** What a query read, with the query. */
export interface ReadRecord extends ReadInput {
  readonly queryId: number;
}

/** A query that read a folder, and the folder that it wrote last. */
export interface Reader {
  readonly read: ReadRecord;
  readonly published: PublishedFolder;
}

/** The records, which {@link AttemptSteps.markPublishing} makes and {@link RetentionRecords.removeQueries} deletes. */
export interface ReadRecords {
  /** Returns what the queries read. */
  of(queryIds: readonly number[]): Promise<ReadRecord[]>;
  /** Returns the last publication to each of the folders, of those that have one. */
  lastTo(folders: readonly Location[]): Promise<PublishedFolder[]>;
  /** Returns who read the folders and wrote last to a folder, the newest first, up to `limit` of each folder. */
  readersOf(folders: readonly Location[], limit: number): Promise<Reader[]>;
  /** Returns the last publications to their folders whose reads are recorded, before a query, the newest first. */
  newest(before: number, limit: number): Promise<PublishedFolder[]>;
}
