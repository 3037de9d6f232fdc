/** What differs between the kinds of servers that speak HiveServer2's protocol. */
import type { Column } from "../../../contract";
import type { HiveSession } from "./client/session";
import type { Handle } from "./client/thrift";
import type { ExternalTable, Reader } from "../prepared-statement";

export interface Dialect {
  readonly name: Reader;
  /** The server's name in messages, such as `Hive`. */
  readonly product: string;
  /** The name by which a server calls itself, and the oldest version that can be used. */
  readonly server: { readonly name: string; readonly oldest: readonly [major: number, minor: number] };
  /** Settings of every session. Each keeps an answer, or what a statement can reach, as the embedded engine has it. */
  readonly settings: Readonly<Record<string, string>>;
  /** Returns the reason in a server's message, without stack traces and plans. */
  reason(message: string | null | undefined): string;
  /** Returns a reason without the position that it has, and that position: a line from 1, a column from 0. */
  withoutPosition(reason: string): { readonly reason: string; readonly line?: number; readonly column?: number };
  /** What to do about errors at the compilation, by the server's numbers; for some only. */
  readonly remedies: Readonly<Record<number, string>>;
  /** Returns the statements that create a temporary table over the files of a folder; none when none is needed. */
  createTable(name: string, table: ExternalTable, folder: string): readonly string[];
  /** Returns what stands in place of the name of a table: its temporary table, or a query over it. */
  tableSource(name: string, table: ExternalTable): string;
  /** The characters that {@link resultTexts} sends before a statement. */
  readonly describePrefix: string;
  /**
   * Compiles a statement, and returns how the columns of its result are written.
   * @throws HiveServerError with the position, InvalidDMLStatement for a column that cannot be written
   */
  resultTexts(session: HiveSession, statement: string): Promise<ResultText[]>;
  /** Returns the part of a statement that says where its rows are written, as text. */
  insertInto(folder: string): string;
  /** True when the statement that writes the result is compiled at a submission too. */
  readonly explainsInsert: boolean;
  /** The statement after which a session, with what it runs, outlives its connection; none where it cannot. */
  readonly outliveConnection?: string;
  /** The last line that the server logs for a statement; a server without logs of statements has none. */
  readonly lastLogLine?: RegExp;
  /** Returns the server's own name of a running statement. */
  jobId(session: HiveSession, operation: Handle): Promise<string>;
  /**
   * Returns the progress of a running statement, 0 to 100, if not the protocol but the server's own API reports it.
   * @throws ProgressError when it cannot be read
   */
  progress?(operation: Handle, signal: AbortSignal): Promise<number | undefined>;
}

/** A column of a result. */
export interface ResultText {
  /** The column as the server names it, with its Hive type. */
  readonly column: Column;
  /** Its name, if the statement that writes the result can call it so; otherwise it gives the columns other names. */
  readonly name?: string | undefined;
  /** Returns the text of its value. @param name of the column in the statement that writes the result */
  textOf(name: string): string;
}
