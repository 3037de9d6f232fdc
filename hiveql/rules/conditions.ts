/** What conditions require of all rows that fulfil them: their conjuncts, and equalities. */
import { contains, isVolatile } from "../tree/facts";
import type { Typed } from "../tree/nodes";
import { keyOf, same } from "../tree/same";
import { plain } from "../tree/typed";

/** Two values that are equal in all rows. */
export type Equality = readonly [Typed, Typed];

/** Returns the operands of the ANDs of a condition. */
export const conjunctsOf = ({ node, ...value }: Typed): readonly Typed[] =>
  node.kind === "and" && node.written === "and" ? node.operands.flatMap(conjunctsOf) : [{ node, ...value }];

/**
 * Returns the equalities of conditions that all hold.
 * @param isOptimized false when Hive plans without its optimizer, and takes `<=>` as an equality too.
 */
export function equalitiesOf(conditions: readonly Typed[], isOptimized: boolean): readonly Equality[] {
  return [...conditions.flatMap((condition) => equalitiesIn(condition, isOptimized)), ...pointRanges(conditions)];
}

function equalitiesIn(condition: Typed, isOptimized: boolean): readonly Equality[] {
  const { node } = plain(condition);
  switch (node.kind) {
    case "or":
      return node.written === "between"
        ? []
        : commonEqualities(node.operands.map((each) => equalitiesOf(conjunctsOf(each), isOptimized)));
    case "comparison":
      return node.operator === "=" || (node.operator === "<=>" && !isOptimized) ? sidesOf(...node.operands) : [];
    case "in": {
      const [operand, item, ...others] = node.operands;
      return item && others.every((other) => same(other, item)) ? sidesOf(operand, item) : [];
    }
    default:
      return [];
  }
}

/** Returns the sides of an equality as they were before the comparison converted them; none for conversions that change values. */
function sidesOf(...operands: readonly [Typed, Typed]): readonly Equality[] {
  const sides = operands.map(unconverted).filter((side) => side !== undefined);
  const [left, right] = sides;
  return left && right && sides.every((side) => !isVolatile(side) && !contains(side, "query")) ? [[left, right]] : [];
}

/** Returns a value that a comparison converts, if it is a literal or the conversion keeps its value. */
export function unconverted(operand: Typed): Typed | undefined {
  const value = plain(operand);
  const { node } = value;
  if (node.kind !== "cast" || node.by !== "operator") return value;
  const [inner] = node.operands;
  const isKept = inner.node.kind === "literal" || (inner.type.kind === "decimal" && node.to.kind === "decimal");
  return isKept ? inner : undefined;
}

/** Returns the equalities of ranges with equal bounds, such as `x >= 1 AND x <= 1`. */
function pointRanges(conditions: readonly Typed[]): readonly Equality[] {
  const bounds = conditions.flatMap((condition) => {
    const { node } = plain(condition);
    return node.kind === "comparison"
      ? sidesOf(...node.operands).map((sides) => ({ operator: node.operator, sides }))
      : [];
  });
  const written = ({ sides }: { sides: Equality }) => sides.map(keyOf).join("\0");
  return bounds
    .filter((bound) => bound.operator === ">=")
    .filter((bound) => bounds.some((other) => other.operator === "<=" && written(other) === written(bound)))
    .map(({ sides }) => sides);
}

/** Returns the equalities with constants that hold in every branch of OR. */
function commonEqualities(branches: readonly (readonly Equality[])[]): readonly Equality[] {
  const [first = [], ...others] = branches;
  const isIn = ([left, right]: Equality, branch: readonly Equality[]) =>
    branch.some(([one, other]) => same(one, left) && same(other, right));
  return first.filter((equality) => others.every((branch) => isIn(equality, branch)));
}
