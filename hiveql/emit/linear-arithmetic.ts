/** SQL of bigint arithmetic with literals, which wraps around as Java's does. */
import { macro, sql, weighed, type Fragment } from "../sql/fragment";
import type { Typed } from "../tree/nodes";
import { isInteger } from "../tree/types";

/** Maximum weight of operands that the SQL may repeat. */
export const maxInlineWeight = 250;

/**
 * Returns the SQL of operations with literals, such as `x * 2 + 1`, as one product and one sum. The literals tell the values
 * of `x` whose result fits: DuckDB compares a bigint with limits much faster than it converts operands to doubles, and
 * leaves the comparison out where the statistics of `x` answer it. Undefined without a literal.
 */
export function linearSql(operator: "+" | "-" | "*", left: Typed, right: Typed): Fragment | undefined {
  const form = linearOf(operator, left, right);
  const limits = form && limitsOf(form);
  if (!limits) return undefined;
  const { variable, factor, summand } = form;
  const [m, c, lower, upper] = [factor, summand, ...limits].map((value) => `CAST('${value}' AS BIGINT)`) as string[];
  const light = macro("hive_linear_bigint", variable, m!, c!, lower!, upper!);
  const wide = sql`CAST(${variable} AS HUGEINT) * CAST(${m!} AS HUGEINT) + CAST(${c!} AS HUGEINT)`;
  return weighed([variable], maxInlineWeight, light, macro("hive_wrap_bigint", wide));
}

/** A bigint that is `variable * factor + summand`, wrapped around once or after each operation, which is the same. */
interface Linear {
  readonly variable: Typed;
  readonly factor: bigint;
  readonly summand: bigint;
}

const linearForms = new WeakMap<object, Linear | undefined>();

function linearOf(operator: "+" | "-" | "*", left: Typed, right: Typed): Linear | undefined {
  const [first, second] = [integerLiteral(left), integerLiteral(right)];
  if (first === undefined && second === undefined) return undefined;
  const literal = (second ?? first)!;
  const { variable, factor, summand } = linearOperand(second === undefined ? right : left);
  const wrap = (value: bigint) => BigInt.asIntN(64, value);
  if (operator === "*") return { variable, factor: wrap(factor * literal), summand: wrap(summand * literal) };
  if (operator === "+") return { variable, factor, summand: wrap(summand + literal) };
  return second === undefined
    ? { variable, factor: wrap(-factor), summand: wrap(literal - summand) }
    : { variable, factor, summand: wrap(summand - literal) };
}

function linearOperand(operand: Typed): Linear {
  const { node } = operand;
  const itself = { variable: operand, factor: 1n, summand: 0n };
  if (node.kind !== "arithmetic" || node.to.kind !== "bigint") return itself;
  const { operator, operands } = node;
  if (operator !== "+" && operator !== "-" && operator !== "*") return itself;
  if (!linearForms.has(node)) linearForms.set(node, linearOf(operator, ...operands));
  return linearForms.get(node) ?? itself;
}

const [minBigint, maxBigint] = [-(2n ** 63n), 2n ** 63n - 1n] as const;

/** Returns the least and the greatest variable whose product and result are bigints; undefined if there is none. */
function limitsOf({ factor, summand }: Linear): readonly [bigint, bigint] | undefined {
  if (factor === 0n || factor === minBigint) return undefined;
  const size = factor < 0n ? -factor : factor;
  // The least and the greatest product whose sum is a bigint, too.
  const least = summand < 0n ? minBigint - summand : minBigint;
  const greatest = summand < 0n ? maxBigint : maxBigint - summand;
  const [lower, upper] = factor < 0n ? [-greatest, -least] : [least, greatest];
  const within = (value: bigint) => (value > maxBigint ? maxBigint : value);
  return [ceilDivided(lower, size), within(floorDivided(upper, size))];
}

const floorDivided = (value: bigint, size: bigint) => (value - (((value % size) + size) % size)) / size;
const ceilDivided = (value: bigint, size: bigint) => -floorDivided(-value, size);

/** Returns the value of an integer literal, also of one that is converted to bigint. */
function integerLiteral({ node, type }: Typed): bigint | undefined {
  const literal = node.kind === "cast" && type.kind === "bigint" ? node.operands[0] : undefined;
  const { node: value, type: written } = literal ?? { node, type };
  return value.kind === "literal" && value.text !== null && isInteger(written) ? BigInt(value.text) : undefined;
}
