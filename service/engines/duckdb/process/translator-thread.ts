/** The thread that parses and translates statements. */
import { parentPort } from "node:worker_threads";
import { HiveQLError, parseStatement, tablesRead, type HiveQLProblem, type Position } from "../../../../hiveql/syntax";
import { translate } from "../../../../hiveql/index";
import type { NamedTable, ResultQuery, TranslationTable } from "../translation";

/** A request to the thread. */
export type TranslatorRequest =
  | { readonly operation: "tablesRead"; readonly statement: string }
  | { readonly operation: "translate"; readonly statement: string; readonly tables: readonly TranslationTable[] };

/** A response of the thread. */
export type TranslatorAnswer =
  | { readonly tables: readonly NamedTable[] }
  | { readonly translation: ResultQuery }
  | { readonly refusal: Refusal }
  /** The statement is nested so deeply that it exceeds the thread's stack. */
  | { readonly tooDeep: true }
  | { readonly failure: string };

/** A serialised HiveQLError. */
export interface Refusal {
  readonly position: Position;
  readonly problem: HiveQLProblem;
  readonly construct: string;
  readonly reason: string;
}

function answer(request: TranslatorRequest): TranslatorAnswer {
  try {
    if (request.operation === "tablesRead") return { tables: tablesRead(parseStatement(request.statement)) };
    const known = new Map(request.tables.map((table) => [`${table.database}.${table.table}`, table]));
    const { fileSql, columns } = translate(request.statement, (database, table) => known.get(`${database}.${table}`));
    return { translation: { sql: fileSql, columnCount: columns.length } };
  } catch (error) {
    if (error instanceof RangeError) return { tooDeep: true };
    if (!(error instanceof HiveQLError)) return { failure: error instanceof Error ? error.message : String(error) };
    const { line, column, problem, construct, reason } = error;
    return { refusal: { position: { line, column }, problem, construct, reason } };
  }
}

const port = parentPort;
// oxlint-disable-next-line unicorn/require-post-message-target-origin -- a worker thread has no target origin
port?.on("message", (request: TranslatorRequest) => port.postMessage(answer(request)));
