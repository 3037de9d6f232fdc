/** The thread in which statements are parsed and translated. */
import { parentPort } from "node:worker_threads";
import { HiveQLError, parseStatement, tablesRead, type HiveQLProblem, type Position } from "../../../../hiveql/syntax";
import { translate } from "../../../../hiveql";
import type { NamedTable, Translation, TranslationTable } from "../translation";

/** What the thread is asked. */
export type TranslatorRequest =
  | { readonly operation: "tablesRead"; readonly statement: string }
  | { readonly operation: "translate"; readonly statement: string; readonly tables: readonly TranslationTable[] };

/** What it answers. */
export type TranslatorAnswer =
  | { readonly tables: readonly NamedTable[] }
  | { readonly translation: Translation }
  | { readonly refusal: Refusal }
  | { readonly failure: string };

/** A HiveQLError as it travels. */
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
    if (!(error instanceof HiveQLError)) return { failure: error instanceof Error ? error.message : String(error) };
    const { line, column, problem, construct, reason } = error;
    return { refusal: { position: { line, column }, problem, construct, reason } };
  }
}

const port = parentPort;
// oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread is no window
port?.on("message", (request: TranslatorRequest) => port.postMessage(answer(request)));
