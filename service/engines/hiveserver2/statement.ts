/** The statement as it is sent, and the way back from its positions to those of the statement as submitted. */
import { errors } from "../../../contract";
import type { HiveServerError } from "./client/errors";
import type { Dialect } from "./dialect";
import { resultName } from "./dialects/text";
import type { ExternalTable, PreparedStatement } from "../prepared-statement";

/** A statement whose tables are the temporary tables of a session. */
export interface RenderedStatement {
  readonly text: string;
  /** Returns the offset in the submitted statement, in code points, of one in the text. */
  originOf(offset: number): number;
}

/** Returns the name of a temporary table. */
export const tableName = (index: number) => `dag_t${index}`;

/** Puts the temporary tables in the places of the tables. */
export function renderStatement({ parts, tables }: PreparedStatement, dialect: Dialect): RenderedStatement {
  const starts: { readonly at: number; readonly origin: number; readonly text: string }[] = [];
  let text = "";
  for (const part of parts) {
    const rendered =
      part.kind === "table" ? dialect.tableSource(tableName(part.table), tables[part.table]!) : part.text;
    starts.push({ at: text.length, origin: part.origin, text: part.kind === "text" ? part.text : "" });
    text += rendered;
  }
  const originOf = (offset: number) => {
    const start = starts.findLast(({ at }) => at <= offset);
    return start ? start.origin + codePoints(start.text.slice(0, offset - start.at)) : 0;
  };
  return { text, originOf };
}

export interface SentStatement extends RenderedStatement {
  /** The statement as submitted. */
  readonly submitted: string;
  readonly tables: readonly ExternalTable[];
  /** Length of what was sent before the statement, in its first line. */
  readonly prefix: number;
  readonly dialect: Dialect;
}

/** Converts the server's refusal of a statement to InvalidDMLStatement with the position in the submitted statement. */
export function statementRefused(error: HiveServerError, sent: SentStatement) {
  const { reason, line, column } = sent.dialect.withoutPosition(error.message);
  const position =
    line === undefined || column === undefined ? { line: 1, column: 1 } : submittedPosition(sent, line, column);
  const { product, remedies } = sent.dialect;
  const text = withTableNames(reason, sent.tables).replaceAll(resultName, "the result");
  const remedy = error.code === undefined ? undefined : remedies[error.code];
  return new errors.InvalidDMLStatement(
    `query ${position.line}:${position.column} the ${product} server refuses it: ${text}${remedy === undefined ? "" : `: ${remedy}`}`,
    { field: "query" },
  );
}

/** Replaces the names of temporary tables by those of the tables. */
export function withTableNames(text: string, tables: readonly Pick<ExternalTable, "database" | "table">[]): string {
  return text.replace(/\bdag_t(\d+)\b/g, (name, index: string) => {
    const table = tables[Number(index)];
    return table ? `${table.database}.${table.table}` : name;
  });
}

function submittedPosition({ text, originOf, submitted, prefix }: SentStatement, line: number, column: number) {
  const lines = text.split("\n");
  const before = lines.slice(0, line - 1).reduce((sum, each) => sum + each.length + 1, 0);
  const offset = before + column - (line === 1 ? prefix : 0);
  const start = [...submitted].slice(0, originOf(Math.max(0, offset))).join("");
  const linesBefore = start.split("\n");
  return { line: linesBefore.length, column: linesBefore.at(-1)!.length + 1 };
}

const codePoints = (text: string) => [...text].length;
