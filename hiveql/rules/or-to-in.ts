/** OR of equalities. */
import { readsColumns } from "../tree/facts";
import type { Typed } from "../tree/nodes";
import type { Pass } from "../tree/rewrite";
import { keyOf, same } from "../tree/same";
import { operation, plain } from "../tree/typed";
import { isApproximate } from "../tree/types";
import { conditionWithoutNegativeZero } from "../quirks/signed-zero";
import type { Quirk } from "../quirks/quirk";
import { unconverted } from "./conditions";
import { type Constants, constantValue } from "./constant-propagation";

export const rule: Quirk = {
  id: "or-to-in",
  hive: "4.0.1",
  title: "OR of equalities",
  why: "The optimizer of Hive 4.0.1 rewrites `(a = 1 AND b = 2) OR (a = 3 AND b = 4)` to IN of structs. A struct that contains NULL makes IN false, where SQL answers NULL.",
  example: "`(a = 1 AND b = 2) OR (a = 3 AND b = 4)` answers false, and not NULL, for `a` 1 and `b` NULL.",
  rewrites: "The translation emits the result of IN.",
};

/** An equality of a value and a literal. */
interface Point {
  readonly value: Typed;
  readonly literal: Typed;
}

/**
 * Returns the pass that computes an OR as Hive does.
 * @param constants values that are constant in all rows: Hive compares them with literals before it reads rows.
 */
export const orToIn = (constants: () => Constants): Pass => ({
  after: (value, isFilter) => {
    const { node } = value;
    if (node.kind !== "or" || (node.written !== "or" && node.written !== "rows")) return value;
    const points = node.operands.map(pointsOf);
    if (points.filter((each) => each.length > 0).length < 2) return value;
    if (node.written === "rows" && points.some((each) => each.length === 0)) return value;
    const onlyTruth = isFilter && node.written === "or";
    return { ...value, node: { ...node, operands: asIn(node.operands, points, onlyTruth, constants()) } };
  },
});

/** Computes IN of rows without the optimizer: Hive compares structs, and a struct that contains NULL equals nothing. */
export const structRows: Pass = {
  after: (value) =>
    value.node.kind === "and" && value.node.written === "rows"
      ? { ...value, node: { kind: "is true", operands: [value] } }
      : value,
};

/** @param onlyTruth true when FALSE and NULL have the same effect: Hive then factors out common equalities. */
function asIn(
  operands: readonly Typed[],
  points: readonly (readonly Point[])[],
  onlyTruth: boolean,
  constants: Constants,
): readonly Typed[] {
  const common = onlyTruth ? commonPoints(points) : new Set<string>();
  const rests = points.map((each) =>
    each.some((point) => contradictsConstant(point, constants))
      ? []
      : each.filter((point) => !common.has(textOf(point)) && !constantValue(point.value, constants)),
  );
  const groups = Map.groupBy(rests, valuesOf);
  return operands.map((operand, index) => {
    const rest = rests[index] ?? [];
    const group = groups.get(valuesOf(rest)) ?? [];
    if (rest.length === 0 || group.length < 2) return operand;
    const zero = rest.find(isZero);
    const isStruct = rest.some(({ value }) => rest[0] && !same(value, rest[0].value));
    const item = isStruct && !onlyTruth ? operation({ kind: "is true", operands: [operand] }, operand.type) : operand;
    const isSeveral = new Set(group.flat().map(textOf)).size > 1;
    return zero && (isStruct || isSeveral) ? conditionWithoutNegativeZero(item, zero.value) : item;
  });
}

/** Returns the equalities of a value or of the operands of its AND, if all of them are equalities with literals. */
function pointsOf(condition: Typed): readonly Point[] {
  const { node } = plain(condition);
  switch (node.kind) {
    case "and": {
      const each = node.written !== "between" ? node.operands.map(pointsOf) : [];
      return each.every((points) => points.length > 0) ? each.flat() : [];
    }
    case "comparison":
      return node.operator === "=" ? pointOf(...node.operands) : [];
    case "in": {
      const [operand, item, second] = node.operands;
      return item && !second ? pointOf(operand, item) : [];
    }
    default:
      return [];
  }
}

function pointOf(left: Typed, right: Typed): readonly Point[] {
  const [value, literal] = readsColumns(left) ? [left, right] : [right, left];
  if (!readsColumns(value) || readsColumns(literal) || value.type.kind === "boolean") return [];
  return (unconverted(literal) ?? literal).constant === null ? [] : [{ value: plain(value), literal }];
}

/** Returns true when a value has a known constant that differs from the literal. */
function contradictsConstant({ value, literal }: Point, constants: Constants): boolean {
  const constant = constantValue(value, constants);
  return constant !== undefined && literalText(constant) !== literalText(literal);
}

/** Returns the digits or text of a literal, whatever type it is converted to. */
function literalText(given: Typed): string {
  const value = unconverted(given) ?? given;
  const { node } = value;
  if (node.kind === "pinned") return literalText(node.literal);
  return node.kind === "literal" ? (node.text ?? String(node.value)) : keyOf(value);
}

const isZero = ({ value, literal }: Point) =>
  isApproximate(value.type) && (unconverted(literal) ?? literal).constant === 0;

const textOf = ({ value, literal }: Point) => `${keyOf(value)} = ${keyOf(literal)}`;

const valuesOf = (points: readonly Point[]) =>
  [...new Set(points.map(({ value }) => keyOf(value)))].toSorted().join("\n");

function commonPoints(points: readonly (readonly Point[])[]): ReadonlySet<string> {
  const [first = new Set<string>(), ...others] = points.map((each) => new Set(each.map(textOf)));
  return new Set([...first].filter((text) => others.every((other) => other.has(text))));
}
