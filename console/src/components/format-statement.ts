/** Lays a statement out: a line for each clause and column. Loaded when it is needed. */
import { formatDialect, hive } from "sql-formatter";
import { highlight } from "./hiveql";

const { tokenizerOptions } = hive;

/** Hive's dialect of the formatter with what it lacks: LATERAL VIEW, and literals such as `1L`. */
const dialect = {
  ...hive,
  name: "hiveql",
  tokenizerOptions: {
    ...tokenizerOptions,
    identChars: { allowFirstCharNumber: true },
    reservedClauses: [...tokenizerOptions.reservedClauses, "LATERAL VIEW", "LATERAL VIEW OUTER"],
  },
};

/**
 * Returns the statement with other white space between its words and nothing else changed.
 * @throws Error when it cannot be read
 */
export function formatStatement(statement: string): string {
  const formatted = formatDialect(statement, { dialect, keywordCase: "preserve", expressionWidth: 60 });
  if (!isSame(statement, formatted)) throw new Error("the formatter would change more than the white space");
  return formatted;
}

function isSame(before: string, after: string): boolean {
  const plain = (text: string) => text.replaceAll(/\s+/g, "");
  return plain(before) === plain(after) && quoted(before) === quoted(after);
}

/** The strings, names in backticks and comments of a statement, whose white space counts. */
function quoted(statement: string): string {
  const marked = highlight(statement).filter(
    ({ className, text }) => /string|comment/.test(className) || text.includes("`"),
  );
  return marked.map(({ text }) => text.trim()).join("\n");
}
