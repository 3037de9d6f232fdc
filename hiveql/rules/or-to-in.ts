/** OR of equalities. */
import type { KnownConstants } from "../tree/row-facts";
import { keyOf, same } from "../tree/same";
import type { LiteralEquality, Typed } from "../tree/nodes";
import { operation } from "../tree/typed";
import { constantValue } from "./constant-propagation";
import { conditionWithoutNegativeZero } from "../quirks/signed-zero";
import type { Quirk } from "../quirks/quirk";

export const rule: Quirk = {
  id: "or-to-in",
  hive: "4.0.1",
  title: "OR of equalities",
  why: "The optimizer of Hive 4.0.1 rewrites `(a = 1 AND b = 2) OR (a = 3 AND b = 4)` to IN of structs. A struct that contains NULL makes IN false, where SQL answers NULL.",
  example: "`(a = 1 AND b = 2) OR (a = 3 AND b = 4)` answers false, and not NULL, for `a` 1 and `b` NULL.",
  rewrites: "The translation emits the result of IN.",
};

/**
 * Returns the operands of OR as Hive computes them.
 * @param onlyTruth true when FALSE and NULL have the same effect: Hive then factors out common equalities.
 * @param constants values that are constant in all rows: Hive compares them with literals before it reads rows.
 */
export function orToIn(
  operands: readonly Typed[],
  onlyTruth: boolean,
  constants: KnownConstants = new Map(),
): readonly Typed[] {
  const common = onlyTruth ? commonPoints(operands) : new Set<string>();
  const rests = operands.map(({ literalEqualities = [] }) =>
    literalEqualities.some((point) => contradictsConstant(point, constants))
      ? []
      : literalEqualities.filter((point) => !common.has(textOf(point)) && !constantValue(point.value, constants)),
  );
  const groups = Map.groupBy(rests, valuesOf);
  const several = new Map([...groups].map(([key, group]) => [key, new Set(group.flat().map(textOf)).size > 1]));
  return operands.map((operand, index) => {
    const rest = rests[index] ?? [];
    const key = valuesOf(rest);
    if (rest.length === 0 || (groups.get(key)?.length ?? 0) < 2) return operand;
    const zero = rest.find(isZero);
    const isStruct = rest.some(({ value }) => rest[0] && !same(value, rest[0].value));
    const item = isStruct && !onlyTruth ? operation({ kind: "is true", operands: [operand] }, operand.type) : operand;
    return zero && (isStruct || several.get(key)) ? conditionWithoutNegativeZero(item, zero.value) : item;
  });
}

/** Returns true when a value has a known constant that differs from the literal. */
function contradictsConstant({ value, literal }: LiteralEquality, constants: KnownConstants): boolean {
  const constant = constantValue(value, constants);
  return constant !== undefined && literalText(constant) !== literalText(literal);
}

/** Returns the digits or text of a literal, whatever type it is converted to. */
function literalText(value: Typed): string {
  const { node } = value;
  if (node.kind === "pinned") return literalText(node.literal);
  return node.kind === "literal" ? (node.text ?? String(node.value)) : keyOf(value);
}

/** Returns the equalities of the operands of AND, if all operands are equalities with literals. */
export function conjunctionPoints(operands: readonly Typed[]): Pick<Typed, "literalEqualities"> {
  const points = operands.flatMap((operand) => operand.literalEqualities ?? []);
  return operands.every((operand) => operand.literalEqualities) ? { literalEqualities: points } : {};
}

const isZero = ({ value, literal }: LiteralEquality) =>
  (value.type.kind === "double" || value.type.kind === "float") && literal.constant === 0;

const textOf = ({ value, literal }: LiteralEquality) => `${keyOf(value)} = ${keyOf(literal)}`;

const valuesOf = (points: readonly LiteralEquality[]) =>
  [...new Set(points.map(({ value }) => keyOf(value)))].toSorted().join("\n");

function commonPoints(operands: readonly Typed[]): ReadonlySet<string> {
  const texts = operands.map(({ literalEqualities }) => new Set(literalEqualities?.map(textOf)));
  const [first = new Set<string>(), ...others] = texts;
  return new Set([...first].filter((text) => others.every((other) => other.has(text))));
}
