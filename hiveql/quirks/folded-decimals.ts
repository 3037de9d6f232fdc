/** Decimals computed from literals. */
import { parse } from "../runtime/java/decimals";
import { minimalType } from "../tree/folding";
import { containsLiteral, isVolatile, readsColumns } from "../tree/facts";
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
 * Returns true when Hive folds a value with more digits than it shows: `0.005 / 3` shows 0.001667, and a CAST that
 * rounds a literal hides the digits that it drops.
 */
export const hidesDigits = ({ foldedDigits, type }: Typed): boolean =>
  foldedDigits !== undefined && type.kind === "decimal" && parse(foldedDigits).scale > type.scale;

export const hiddenDigitsReason =
  "contains a quotient of literals or a CAST that rounds a literal, and Hive computes with rounded or unrounded digits depending on the place: write the result as a literal, or divide the column";

/** Returns true for a folded decimal whose type is not the smallest that holds its value, and for a column of one. */
export const hasOtherDigits = (value: Typed): boolean =>
  value.hasPaddedScale === true || typeName(value.type) !== typeName(minimalType(value));

/** Returns true when the type of a folded decimal has a larger scale than its value needs. */
export const hasTrailingZeroScale = (value: Typed): boolean =>
  value.hasPaddedScale === true || scaleOf([value.type]) !== scaleOf([minimalType(value)]);

/** Returns true when the scale of a value made of several is uncertain: some are folded decimals, others columns. */
export const hasUncertainScale = (values: readonly Typed[]): boolean =>
  values.some((value) => value.type.kind === "decimal" && value.foldedDigits === undefined) && hasOtherScale(values);

export const uncertainScaleReason =
  "contains a decimal computed from literals whose type has more digits than its value, such as cast(2 as decimal(20,10)), and Hive drops them in some places: write the value as a literal";

/** Returns true when the largest scale of the values depends on whether folded decimals have that of their type. */
export const hasOtherScale = (values: readonly Typed[]): boolean =>
  values.some(({ hasPaddedScale }) => hasPaddedScale) ||
  scaleOf(values.map(({ type }) => type)) !== scaleOf(values.map(minimalType));

const scaleOf = (of: readonly HiveType[]) =>
  Math.max(0, ...of.map((type) => (type.kind === "decimal" ? type.scale : 0)));

/** Returns true for a decimal that Hive folds and whose value is unknown here. */
export const isUnknownFoldedDecimal = (value: Typed): boolean =>
  value.type.kind === "decimal" &&
  value.foldedDigits === undefined &&
  value.constant === undefined &&
  !readsColumns(value) &&
  !isVolatile(value) &&
  !containsLiteral(value, (literal) => literal.value === null);
