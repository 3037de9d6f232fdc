/** Infers the types of undeclared columns by reading every value. */
import type { DuckDBConnection } from "@duckdb/node-api";
import type { Column } from "../../../../../contract";
import { quoteLiteral } from "../../sql-quoting";
import { longerThanHeader } from "./contradictions";
import { doubleText, inferredTypes, typePatterns, type SampledColumn } from "./inference";
import { isCode, rarePart } from "./non-numbers";
import { memberSummary, valuesOfMember } from "../json/scan";
import type { ResolvedTable } from "../resolve";
import { textColumn, textScan } from "../text-scan";

/** A column, with the form of its values if that is known for all rows. */
export interface TypedColumn extends Column {
  /** `plain`: every value is NULL, empty or in the type's plain form. `plain-never-empty`: no value is empty either. */
  readonly form?: "plain" | "plain-never-empty";
  /** True when an empty text is NULL. @default false */
  readonly isEmptyNull?: boolean;
  /** The first value because of which a column whose values, or first ones, are numbers, dates or timestamps is a string. */
  readonly nonNumber?: string;
}

/**
 * Infers the columns of a table from all rows, given the columns that its first rows suggest.
 * @param parallel true when several threads may read a file.
 */
export async function inferColumnTypes(
  connection: DuckDBConnection,
  resolved: ResolvedTable,
  parallel: boolean,
): Promise<TypedColumn[]> {
  return resolved.format === "json"
    ? inferMemberTypes(connection, resolved)
    : inferTextColumnTypes(connection, resolved, parallel);
}

/** Maximum number of columns of a table without declared columns. */
export const maxInferredColumns = 1000;
/** Columns whose types one statement finds: DuckDB needs more than twice the time and memory for twice as many. */
const batchColumns = 250;

/** Stands for the type of a column of which no value is known. */
const unknownType = "unknown";

/** Returns the types that are tried for a column, by the type that its first values suggest. */
const candidates = (type: string): readonly string[] =>
  type === unknownType ? inferredTypes : type === "string" ? [] : [type];

async function inferTextColumnTypes(
  connection: DuckDBConnection,
  resolved: ResolvedTable,
  parallel: boolean,
): Promise<TypedColumn[]> {
  const { format, files } = resolved;
  if (format === "json" || resolved.columns.length === 0) return [...resolved.columns];
  const columns = await withLaterColumns(connection, resolved, parallel);
  if (columns.length > maxInferredColumns) return columns;
  // A header has all columns, so that cells beyond them would be lost.
  const hasHeader = files.some(({ header }) => header);
  const types = Array.from({ length: columns.length + (hasHeader ? 1 : 0) }, () => "VARCHAR");
  const scan = textScan({ format, files, types, parallel });
  const further = hasHeader ? furtherCell(columns.length) : "false";
  const found: TypedColumn[] = [];
  const filled: boolean[] = [];
  const tried = columns.map(({ name, type }, index): TriedColumn => ({ name, index, types: candidates(type) }));
  for (let start = 0; start < tried.length; start += batchColumns) {
    const batch = tried.slice(start, start + batchColumns);
    const inferred = await inferBatch(connection, scan, batch, start === 0 ? further : "false");
    if (inferred.hasFurther) throw await longerRow(connection, resolved);
    found.push(...inferred.columns);
    filled.push(...inferred.filled);
  }
  // Few columns begin with whole numbers and go on with others: the test for those, which costs most, is only for them.
  const widened = tried.filter(({ index }) => columns[index]!.type === "bigint" && found[index]!.type === "string");
  for (let start = 0; start < widened.length; start += batchColumns) {
    const batch = widened.slice(start, start + batchColumns).map((column) => ({ ...column, types: ["double"] }));
    const inferred = await inferBatch(connection, scan, batch, "false");
    for (const [position, { index }] of batch.entries()) found[index] = inferred.columns[position]!;
  }
  for (const [index, column] of found.entries()) {
    if (column.type !== "string" || filled[index] !== true) continue;
    const sampled = resolved.columns[index] ?? { isUnseen: true };
    const other = "nonNumber" in sampled ? sampled.nonNumber : await otherValue(connection, { scan, index, sampled });
    if (other !== undefined) found[index] = { ...column, nonNumber: other };
  }
  return found;
}

const isNumeric = (type: string) => type === "bigint" || type === "double";

const moments = ["date", "timestamp"] as const;

/** Returns a value because of which a column of other values in its first rows, or of none, is a string. */
async function otherValue(
  connection: DuckDBConnection,
  { scan, index, sampled }: { readonly scan: string; readonly index: number; readonly sampled: Partial<SampledColumn> },
): Promise<string | undefined> {
  const { type, isUnseen, isSparse } = sampled;
  const text = textColumn(index);
  const isWritten = (types: readonly string[]) => types.map((each) => isOfType(text, each)).join(" OR ");
  const values = `FROM (${scan}) WHERE ${text} <> ''`;
  const notWritten = (...types: readonly string[]) => `SELECT ${text} ${values} AND NOT (${isWritten(types)}) LIMIT 1`;
  /** Nothing or little is known of the values: one of few others. */
  const rare = (...types: readonly string[]) => {
    const is = isWritten(types);
    return `SELECT min(${text}) FILTER (NOT (${is})) ${values} HAVING count(*) FILTER (NOT (${is})) <= ${rarePart} * count(*) FILTER (${is})`;
  };
  if (isUnseen === true || isSparse === true) {
    const other = await firstFound(connection, [rare("bigint", "double"), rare(...moments)]);
    return other !== undefined && isCode(other) ? undefined : other;
  }
  if (isNumeric(type ?? "")) return firstFound(connection, [notWritten("bigint", "double"), notWritten("double")]);
  return type === "date" || type === "timestamp" ? firstFound(connection, [notWritten(...moments)]) : undefined;
}

/** Returns the value that the first statement with a row returns. */
async function firstFound(connection: DuckDBConnection, statements: readonly string[]): Promise<string | undefined> {
  for (const sql of statements) {
    const [value] = (await connection.runAndReadAll(sql)).getRowsJson()[0] ?? [];
    if (typeof value === "string") return value;
  }
  return undefined;
}

/** Returns SQL that is true when a row has a value in the cell of this index. */
const furtherCell = (index: number) => `coalesce(bool_or(${textColumn(index)} <> ''), false)`;

/** Returns the error for the first object, in the order of their names, of which a row has more cells than the header. */
async function longerRow(connection: DuckDBConnection, { format, files, columns }: ResolvedTable) {
  if (format === "json") throw new Error("json has no cells");
  const names = columns.map(({ name }) => name);
  const types = Array.from({ length: names.length + 1 }, () => "VARCHAR");
  let some = files;
  while (some.length > 1) {
    const half = some.slice(0, some.length / 2);
    const scan = textScan({ format, files: half, types, parallel: false });
    const [row] = (await connection.runAndReadAll(`SELECT ${furtherCell(names.length)} FROM (${scan})`)).getRowsJson();
    some = row?.[0] === true ? half : some.slice(half.length);
  }
  return longerThanHeader(some[0]!.location, format, { of: files.find(({ header }) => header)!.location, names });
}

/** Adds the columns of later rows that have more cells than the first ones. A header has all columns. */
async function withLaterColumns(
  connection: DuckDBConnection,
  { format, columns, files }: ResolvedTable,
  parallel: boolean,
): Promise<Column[]> {
  const all: Column[] = columns.map(({ name, type, isUnseen }) => ({ name, type: isUnseen ? unknownType : type }));
  if (format === "json" || files.some(({ header }) => header)) return all;
  for (let tried = 1; all.length <= maxInferredColumns; tried = batchColumns) {
    const types = Array.from({ length: all.length + tried }, () => "VARCHAR");
    const tests = types.map((_, index) => `coalesce(bool_or(${textColumn(index)} IS NOT NULL), false)`);
    const scan = textScan({ format, files, types, parallel });
    const reader = await connection.runAndReadAll(`SELECT ${tests.slice(all.length).join(", ")} FROM (${scan})`);
    const [row = []] = reader.getRowsJson();
    const found = row.lastIndexOf(true) + 1;
    for (let count = 0; count < found; count += 1) all.push({ name: `_c${all.length}`, type: unknownType });
    if (found < tried) break;
  }
  return all;
}

/** A column of a scan whose type is to be found. */
interface TriedColumn {
  readonly name: string;
  readonly index: number;
  /** The types that it may have, narrowest first. */
  readonly types: readonly string[];
}

/**
 * Infers the types of some columns of a scan.
 * @param further SQL of a test that is true when a row has more cells
 */
async function inferBatch(
  connection: DuckDBConnection,
  scan: string,
  columns: readonly TriedColumn[],
  further: string,
): Promise<{
  readonly columns: readonly TypedColumn[];
  /** Whether each column may have a value. */
  readonly filled: readonly boolean[];
  readonly hasFurther: boolean;
}> {
  const tests = columns.flatMap(({ index, types }) =>
    types.map((type) => ({ index, type, sql: allOfType(textColumn(index), type) })),
  );
  const isFilled = columns.map(({ types }) => types.length <= 1);
  if (tests.length === 0 && further === "false") {
    return { columns: columns.map(({ name }) => ({ name, type: "string" })), filled: isFilled, hasFurther: false };
  }
  const hasAny = (test: string) => `coalesce(bool_or(${test}), false)`;
  const empties = columns.map(({ index }) => hasAny(`${textColumn(index)} = ''`));
  const filled = columns.map(({ index }, position) =>
    isFilled[position] === true ? "true" : hasAny(`${textColumn(index)} <> ''`),
  );
  const reader = await connection.runAndReadAll(
    `SELECT ${[...tests.map(({ sql }) => sql), ...empties, ...filled, further].join(", ")} FROM (${scan})`,
  );
  const [row = []] = reader.getRowsJson();
  const found = columns.map(({ name, index }, position): TypedColumn => {
    const match = tests.find((test, at) => test.index === index && row[at] === true);
    if (match === undefined) return { name, type: "string" };
    return { name, type: match.type, form: row[tests.length + position] === true ? "plain" : "plain-never-empty" };
  });
  const filledFrom = tests.length + columns.length;
  return {
    columns: found,
    filled: columns.map((_, position) => row[filledFrom + position] === true),
    hasFurther: row.at(-1) === true,
  };
}

/** Returns SQL that is true when a text is written like the values of a type. */
function isOfType(text: string, type: string): string {
  const condition = {
    boolean: `regexp_full_match(${text}, ${quoteLiteral(typePatterns.boolean)})`,
    bigint: `${text} = TRY_CAST(${text} AS BIGINT)::VARCHAR`,
    double: doubleText(text),
    date: `${text} = TRY_CAST(${text} AS DATE)::VARCHAR AND length(${text}) = 10`,
    timestamp: `regexp_full_match(${text}, ${quoteLiteral(typePatterns.timestamp)}) AND TRY_CAST(${text} AS TIMESTAMP) IS NOT NULL`,
  }[type];
  return `coalesce(${condition}, false)`;
}

/** Returns SQL that is true when every value of a text column is written like the values of a type. */
function allOfType(text: string, type: string): string {
  // A FILTER would have buffers of its own for all columns, for each of them.
  return `coalesce(bool_and(CASE WHEN ${text} <> '' THEN ${isOfType(text, type)} END), false)`;
}

async function inferMemberTypes(
  connection: DuckDBConnection,
  { columns, files }: ResolvedTable,
): Promise<TypedColumn[]> {
  const reader = await connection.runAndReadAll(memberSummary(files));
  const found = new Map(reader.getRowsJson().map(([name, ...flags]) => [String(name), flags]));
  const first = columns.map(({ name }) => name).filter((name) => found.has(name));
  const later = [...found.keys()].filter((name) => !first.includes(name)).toSorted();
  if (found.size === 0) return [...columns];
  const typed: TypedColumn[] = [];
  for (const name of [...first, ...later]) {
    const [isBoolean, isInteger, isNumber] = found.get(name)!;
    const type = isBoolean ? "boolean" : isInteger ? "bigint" : isNumber ? "double" : "string";
    if (type !== "string") {
      typed.push({ name, type, form: "plain" });
      continue;
    }
    const sampled = columns.find((column) => column.name === name);
    const searches = isNumeric(sampled?.type ?? "")
      ? [valuesOfMember(files, name, "other"), valuesOfMember(files, name, "long")]
      : [];
    const nonNumber =
      sampled?.nonNumber ??
      (await firstFound(
        connection,
        searches.map((sql) => `${sql} LIMIT 1`),
      ));
    typed.push({ name, type, ...(nonNumber !== undefined && { nonNumber }) });
  }
  return typed;
}
