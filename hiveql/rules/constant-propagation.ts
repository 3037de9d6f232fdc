/**
 * Values that conditions pin to one constant. Hive's optimizer puts the constant in their place, also where a row of
 * GROUPING SETS, CUBE or ROLLUP has NULL for a key that is aggregated away: with `WHERE k = 'a'` every row shows `a`.
 */
import { type Expression, type Relation, type Select, unsupported } from "../syntax";
import { comparisonType } from "../bind/coercion";
import { cast } from "../emit/conversions";
import { type Bound, boundsOf } from "./contradictions";
import type { Environment } from "../bind/scope";
import { expression } from "../bind/expression";
import { columnPattern, raw, relationsOf, sql, typed, type SqlExpression } from "../emit/fragment";
import { isPlain } from "../bind/grouping";
import { coercedLiteral, coercedPair } from "../bind/literal-coercion";
import type { Plan } from "./plan";
import { duckType, sameType } from "../bind/types";

/** Values that are equal in all rows. */
export type Equality = readonly [SqlExpression, SqlExpression];

/** Constants by the SQL of what they pin. */
export type KnownConstants = ReadonlyMap<string, SqlExpression>;

/** What Hive knows of the rows of a FROM; computed when it is asked for. */
export interface Facts {
  readonly pins: () => KnownConstants;
  readonly equalities: () => readonly Equality[];
  /** What conditions say of single columns. */
  readonly bounds: () => readonly Bound[];
  /** Relations under a LATERAL VIEW, of whose columns Hive forgets what conditions say. */
  readonly forgotten: ReadonlySet<string>;
}

/** Keeps what a computation gives, which is done when it is first asked for; nothing is known while it goes on. */
export function onlyOnce(compute: () => KnownConstants): () => KnownConstants {
  let known: KnownConstants | undefined;
  return () => {
    if (known) return known;
    known = new Map();
    known = compute();
    return known;
  };
}

export const noFacts: Facts = { pins: () => new Map(), equalities: () => [], bounds: () => [], forgotten: new Set() };

/** What is known where both hold. */
export function bothFacts(left: Facts, right: Facts): Facts {
  return {
    pins: () => new Map([...left.pins(), ...right.pins()]),
    equalities: () => [...left.equalities(), ...right.equalities()],
    bounds: () => [...left.bounds(), ...right.bounds()],
    forgotten: new Set([...left.forgotten, ...right.forgotten]),
  };
}

/** The same with a condition that all rows fulfil. */
export function withCondition(facts: Facts, condition: Expression | undefined, environment: Environment): Facts {
  if (!condition) return facts;
  return {
    ...facts,
    equalities: () => [...facts.equalities(), ...equalitiesOf(condition, environment)],
    bounds: () => [...facts.bounds(), ...boundsOf(condition, environment)],
  };
}

/** Every value that the facts pin, once what they say of one is told to those that are equal to it. */
export function knownConstants({ pins, equalities, forgotten }: Facts, { isOptimized }: Plan): KnownConstants {
  const usable = equalities().filter((sides) =>
    sides.every((side) => !relationsOf(side).some((name) => forgotten.has(name))),
  );
  return solved(pins(), usable, !isOptimized);
}

/** The constant that a value is in all rows; undefined where it may differ. */
export function constantOf(value: SqlExpression, pins: KnownConstants): SqlExpression | undefined {
  const known = pins.get(value.sql);
  if (known || value.constant === null) return known;
  if (value.constant !== undefined) return value;
  if (unsteady.test(value.sql)) return undefined;
  const columns = [...value.sql.matchAll(columnPattern)].map(([name]) => pins.get(name));
  if (columns.includes(undefined)) return undefined;
  return typed(raw(value.sql.replaceAll(columnPattern, (name) => pins.get(name)?.sql ?? name)), value.type);
}

/** The keys of grouping sets that Hive shows where they are aggregated away. */
export function constantKeys(keys: readonly SqlExpression[], pins: KnownConstants): KnownConstants {
  return new Map(
    keys.flatMap((key) => {
      const constant = key.constant === undefined ? constantOf(key, pins) : undefined;
      return constant ? [[key.sql, constant] as const] : [];
    }),
  );
}

/**
 * Without its optimizer Hive sees other equalities: sure is what WHERE says of a table's columns, joined by AND.
 * @throws HiveQLError where a key may be shown or not.
 */
export function checkConstants(keys: readonly SqlExpression[], pinned: KnownConstants, select: Select, base: Environment): void {
  if (base.shared.plan.isOptimized) return;
  const written = new Set(
    operandsOf(select.where).flatMap((node) =>
      node.kind === "binary" && isEquality(node, base) ? columnOf(equality(node, base)) : [],
    ),
  );
  const mentioned = keys.filter((key) => pinned.has(key.sql) || written.has(key.sql));
  if (mentioned.length === 0) return;
  if (!isOfTables(select.from) || mentioned.some((key) => !pinned.has(key.sql) || !written.has(key.sql)))
    throw unsupported(
      select.where?.position ?? select.position,
      "WHERE",
      "pins a key of grouping sets beside what Hive plans without its optimizer, such as an alias in HAVING: write what the alias names",
    );
}

/** What AND joins. */
export const operandsOf = (node: Expression | undefined): readonly Expression[] =>
  node?.kind === "logical" && node.operator === "and" ? node.operands.flatMap(operandsOf) : node ? [node] : [];

/** The column that is equal to a literal. */
const columnOf = (sides: readonly Equality[]): string[] =>
  sides.flatMap(([left, right]) => {
    if ((left.constant === undefined) === (right.constant === undefined)) return [];
    const { sql: text } = left.constant === undefined ? left : right;
    return text.replace(columnPattern, "") === "" ? [text] : [];
  });

const isOfTables = (relation: Relation | undefined): boolean =>
  relation?.kind === "table" || (relation?.kind === "join" && isOfTables(relation.left) && isOfTables(relation.right));

/** What Hive computes for each row or over several, though no column stands in it. */
const unsteady = /\b(?:OVER|SELECT|random|uuid|error)\b|count\(\*\)/i;

function solved(given: KnownConstants, equalities: readonly Equality[], takesBooleans = false): KnownConstants {
  const pins = new Map(given);
  for (let size = -1; size < pins.size;) {
    size = pins.size;
    for (const [left, right] of equalities) {
      if (!takesBooleans && left.type.kind === "boolean") continue;
      pin(left, constantOf(right, pins), pins);
      pin(right, constantOf(left, pins), pins);
    }
  }
  return pins;
}

/** Pins a value where it is compared in its own type. */
function pin(value: SqlExpression, constant: SqlExpression | undefined, pins: Map<string, SqlExpression>) {
  if (!constant || value.constant !== undefined || pins.has(value.sql)) return;
  const type = comparisonType(value.type, constant.type);
  if (!type || !(sameType(type, value.type) || (type.kind === "decimal" && value.type.kind === "decimal"))) return;
  const same = cast(constant, value.type);
  if (same) pins.set(value.sql, typed(sql`CAST(${same} AS ${duckType(value.type)})`, value.type));
}

function equalitiesOf(node: Expression, environment: Environment): readonly Equality[] {
  switch (node.kind) {
    case "logical":
      if (node.operator === "or") return sharedBy(node.operands.map((each) => equalitiesOf(each, environment)));
      return [
        ...node.operands.flatMap((each) => equalitiesOf(each, environment)),
        ...meetingBounds(node.operands, environment),
      ];
    case "unary":
      if (node.operator !== "not" || node.operand.kind !== "binary" || node.operand.operator !== "<>") return [];
      return equalitiesOf({ ...node.operand, operator: "=" }, environment);
    case "binary":
      return isEquality(node, environment) ? equality(node, environment) : [];
    case "in":
      return node.not ? [] : onlyItem(node, environment);
    default:
      return [];
  }
}

type Node<Kind extends Expression["kind"]> = Extract<Expression, { kind: Kind }>;

/** Without its optimizer Hive reads `<=>` too. */
const isEquality = ({ operator }: Node<"binary">, { shared }: Environment) =>
  operator === "=" || (operator === "<=>" && !shared.plan.isOptimized);

function equality({ left, right }: Node<"binary">, environment: Environment): readonly Equality[] {
  if (!isPlain(left) || !isPlain(right)) return [];
  return [coercedPair(left, expression(left, environment), right, expression(right, environment))];
}

/** IN with one value, however often it is written. */
function onlyItem(node: Node<"in">, environment: Environment): readonly Equality[] {
  if (node.operand.kind === "row" || !isPlain(node.operand) || !node.items.every(isPlain)) return [];
  const operand = expression(node.operand, environment);
  const items = node.items.map((item) => coercedLiteral(expression(item, environment), operand.type));
  const [only] = items;
  return only && items.every((item) => item?.sql === only.sql) ? [[operand, only]] : [];
}

/** `x >= 1 AND x <= 1`. */
function meetingBounds(operands: readonly Expression[], environment: Environment): readonly Equality[] {
  const bounds = operands.flatMap((node) =>
    node.kind === "binary" && (node.operator === "<=" || node.operator === ">=")
      ? equality(node, environment).map((sides) => ({ operator: node.operator, sides }))
      : [],
  );
  const written = ({ sides }: { sides: Equality }) => sides.map((side) => side.sql).join("\0");
  return bounds
    .filter((bound) => bound.operator === ">=")
    .filter((bound) => bounds.some((other) => other.operator === "<=" && written(other) === written(bound)))
    .map(({ sides }) => sides);
}

/** What all branches of OR pin to the same constants. */
function sharedBy(branches: readonly (readonly Equality[])[]): readonly Equality[] {
  const [first, ...others] = branches.map((branch) => solved(new Map(), branch));
  return [...(first ?? [])]
    .filter(([name, constant]) => others.every((other) => other.get(name)?.sql === constant.sql))
    .map(([name, constant]) => [typed(raw(name), constant.type), constant]);
}
