/** Constant propagation. */
import type { Equality, KnownConstants, RowFacts } from "../tree/row-facts";
import { conjuncts, type Expression, type Relation, type Select, unsupported } from "../syntax";
import { columnsOf, isVolatile } from "../tree/facts";
import { replaceColumns } from "../tree/replace";
import { keyOf, same } from "../tree/same";
import { comparisonType } from "../tree/coercion";
import { cast } from "../tree/cast";
import { columnBounds } from "./unsatisfiable-conditions";
import { expression, type Scope } from "../bind/scope";
import { sql } from "../tree/fragment";
import type { Typed } from "../tree/nodes";
import { typed } from "../tree/typed";
import { canBeGroupKey } from "../functions/kinds-of-calls";
import { coercedLiteral, coercedPair } from "../bind/literal-coercion";
import type { Plan } from "./plan";
import { duckType, sameType } from "../tree/types";
import type { Quirk } from "../quirks/quirk";

export const rule: Quirk = {
  id: "constant-propagation",
  hive: "4.0.1",
  title: "Constant propagation",
  why: "The optimizer of Hive 4.0.1 replaces a value that conditions fix to one constant by that constant, even in rows of GROUPING SETS, CUBE or ROLLUP in which the key is aggregated away and would be NULL.",
  example: "`SELECT k, count(*) FROM t WHERE k = 'a' GROUP BY k WITH ROLLUP` answers `a` in the grand total row too.",
  rewrites: "The translation derives the same constants from FROM and WHERE and shows them in place of the keys.",
};

/** Computes constants on the first call and caches them. A call during the computation gets no constants. */
export function computedOnce(compute: () => KnownConstants): () => KnownConstants {
  let known: KnownConstants | undefined;
  return () => {
    if (known) return known;
    known = new Map();
    known = compute();
    return known;
  };
}

export const emptyFacts: RowFacts = {
  constants: () => new Map(),
  equalities: () => [],
  bounds: () => [],
  ignoredColumns: new Set(),
};

/** Combines the facts of two relations or conditions that hold together. */
export function mergeFacts(left: RowFacts, right: RowFacts): RowFacts {
  return {
    constants: () => new Map([...left.constants(), ...right.constants()]),
    equalities: () => [...left.equalities(), ...right.equalities()],
    bounds: () => [...left.bounds(), ...right.bounds()],
    ignoredColumns: new Set([...left.ignoredColumns, ...right.ignoredColumns]),
  };
}

/** Adds a condition that all rows fulfil. */
export function addCondition(facts: RowFacts, condition: Expression | undefined, scope: Scope): RowFacts {
  if (!condition) return facts;
  return {
    ...facts,
    equalities: () => [...facts.equalities(), ...equalitiesOf(condition, scope)],
    bounds: () => [...facts.bounds(), ...columnBounds(condition, scope)],
  };
}

/** Returns every value that the facts fix to a constant, after propagation through equalities. */
export function knownConstants(
  { constants, equalities, ignoredColumns }: RowFacts,
  { isOptimized }: Plan,
): KnownConstants {
  const usable = equalities().filter((sides) =>
    sides.every((side) => ![...columnsOf(side).keys()].some((column) => ignoredColumns.has(column))),
  );
  return propagate(constants(), usable, !isOptimized);
}

/** Returns the constant that a value is in all rows; undefined when it can differ. */
export function constantValue(value: Typed, constants: KnownConstants): Typed | undefined {
  const known = constants.get(keyOf(value));
  if (known || value.constant === null) return known;
  if (value.constant !== undefined) return value;
  if (isVolatile(value) || [...columnsOf(value).keys()].some((column) => !constants.has(column))) return undefined;
  return typed(replaceColumns(value, constants), value.type);
}

/** Returns the keys of grouping sets that Hive shows in rows in which they are aggregated away. */
export function constantKeys(keys: readonly Typed[], constants: KnownConstants): KnownConstants {
  return new Map(
    keys.flatMap((key) => {
      const constant = key.constant === undefined ? constantValue(key, constants) : undefined;
      return constant ? [[keyOf(key), constant] as const] : [];
    }),
  );
}

/**
 * Checks statements that Hive plans without its optimizer. Hive then finds constants by other rules, and only
 * equalities of a table's columns in the ANDs of WHERE are certain.
 * @throws HiveQLError when it is uncertain whether Hive shows a key as a constant.
 */
export function refuseUncertainConstantKeys(
  keys: readonly Typed[],
  pinned: KnownConstants,
  select: Select,
  base: Scope,
): void {
  if (base.context.plan.isOptimized) return;
  const written = new Set(
    conjuncts(select.where).flatMap((node) =>
      node.kind === "binary" && isEquality(node, base) ? columnOf(equality(node, base)) : [],
    ),
  );
  const mentioned = keys.filter((key) => pinned.has(keyOf(key)) || written.has(keyOf(key)));
  if (mentioned.length === 0) return;
  if (!isOfTables(select.from) || mentioned.some((key) => !pinned.has(keyOf(key)) || !written.has(keyOf(key))))
    throw unsupported(
      select.where?.position ?? select.position,
      "WHERE",
      "fixes a key of grouping sets to a constant in a statement that Hive plans without its optimizer, for example because of an alias in HAVING: replace the alias by its expression",
    );
}

/** Returns the column that an equality compares with a literal. */
const columnOf = (sides: readonly Equality[]): string[] =>
  sides.flatMap(([left, right]) => {
    if ((left.constant === undefined) === (right.constant === undefined)) return [];
    const column = left.constant === undefined ? left : right;
    return column.node.kind === "column" ? [keyOf(column)] : [];
  });

const isOfTables = (relation: Relation | undefined): boolean =>
  relation?.kind === "table" || (relation?.kind === "join" && isOfTables(relation.left) && isOfTables(relation.right));

function propagate(given: KnownConstants, equalities: readonly Equality[], takesBooleans = false): KnownConstants {
  const constants = new Map(given);
  for (let size = -1; size < constants.size;) {
    size = constants.size;
    for (const [left, right] of equalities) {
      if (!takesBooleans && left.type.kind === "boolean") continue;
      recordConstant(left, constantValue(right, constants), constants);
      recordConstant(right, constantValue(left, constants), constants);
    }
  }
  return constants;
}

/** Records the constant of a value, if the value is compared in its own type. */
function recordConstant(value: Typed, constant: Typed | undefined, constants: Map<string, Typed>) {
  if (!constant || value.constant !== undefined || constants.has(keyOf(value))) return;
  const type = comparisonType(value.type, constant.type);
  if (!type || !(sameType(type, value.type) || (type.kind === "decimal" && value.type.kind === "decimal"))) return;
  const converted = cast(constant, value.type);
  if (!converted) return;
  const node = { kind: "pinned", literal: constant, sql: sql`CAST(${converted} AS ${duckType(value.type)})` } as const;
  constants.set(keyOf(value), { node, type: value.type });
}

function equalitiesOf(node: Expression, scope: Scope): readonly Equality[] {
  switch (node.kind) {
    case "logical":
      if (node.operator === "or") return commonEqualities(node.operands.map((each) => equalitiesOf(each, scope)));
      return [...node.operands.flatMap((each) => equalitiesOf(each, scope)), ...pointRanges(node.operands, scope)];
    case "unary":
      if (node.operator !== "not" || node.operand.kind !== "binary" || node.operand.operator !== "<>") return [];
      return equalitiesOf({ ...node.operand, operator: "=" }, scope);
    case "binary":
      return isEquality(node, scope) ? equality(node, scope) : [];
    case "in":
      return node.not ? [] : onlyItem(node, scope);
    default:
      return [];
  }
}

type Node<Kind extends Expression["kind"]> = Extract<Expression, { kind: Kind }>;

/** Returns true for `=`, and for `<=>` too when Hive plans without its optimizer. */
const isEquality = ({ operator }: Node<"binary">, { context }: Scope) =>
  operator === "=" || (operator === "<=>" && !context.plan.isOptimized);

function equality({ left, right }: Node<"binary">, scope: Scope): readonly Equality[] {
  if (!canBeGroupKey(left) || !canBeGroupKey(right)) return [];
  return [coercedPair(left, expression(left, scope), right, expression(right, scope))];
}

/** Returns the equality of IN with one distinct value, such as `x IN (1, 1)`. */
function onlyItem(node: Node<"in">, scope: Scope): readonly Equality[] {
  if (node.operand.kind === "row" || !canBeGroupKey(node.operand) || !node.items.every(canBeGroupKey)) return [];
  const operand = expression(node.operand, scope);
  const items = node.items.map((item) => coercedLiteral(expression(item, scope), operand.type));
  const [only] = items;
  return only && items.every((item) => item && same(item, only)) ? [[operand, only]] : [];
}

/** Returns the equalities of ranges with equal bounds, such as `x >= 1 AND x <= 1`. */
function pointRanges(operands: readonly Expression[], scope: Scope): readonly Equality[] {
  const bounds = operands.flatMap((node) =>
    node.kind === "binary" && (node.operator === "<=" || node.operator === ">=")
      ? equality(node, scope).map((sides) => ({ operator: node.operator, sides }))
      : [],
  );
  const written = ({ sides }: { sides: Equality }) => sides.map(keyOf).join("\0");
  return bounds
    .filter((bound) => bound.operator === ">=")
    .filter((bound) => bounds.some((other) => other.operator === "<=" && written(other) === written(bound)))
    .map(({ sides }) => sides);
}

/** Returns the equalities that all branches of OR imply. */
function commonEqualities(branches: readonly (readonly Equality[])[]): readonly Equality[] {
  const sides = branches.flat(2);
  const isSameConstant = (other: Typed | undefined, constant: Typed) => other !== undefined && same(other, constant);
  const [first, ...others] = branches.map((branch) => propagate(new Map(), branch));
  return [...(first ?? [])]
    .filter(([key, constant]) => others.every((other) => isSameConstant(other.get(key), constant)))
    .flatMap(([key, constant]) =>
      sides
        .filter((side) => keyOf(side) === key)
        .slice(0, 1)
        .map((side): Equality => [side, constant]),
    );
}
