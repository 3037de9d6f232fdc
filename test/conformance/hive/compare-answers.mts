/** Whether two answers are one. */
import { sameCell, sameRows } from "../golden/rows.mts";
import type { Answer } from "./engine.mts";
import { hiveFailures } from "./deviations.mts";

/** What comparing one statement gives. */
export type Outcome =
  | "same"
  /** Ours takes no such statement. */
  | "refused"
  /** Hive fails or refuses, and embedded does too once it runs, or Hive's failure is one of the list. */
  | "refused by both"
  /** Ours answers where Hive refuses. */
  | "accepted only here"
  | "different";

/** Variances and their kin are computed in other steps. */
const varianceTolerance = 1e-14;
/** Sums of doubles depend on the order of rows. */
const sumTolerance = 1e-9;

/**
 * Compares the answers to an expression over rows, or to a whole query.
 * @param isRough whether the statement has differences of sums: what rounding leaves of one is taken for zero.
 */
export function compareAnswers(hive: Answer, embedded: Answer, isQuery: boolean, isRough = false): Outcome {
  if (embedded.kind === "refused") return hive.kind === "rows" ? "refused" : "refused by both";
  if (hive.kind !== "rows") {
    const isFailure = hiveFailures.some(({ message }) => message.test(hive.message));
    return embedded.kind === "failed" || isFailure ? "refused by both" : "accepted only here";
  }
  if (embedded.kind === "failed") return "different";
  const [theirs, own] = isRough ? [withoutNoise(hive), withoutNoise(embedded)] : [hive, embedded];
  const isSame = isQuery ? sameQuery(theirs, own) : sameColumns(theirs, own, isRough ? varianceTolerance : 0);
  return isSame ? "same" : "different";
}

function withoutNoise(answer: Rows): Rows {
  const cleaned = (cell: string | null) =>
    cell !== null && /\de-/i.test(cell) && Math.abs(Number(cell)) < 1e-6 ? "0" : cell;
  return { ...answer, rows: answer.rows.map((row) => row.map(cleaned)) };
}

type Rows = Extract<Answer, { kind: "rows" }>;

/** The values of one expression, whose rows stand in one order, and its type unless all are NULL. */
function sameColumns(hive: Rows, embedded: Rows, tolerance: number): boolean {
  const isNothing = [...hive.rows, ...embedded.rows].every(([value]) => value === null);
  return (
    hive.rows.length === embedded.rows.length &&
    (isNothing || comparableType(hive) === comparableType(embedded)) &&
    hive.rows.every((row, index) =>
      sameValue(row[0] ?? null, embedded.rows[index]?.[0] ?? null, hive.types?.[0] ?? "", tolerance),
    )
  );
}

/** Within others Hive gives decimals that literals make now the digits of their type and now those of their value. */
const comparableType = ({ types }: Rows) =>
  normalizedType(types?.[0])
    ?.replaceAll(/(?<=[<,:])decimal\(\d+,\d+\)/g, "decimal")
    .replaceAll(/decimal\(\d+,/g, "decimal(");

/** What functions make of chars embedded calls varchar, since Hive prints it as that; within others Hive calls literals strings. */
const normalizedType = (type: string | undefined) =>
  type?.replaceAll("varchar(", "char(").replaceAll(/(?<=[<,:])char\(\d+\)/g, "string");

/** Whether a value of a type is the same; only what holds numbers is compared as numbers. */
export function sameValue(hive: string | null, embedded: string | null, type: string, tolerance = 0): boolean {
  if (hive === embedded) return true;
  if (hive === null || embedded === null) return false;
  if (/^(array|map|struct)/.test(type)) return sameCell(hive, embedded, tolerance);
  if (/^(float|double)/.test(type)) return Number(hive) === Number(embedded) || sameCell(hive, embedded, tolerance);
  return type.startsWith("decimal") && withoutTrailingZeros(hive) === withoutTrailingZeros(embedded);
}

/** A decimal without zeros at its end, which the protocol leaves out. */
const withoutTrailingZeros = (decimal: string) => (decimal.includes(".") ? decimal.replace(/\.?0+$/, "") : decimal);

/** The rows of a whole query, in the order that it asks for, and its columns' types where Hive tells them. */
function sameQuery(hive: Rows, embedded: Rows): boolean {
  const kinds = (embedded.types ?? []).map((type, index) => comparisonOf(hive.types?.[index] ?? type));
  if (hive.types && !sameTypes(hive, embedded)) return false;
  const lines = ({ rows }: Rows) =>
    rows.map((row) => row.map((cell, index) => comparableCell(cell, kinds[index])).join("\t"));
  const by = embedded.sortedBy ?? [];
  return sameRows(lines(hive), lines(embedded), { isOrdered: by.length > 0, by, tolerance: sumTolerance });
}

/**
 * Of nested types Hive tells the kind alone, and of decimals that are computed from literals fewer digits than typeof
 * does; a column of NULLs alone may have any type.
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

/** Only what may differ in its last digits looks like a number. */
function comparableCell(cell: string | null, kind: "number" | "decimal" | "text" | undefined): string {
  if (cell === null) return "NULL";
  if (kind === "number") return cell;
  return `=${kind === "decimal" ? withoutTrailingZeros(cell) : cell.replaceAll("\t", " ")}`;
}
