/** Compares the answers of both engines. */
import { sameCell, sameRows } from "../golden/rows.mts";
import type { Answer } from "./engine.mts";
import { hiveFailures } from "./deviations.mts";

/** The result of the comparison of one statement. */
export type Outcome =
  | "same"
  /** The embedded engine refuses the statement. */
  | "refused"
  /** Hive refuses the statement, and the embedded engine fails as well, or Hive's message is one of `hiveFailures`. */
  | "refused by both"
  /** The embedded engine returns rows, but Hive refuses the statement. */
  | "accepted only here"
  | "different"
  /** Hive gets the statement wrong: see `wrongInHive`. */
  | "left out";

/** Relative tolerance of variances and similar aggregates, because Hive computes them with other intermediate steps. */
const varianceTolerance = 1e-14;
/** Relative tolerance of sums of doubles, which depend on the order of rows. */
const sumTolerance = 1e-9;

/** What an answer is: the values of one expression over rows, or the rows of a query, whose order may count. */
export type AnswerKind = "column" | "rows" | "ordered rows";

/**
 * Compares the answers to an expression over rows, or to a whole query.
 * @param isRough true when the statement computes differences of sums, which may leave a rounding error instead of
 *   zero; tiny values then count as zero.
 */
export function compareAnswers(hive: Answer, embedded: Answer, kind: AnswerKind, isRough = false): Outcome {
  if (embedded.kind === "refused") return hive.kind === "rows" ? "refused" : "refused by both";
  if (hive.kind !== "rows") {
    const isFailure = hiveFailures.some(({ message }) => message.test(hive.message));
    return embedded.kind === "failed" || isFailure ? "refused by both" : "accepted only here";
  }
  if (embedded.kind === "failed") return "different";
  const [theirs, own] = isRough ? [withoutNoise(hive), withoutNoise(embedded)] : [hive, embedded];
  const isSame =
    kind === "column"
      ? sameColumns(theirs, own, isRough ? varianceTolerance : 0)
      : sameQuery(theirs, own, kind === "ordered rows");
  return isSame ? "same" : "different";
}

function withoutNoise(answer: Rows): Rows {
  const cleaned = (cell: string | null) =>
    cell !== null && /\de-/i.test(cell) && Math.abs(Number(cell)) < 1e-6 ? "0" : cell;
  return { ...answer, rows: answer.rows.map((row) => row.map(cleaned)) };
}

type Rows = Extract<Answer, { kind: "rows" }>;

/** Compares the values of one expression row by row, and its type unless all values are NULL. */
function sameColumns(hive: Rows, embedded: Rows, tolerance: number): boolean {
  const isAllNull = [...hive.rows, ...embedded.rows].every(([value]) => value === null);
  return (
    hive.rows.length === embedded.rows.length &&
    (isAllNull || comparableType(hive) === comparableType(embedded)) &&
    hive.rows.every((row, index) =>
      sameValue(row[0] ?? null, embedded.rows[index]?.[0] ?? null, hive.types?.[0] ?? "", tolerance),
    )
  );
}

/**
 * Removes the precision and scale of decimals in a type that Hive reports inconsistently: for nested decimals from
 * literals, Hive uses either the digits of the type or those of the value.
 */
const comparableType = ({ types }: Rows) =>
  normalizedType(types?.[0])
    ?.replaceAll(/(?<=[<,:])decimal\(\d+,\d+\)/g, "decimal")
    .replaceAll(/decimal\(\d+,/g, "decimal(");

/**
 * Maps types to one notation: the embedded engine has varchar where functions return chars, because Hive prints them
 * like varchars; for nested literals, Hive reports string.
 */
const normalizedType = (type: string | undefined) =>
  type?.replaceAll("varchar(", "char(").replaceAll(/(?<=[<,:])char\(\d+\)/g, "string");

/** Returns true when two values of a type are equal. Compares numbers only in types that contain numbers. */
export function sameValue(hive: string | null, embedded: string | null, type: string, tolerance = 0): boolean {
  if (hive === embedded) return true;
  if (hive === null || embedded === null) return false;
  if (/^(array|map|struct)/.test(type)) return sameCell(hive, embedded, tolerance);
  if (/^(float|double)/.test(type)) return Number(hive) === Number(embedded) || sameCell(hive, embedded, tolerance);
  return type.startsWith("decimal") && withoutTrailingZeros(hive) === withoutTrailingZeros(embedded);
}

/** Removes the trailing zeros of a decimal, which the Thrift protocol omits. */
const withoutTrailingZeros = (decimal: string) => (decimal.includes(".") ? decimal.replace(/\.?0+$/, "") : decimal);

/** Compares the rows of a query, in order when it has ORDER BY or their order counts, and the columns' types when Hive reports them. */
function sameQuery(hive: Rows, embedded: Rows, isOrdered: boolean): boolean {
  const kinds = (embedded.types ?? []).map((type, index) => comparisonOf(hive.types?.[index] ?? type));
  if (hive.types && !sameTypes(hive, embedded)) return false;
  const lines = ({ rows }: Rows) =>
    rows.map((row) => row.map((cell, index) => comparableCell(cell, kinds[index])).join("\t"));
  const by = embedded.sortedBy ?? [];
  return sameRows(lines(hive), lines(embedded), { isOrdered: isOrdered || by.length > 0, by, tolerance: sumTolerance });
}

/**
 * Compares the columns' types. Hive reports nested types without their elements, and decimals that are computed from
 * literals with fewer digits than typeof. A column that has only NULLs may have any type.
 */
function sameTypes(hive: Rows, embedded: Rows): boolean {
  return (embedded.types ?? []).every((type, index) => {
    if ([...hive.rows, ...embedded.rows].every((row) => (row[index] ?? null) === null)) return true;
    const plain = (each: string | undefined) => normalizedType(each)?.replace(/<.*|decimal\(\d+,/, "");
    return plain(hive.types?.[index]) === plain(type);
  });
}

function comparisonOf(type: string): "number" | "decimal" | "text" {
  if (/^(float|double|array|map|struct)/.test(type)) return "number";
  return type.startsWith("decimal") ? "decimal" : "text";
}

/** Formats a cell for `sameRows`: only values that may differ in their last digits look like numbers. */
function comparableCell(cell: string | null, kind: "number" | "decimal" | "text" | undefined): string {
  if (cell === null) return "NULL";
  // A job of Hive writes its result as text, in which an array or struct of one NULL is NULL.
  if (/^(?:\[+null\]+|\{"\w+":null\})$/.test(cell)) return "NULL";
  if (cell === '[""]') return "[]";
  if (kind === "number") return cell.replaceAll(/\{"\w+":null\}/g, "null");
  return `=${kind === "decimal" ? withoutTrailingZeros(cell) : cell.replaceAll("\t", " ")}`;
}
