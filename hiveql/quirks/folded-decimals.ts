/** Decimals computed from literals. */
import { parse } from "../runtime/java/decimals";
import { minimalType } from "../tree/folding";
import { containsLiteral, isVolatile, readsColumns } from "../tree/facts";
import { type Position, unsupported } from "../syntax";
import type { Typed } from "../tree/nodes";
import { type HiveType, typeName } from "../tree/types";
import type { Quirk } from "./quirk";

export const quirk: Quirk = {
  id: "folded-decimals",
  hive: "4.0.1",
  title: "Decimals computed from literals",
  why: "Hive 4.0.1 folds them before it types the expression around them, and then computes with the digits of the value in some places and with those of its type in others.",
  example:
    "`x + cast(2 AS decimal(20,10))` of the decimal(10,2) 1.00 answers `3.00`, and `(x + cast(2 AS decimal(20,10))) * 1` answers `3.0000000000`.",
  refuses: "The translation folds such decimals exactly, and refuses them where their digits and their type differ.",
};

/**
 * What a construct reads of its operands: their values, the scales of a sum or of the values that it chooses from, or
 * their types. Inside of a function, Hive gives an operation of literals another type.
 */
type Use = "value" | "argument" | "sum" | "choice" | "type";

/**
 * Checks the operands of a construct.
 * @throws HiveQLError when the construct reads what Hive takes from the digits of a folded decimal in some places, and
 *   from its type in others.
 */
export function refuseUncertainDigits(use: Use, values: readonly Typed[], position: Position, construct: string): void {
  if (values.some((value) => hidesDigits(value) || (use === "argument" && value.isFolded)))
    throw unsupported(position, construct, hiddenDigitsReason);
  if (isUncertain(use, values)) throw unsupported(position, construct, uncertainDigitsReason);
}

const hiddenDigitsReason =
  "contains a quotient of literals or a CAST that rounds a literal, and Hive computes with rounded or unrounded digits depending on the place: write the result as a literal, or divide the column";

const uncertainDigitsReason =
  "contains a decimal computed from literals whose type has more digits than its value, such as cast(2 as decimal(20,10)), and Hive drops them in some places: write the value as a literal";

/**
 * Returns true when Hive folds a value with more digits than it shows: `0.005 / 3` shows 0.001667, and a CAST that
 * rounds a literal hides the digits that it drops.
 */
const hidesDigits = ({ foldedDigits, type }: Typed): boolean =>
  foldedDigits !== undefined && type.kind === "decimal" && parse(foldedDigits).scale > type.scale;

/** Returns true when what a construct reads differs between the types of folded decimals and those of their digits. */
function isUncertain(use: Use, values: readonly Typed[]): boolean {
  if (use === "value" || use === "argument") return false;
  if (values.some(({ hasPaddedScale }) => hasPaddedScale) && (use !== "choice" || values.some(isUnfolded))) return true;
  const shortest = values.map(minimalType);
  if (use === "type") return values.some(({ type }, index) => typeName(type) !== typeName(shortest[index] ?? type));
  if (use === "sum" && values.some(isUnknownFolded) && values.some(readsColumns)) return true;
  return (use === "sum" || values.some(isUnfolded)) && scaleOf(values.map(({ type }) => type)) !== scaleOf(shortest);
}

const isUnfolded = ({ type, foldedDigits }: Typed) => type.kind === "decimal" && foldedDigits === undefined;

/** Returns true for a decimal that Hive folds and whose value is unknown here. */
const isUnknownFolded = (value: Typed): boolean =>
  isUnfolded(value) &&
  value.constant === undefined &&
  !readsColumns(value) &&
  !isVolatile(value) &&
  !containsLiteral(value, (literal) => literal.value === null);

/** Returns true when the type of a folded decimal, or of a column of one, has a larger scale than its value needs. */
export const hasPaddedScale = (value: Typed): boolean =>
  value.hasPaddedScale === true || scaleOf([value.type]) !== scaleOf([minimalType(value)]);

const scaleOf = (of: readonly HiveType[]) =>
  Math.max(0, ...of.map((type) => (type.kind === "decimal" ? type.scale : 0)));
