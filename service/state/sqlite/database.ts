/** The database of a state file, with writes that a full disk cannot spoil. */
import { statfsSync } from "node:fs";
import { dirname } from "node:path";
import type { DatabaseSync, StatementSync } from "node:sqlite";
import { errors } from "../../../contract";
import { describeDiskProblem, diskProblem } from "../../../storage/disk-errors";
import { DiskReserve } from "./disk-reserve";
import { WatchedFiles } from "./watched-files";

/** Free bytes below which a disk counts as full, and from which it counts as full no longer: a write needs some pages. */
const neededBytes = { full: 64 * 1024, space: 4 * 1024 * 1024 } as const;

export class SqliteDatabase {
  readonly #reserve: DiskReserve;
  readonly #files: WatchedFiles;
  readonly #prepared = new Map<string, StatementSync>();
  /** True when a write or a look found the disk full, and no look has found space since. */
  #wasFull = false;

  /** @param path of the database's file */
  constructor(
    private readonly path: string,
    private readonly database: DatabaseSync,
  ) {
    this.#reserve = new DiskReserve(`${path}.reserve`);
    this.#files = new WatchedFiles([path, `${path}-wal`]);
  }

  /** Returns why the next write will fail, as far as is known: the files are gone, or their disk is full. */
  problem(): string | undefined {
    const lost = this.#lostFile();
    if (lost !== undefined) return lost;
    const { blocks, bavail, bsize } = statfsSync(dirname(this.path));
    // Some network file systems do not say their size.
    if (blocks > 0) this.#wasFull = bavail * bsize < (this.#wasFull ? neededBytes.space : neededBytes.full);
    return this.#wasFull ? describeDiskProblem("full", this.path) : undefined;
  }

  /** Returns why a write would be lost; undefined while the database's files are where they were. */
  #lostFile(): string | undefined {
    const missing = this.#files.missing();
    return missing === undefined
      ? undefined
      : `the file ${missing} of the service's state was deleted, moved or replaced while the service runs: stop the service, restore the files of its state, and start it again`;
  }

  /** Returns a prepared statement, the same for the same text. */
  sql(text: string): StatementSync {
    let statement = this.#prepared.get(text);
    if (statement === undefined) this.#prepared.set(text, (statement = this.database.prepare(text)));
    return statement;
  }

  transaction<Result>(work: () => Result): Result {
    this.database.exec("BEGIN IMMEDIATE");
    try {
      const result = work();
      this.database.exec("COMMIT");
      return result;
    } catch (error) {
      if (this.database.isTransaction) this.database.exec("ROLLBACK");
      throw error;
    }
  }

  /**
   * Runs a write.
   * @throws ServiceUnavailable when the disk is full or cannot be written, or the files are gone: nothing was stored.
   */
  write<Result>(work: () => Result): Result {
    const lost = this.#lostFile();
    if (lost !== undefined) {
      throw new errors.ServiceUnavailable("the service's state is lost, so nothing was stored: its operator must act", {
        cause: new Error(lost),
      });
    }
    try {
      const result = work();
      this.#reserve.restore();
      return result;
    } catch (cause) {
      const problem = diskProblem(cause);
      this.#wasFull ||= problem === "full";
      if (problem === undefined) throw cause;
      throw new errors.ServiceUnavailable(
        problem === "full"
          ? "the disk of the service's state is full, so nothing was stored: try again when there is space on it"
          : "the disk of the service's state cannot be written, so nothing was stored: try again later",
        { cause: new Error(describeDiskProblem(problem, this.path), { cause }) },
      );
    }
  }

  /** Runs a write for which disk space is reserved, such as the end of a query. @throws as {@link write} */
  writeUrgently<Result>(work: () => Result): Result {
    return this.write(() => {
      try {
        return work();
      } catch (error) {
        if (diskProblem(error) !== "full" || !this.#reserve.release()) throw error;
        return work();
      }
    });
  }
}
