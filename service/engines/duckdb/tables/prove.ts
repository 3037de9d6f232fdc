/** Types of columns that nobody declared, proved by reading every value. */
import type { DuckDBConnection } from "@duckdb/node-api";
import type { Column } from "../../../../contract";
import { quoteText } from "../sql";
import { typePatterns } from "./inference";
import { memberSummary } from "./json";
import type { ResolvedTable } from "./resolve";
import { textColumn, textScan } from "./text";

/** A column, and how its values are written, where that is known of all of them. */
export interface KnownColumn extends Column {
  /** Every value is NULL, empty or in the type's plain form; or even never empty. */
  readonly written?: "plain" | "plain-never-empty";
}

/**
 * The columns that all rows of a table have, given those that its first rows show.
 * @param parallel whether a file may be read by several threads.
 */
export async function proveColumns(
  connection: DuckDBConnection,
  resolved: ResolvedTable,
  parallel: boolean,
): Promise<KnownColumn[]> {
  return resolved.table.format === "json"
    ? proveMembers(connection, resolved)
    : proveTexts(connection, resolved, parallel);
}

/** Types that a column may turn out to have when its first values look like the key. */
const candidates: Readonly<Record<string, readonly string[]>> = {
  boolean: ["boolean"],
  bigint: ["bigint", "double"],
  double: ["double"],
  date: ["date"],
  timestamp: ["timestamp"],
};

async function proveTexts(
  connection: DuckDBConnection,
  { table: { format }, columns, files }: ResolvedTable,
  parallel: boolean,
): Promise<KnownColumn[]> {
  if (format === "json" || columns.length === 0) return [...columns];
  const tests = columns.flatMap(({ type }, index) =>
    (candidates[type] ?? []).map((candidate) => ({
      index,
      candidate,
      sql: allWrittenAs(textColumn(index), candidate),
    })),
  );
  const empties = columns.map((_, index) => `coalesce(bool_or(${textColumn(index)} = ''), false)`);
  if (tests.length === 0) return [...columns];
  const scan = textScan({ format, files, types: columns.map(() => "VARCHAR"), parallel });
  const reader = await connection.runAndReadAll(
    `SELECT ${[...tests.map(({ sql }) => sql), ...empties].join(", ")} FROM (${scan})`,
  );
  const [row = []] = reader.getRowsJson();
  return columns.map(({ name }, index) => {
    const proved = tests.find((test, position) => test.index === index && row[position] === true);
    if (proved === undefined) return { name, type: "string" };
    return {
      name,
      type: proved.candidate,
      written: row[tests.length + index] === true ? "plain" : "plain-never-empty",
    };
  });
}

/** SQL of whether every value of a text column is written as a type's values are. */
function allWrittenAs(text: string, type: string): string {
  const written = {
    boolean: `regexp_full_match(${text}, ${quoteText(typePatterns.boolean)})`,
    bigint: `${text} = TRY_CAST(${text} AS BIGINT)::VARCHAR AND length(${text}) <= 18`,
    double: `regexp_full_match(${text}, ${quoteText(typePatterns.double)})`,
    date: `${text} = TRY_CAST(${text} AS DATE)::VARCHAR AND length(${text}) = 10`,
    timestamp: `regexp_full_match(${text}, ${quoteText(typePatterns.timestamp)}) AND TRY_CAST(${text} AS TIMESTAMP) IS NOT NULL`,
  }[type];
  return `coalesce(bool_and(coalesce(${written}, false)) FILTER (${text} <> ''), false)`;
}

async function proveMembers(connection: DuckDBConnection, { columns, files }: ResolvedTable): Promise<KnownColumn[]> {
  const reader = await connection.runAndReadAll(memberSummary(files));
  const found = new Map(reader.getRowsJson().map(([name, ...flags]) => [String(name), flags]));
  const first = columns.map(({ name }) => name).filter((name) => found.has(name));
  const later = [...found.keys()].filter((name) => !first.includes(name)).toSorted();
  if (found.size === 0) return [...columns];
  return [...first, ...later].map((name) => {
    const [isBoolean, isInteger, isNumber] = found.get(name)!;
    const type = isBoolean ? "boolean" : isInteger ? "bigint" : isNumber ? "double" : "string";
    return type === "string" ? { name, type } : { name, type, written: "plain" };
  });
}
