/**
 * Opens the database file of the state: checks that it is whole and not older than its high-water mark, and gives the
 * IDs of new queries.
 */
import { statSync } from "node:fs";
import { DatabaseSync } from "node:sqlite";
import { diskProblem } from "../../../storage/disk-errors";
import { readMark, writeMark, type HighWaterMark } from "./high-water-mark";
import { migrate, versionOf, versionWithMarks } from "./migrations";
import { StateLossError } from "../state-errors";

/** Query IDs that are reserved at once: the mark is written once for so many queries. */
const reservedIds = 256;

/** An open database, and the IDs of new queries. */
export interface StateFile {
  readonly database: DatabaseSync;
  /** Returns an ID that was never given before. */
  nextId(): number;
  /** Closes the database. */
  close(): void;
}

export interface StateFileOptions {
  /** True to use a database that lost its end: what it still holds is kept, and no ID is given again. */
  readonly acceptLoss?: boolean;
}

/**
 * Opens or creates a database file.
 * @throws {StateLossError} when the database is damaged or lost its end; {StateVersionError} for a newer version.
 */
export function openStateFile(path: string, { acceptLoss = false }: StateFileOptions = {}): StateFile {
  const mark = readMark(path);
  const bytes = sizeOf(path);
  const logBytes = sizeOf(`${path}-wal`);
  if (mark && bytes === 0 && !acceptLoss) throw new StateLossError("it is missing or empty, although it held queries");
  const database = new DatabaseSync(path);
  try {
    checkWhole(database);
    if (mark && bytes > 0 && !acceptLoss && versionOf(database) < versionWithMarks) throw olderError();
    database.exec(
      "PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA busy_timeout = 2000; PRAGMA cache_size = -32768",
    );
    migrate(database);
    return new MarkedFile(path, database, mark, { acceptLoss, hasLog: logBytes > 0 });
  } catch (cause) {
    const error = asLossError(cause);
    // The close deletes the log of a killed service, which the next start would miss.
    if (logBytes > 0 && !(error instanceof StateLossError)) noteMerged(database);
    database.close();
    throw error;
  }
}

/**
 * Values of `marks.closed`. `merged`: a start that failed has put the log of a killed service into the database; which IDs
 * were given, only the mark tells.
 */
const ends = { open: 0, closed: 1, merged: 2 } as const;

/** Notes why the log is not there any more. On a full disk, the log itself gives the space for it. */
function noteEnd(database: DatabaseSync, end: "closed" | "merged"): void {
  const note = () => database.prepare("UPDATE marks SET closed = ?").run(ends[end]);
  try {
    note();
  } catch (error) {
    if (diskProblem(error) !== "full") throw error;
    database.exec("PRAGMA wal_checkpoint(TRUNCATE)");
    note();
  }
}

/** Notes that the log is merged, where the disk and the version of the state permit it. */
function noteMerged(database: DatabaseSync): void {
  try {
    noteEnd(database, "merged");
  } catch {
    // The next start then asks for the log.
  }
}

/** What the database itself says of its high-water mark. */
interface StoredMark {
  readonly starts: number;
  readonly idsTo: number;
  /** One of {@link ends}: why there may be no log. */
  readonly closed: number;
}

class MarkedFile implements StateFile {
  #lastId: number;
  #mark: HighWaterMark;

  constructor(
    private readonly path: string,
    readonly database: DatabaseSync,
    mark: HighWaterMark | undefined,
    { acceptLoss, hasLog }: { readonly acceptLoss: boolean; readonly hasLog: boolean },
  ) {
    const marks = database.prepare("SELECT starts, ids_to AS idsTo, closed FROM marks").get() as unknown as StoredMark;
    if (mark && !acceptLoss) {
      if (marks.starts < mark.starts || marks.idsTo < mark.idsTo) throw olderError();
      if (marks.closed === ends.open && !hasLog) {
        throw new StateLossError(
          `its write-ahead log ${path}-wal is missing or empty, although it held the last changes`,
        );
      }
    }
    const { last } = database.prepare("SELECT coalesce(max(seq), 0) AS last FROM sqlite_sequence").get() as {
      last: number;
    };
    // After a kill, a part of the database may be lost without a trace: only the mark says which IDs were given.
    const isComplete = marks.closed === ends.closed && marks.starts === (mark?.starts ?? marks.starts);
    this.#lastId = isComplete ? last : Math.max(last, marks.idsTo, mark?.idsTo ?? 0);
    this.#mark = {
      starts: Math.max(marks.starts, mark?.starts ?? 0) + 1,
      idsTo: Math.max(this.#lastId, marks.idsTo, mark?.idsTo ?? 0),
    };
    this.#store();
  }

  nextId(): number {
    if (this.#lastId >= this.#mark.idsTo) {
      const before = this.#mark;
      this.#mark = { ...before, idsTo: this.#lastId + reservedIds };
      try {
        this.#store();
      } catch (error) {
        this.#mark = before;
        throw error;
      }
    }
    return (this.#lastId += 1);
  }

  close(): void {
    if (!this.database.isOpen) return;
    try {
      noteEnd(this.database, "closed");
    } catch (error) {
      // A disk that has failed: the next start then asks for the log.
      if (diskProblem(error) === undefined) throw error;
    } finally {
      this.database.close();
    }
  }

  /** Stores the mark in the database first: a database that is behind the file has lost something. */
  #store(): void {
    const { starts, idsTo } = this.#mark;
    this.database.prepare("UPDATE marks SET starts = ?, ids_to = ?, closed = ?").run(starts, idsTo, ends.open);
    writeMark(this.path, this.#mark);
  }
}

/** Checks every page of the database. @throws StateLossError */
function checkWhole(database: DatabaseSync): void {
  const { quick_check: result } = database.prepare("PRAGMA quick_check(1)").get() as { quick_check: string };
  if (result !== "ok") throw damagedError();
}

function sizeOf(path: string): number {
  return statSync(path, { throwIfNoEntry: false })?.size ?? 0;
}

function olderError(): StateLossError {
  return new StateLossError("it is older than its high-water mark: it lost changes that it once held");
}

function damagedError(cause?: unknown): StateLossError {
  return new StateLossError("it is damaged or not a database", { cause });
}

/** SQLite reports SQLITE_CORRUPT (11) or SQLITE_NOTADB (26) when a page cannot be read. */
function asLossError(error: unknown): unknown {
  const { errcode } = error as { errcode?: unknown };
  return typeof errcode === "number" && [11, 26].includes(errcode & 0xff) ? damagedError(error) : error;
}
