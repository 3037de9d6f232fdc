/** The database of a state file, with writes that a full disk cannot spoil. */
import type { DatabaseSync, StatementSync } from "node:sqlite";
import { errors } from "../../../contract";
import { describeDiskProblem, diskProblem } from "../../../storage/disk-errors";
import { DiskReserve } from "./disk-reserve";
import { WatchedFiles } from "./watched-files";

export class SqliteDatabase {
  readonly #reserve: DiskReserve;
  readonly #files: WatchedFiles;
  readonly #prepared = new Map<string, StatementSync>();

  /** @param path of the database's file */
  constructor(
    private readonly path: string,
    private readonly database: DatabaseSync,
  ) {
    this.#reserve = new DiskReserve(`${path}.reserve`);
    this.#files = new WatchedFiles([path, `${path}-wal`]);
  }

  /** Returns why a write would be lost; undefined while the database's files are where they were. */
  problem(): string | undefined {
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
    const lost = this.problem();
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
