/** Lays a statement out: a line for each clause and column. Loaded when it is needed. */
import { formatDialect, hive } from "sql-formatter";

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

/** Strings, names in backticks and comments. */
const kept = /'(?:[^'\\]|\\[^])*'|"(?:[^"\\]|\\[^])*"|`[^`]*`|--.*|\/\*[^]*?\*\//g;

/** The parts of a statement whose white space counts; that before the lines of a comment does not. */
function quoted(statement: string): string {
  const parts = statement.match(kept) ?? [];
  return parts.map((part) => (part.startsWith("/*") ? part.replaceAll(/\n\s*/g, "\n") : part.trimEnd())).join("\n");
}
