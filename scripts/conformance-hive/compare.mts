/** Whether two answers are one. */
import { sameCell, sameRows } from "../hiveql-rows.mts";
import type { Answer } from "./answers.mts";
import { failures } from "./deviations.mts";

/** What comparing one statement gives. */
export type Outcome =
  | "same"
  /** Ours takes no such statement. */
  | "refused"
  /** Hive fails or refuses, and ours does too once it runs, or Hive's failure is one of the list. */
  | "refused by both"
  /** Ours answers where Hive refuses. */
  | "accepted only here"
  | "different";

/** Doubles of Java's and of C's libraries may differ in the last digit. */
const lastDigit = 1e-14;
/** Sums of doubles depend on the order of rows. */
const orderOfRows = 1e-9;

/** Compares the answers to an expression over rows, or to a whole query. */
export function compareAnswers(hive: Answer, ours: Answer, isQuery: boolean): Outcome {
  if (ours.kind === "refused") return hive.kind === "rows" ? "refused" : "refused by both";
  if (hive.kind !== "rows") {
    const isFailure = failures.some(({ message }) => message.test(hive.message));
    return ours.kind === "failed" || isFailure ? "refused by both" : "accepted only here";
  }
  if (ours.kind === "failed") return "different";
  return (isQuery ? sameQuery(hive, ours) : sameColumns(hive, ours)) ? "same" : "different";
}

type Rows = Extract<Answer, { kind: "rows" }>;

/** The values of one expression, whose rows stand in one order, and its type unless all are NULL. */
function sameColumns(hive: Rows, ours: Rows): boolean {
  const isNothing = [...hive.rows, ...ours.rows].every(([value]) => value === null);
  return (
    hive.rows.length === ours.rows.length &&
    (isNothing || typeIn(hive) === typeIn(ours)) &&
    hive.rows.every((row, index) => sameValue(row[0] ?? null, ours.rows[index]?.[0] ?? null, hive.types?.[0] ?? ""))
  );
}

/** The first column's type; what functions make of chars ours calls varchar, since Hive prints it as that. */
const typeIn = ({ types }: Rows) => types?.[0]?.replaceAll("varchar(", "char(");

/** Whether a value of a type is the same; only what holds numbers is compared as numbers. */
export function sameValue(hive: string | null, ours: string | null, type: string): boolean {
  if (hive === ours) return true;
  if (hive === null || ours === null) return false;
  if (/^(array|map|struct)/.test(type)) return sameCell(hive, ours, lastDigit);
  if (/^(float|double)/.test(type)) return Number(hive) === Number(ours) || sameCell(hive, ours, lastDigit);
  return type.startsWith("decimal") && trimmed(hive) === trimmed(ours);
}

/** A decimal without zeros at its end, which the protocol leaves out. */
const trimmed = (decimal: string) => (decimal.includes(".") ? decimal.replace(/\.?0+$/, "") : decimal);

function sameQuery(hive: Rows, ours: Rows): boolean {
  const lines = ({ rows }: Rows) => rows.map((row) => row.map((cell) => cell ?? "NULL").join("\t"));
  const by = ours.sortedBy ?? [];
  return sameRows(lines(hive), lines(ours), { isOrdered: by.length > 0, by, tolerance: orderOfRows });
}
