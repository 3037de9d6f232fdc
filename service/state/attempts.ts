/**
 * The attempts of queries to write a result to S3, where nothing can be renamed: an attempt is recorded before it writes,
 * and its manifest before the first object of it is published. Only a recorded attempt is published or deleted.
 */
import type { StatementSync } from "node:sqlite";
import type { ObjectRange } from "../../storage/s3-ranges";

/** An object of a result, as it was when the attempt was complete, or one to make of a range of another object. */
export type ManifestEntry =
  | {
      /** Its key below the attempt's folder. */
      readonly name: string;
      readonly size: number;
      readonly etag: string | null;
    }
  | ObjectRange;

/** An attempt of a query, which writes to `tmp/<queryId>/<name>/` of its bucket. */
export interface Attempt {
  readonly queryId: number;
  readonly name: string;
  readonly bucket: string;
  /** The objects to publish; null until the publication begins. */
  readonly manifest: readonly ManifestEntry[] | null;
  /** True when every object is at its place. */
  readonly published: boolean;
}

/** The records of attempts. Every change is durable when its method returns. */
export interface Attempts {
  all(): Attempt[];
  of(queryId: number): Attempt[];
  begin(attempt: Pick<Attempt, "queryId" | "name" | "bucket">): void;
  setManifest(attempt: Attempt, manifest: readonly ManifestEntry[]): void;
  setPublished(attempt: Attempt): void;
  remove(attempt: Attempt): void;
}

/** Access to the database of the state. */
export interface AttemptDatabase {
  readonly sql: (text: string) => StatementSync;
  /** Runs a write, for which disk space is reserved. */
  readonly write: (work: () => unknown) => void;
}

interface AttemptRow {
  readonly queryId: number;
  readonly name: string;
  readonly bucket: string;
  readonly manifest: string | null;
  readonly published: number;
}

const columns = "SELECT query_id AS queryId, name, bucket, manifest, published FROM attempts";

/** Returns the records in a database. */
export function attemptsIn({ sql, write }: AttemptDatabase): Attempts {
  const toAttempt = (row: object): Attempt => {
    const { manifest, published, ...rest } = row as AttemptRow;
    const entries = manifest === null ? null : (JSON.parse(manifest) as ManifestEntry[]);
    return { ...rest, manifest: entries, published: published !== 0 };
  };
  return {
    all: () => sql(`${columns} ORDER BY query_id, name`).all().map(toAttempt),
    of: (queryId) => sql(`${columns} WHERE query_id = ? ORDER BY name`).all(queryId).map(toAttempt),
    begin: ({ queryId, name, bucket }) =>
      write(() => sql("INSERT INTO attempts (query_id, name, bucket) VALUES (?, ?, ?)").run(queryId, name, bucket)),
    setManifest: ({ queryId, name }, manifest) =>
      write(() =>
        sql("UPDATE attempts SET manifest = ? WHERE query_id = ? AND name = ?").run(
          JSON.stringify(manifest),
          queryId,
          name,
        ),
      ),
    setPublished: ({ queryId, name }) =>
      write(() => sql("UPDATE attempts SET published = 1 WHERE query_id = ? AND name = ?").run(queryId, name)),
    remove: ({ queryId, name }) =>
      write(() => sql("DELETE FROM attempts WHERE query_id = ? AND name = ?").run(queryId, name)),
  };
}
