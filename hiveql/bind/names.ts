/** Names: columns, `alias.column`, struct fields, elements of arrays and maps. */
import { type Expression, semantic, unsupported } from "../syntax";
import { cast } from "../emit/conversions";
import { commonType } from "./coercion";
import type { Environment, Source, SourceColumn } from "./scope";
import { expression } from "./expression";
import { isColumn, sql, typed, type SqlExpression } from "../emit/fragment";
import { isGroupColumn } from "./grouping";
import { groupingId } from "./grouping-sets";
import { isInteger, quoteString, sameType, typeName } from "./types";

type NameNode = Extract<Expression, { kind: "name" | "field" }>;

/** Translates a column or a field of what stands before the dot. */
export function translateName(node: NameNode, environment: Environment): SqlExpression {
  if (node.kind === "name" && node.name === "grouping__id") {
    const id = groupingId(environment, node.position);
    if (id) return id;
  }
  const found = find(node, environment);
  if (found) return found;
  if (environment.parent) return expression(node, environment.parent);
  throw semantic(node.position, `column ${pathOf(node)}`, `is not among ${known(environment)}`);
}

/** Translates `array[n]` and `map[key]`; what is not there is NULL. */
export function translateIndex(node: Expression, base: SqlExpression, index: SqlExpression): SqlExpression {
  if (base.type.kind === "array") {
    if (!isInteger(index.type)) throw semantic(node.position, "index", "of an array must be a whole number");
    return typed(sql`${base}[CASE WHEN ${index} >= 0 THEN CAST(${index} AS BIGINT) + 1 END]`, base.type.element);
  }
  if (base.type.kind === "map") {
    const common = commonType(base.type.key, index.type);
    const key = common?.kind === base.type.key.kind ? cast(index, base.type.key) : undefined;
    if (isColumn(base) && isColumn(index) && sameType(base.type.key, index.type))
      throw unsupported(
        node.position,
        "key",
        "that is a column as it stands in the table, which Hive does not find where tables are text files; compute it, as in m[concat(k)] or m[k + 0], to find it in both",
      );
    if (!key) throw semantic(node.position, "key", `of ${typeName(base.type)} cannot be ${typeName(index.type)}`);
    return typed(sql`${base}[${key}]`, base.type.value);
  }
  throw semantic(node.position, "[ ]", `takes an array or a map and not ${typeName(base.type)}`);
}

/** A relation by the name that the statement gives it. */
export function sourceNamed(environment: Environment, alias: string): Source | undefined {
  return environment.sources.find((source) => source.alias === alias);
}

const indexes = new WeakMap<readonly Source[], ReadonlyMap<string, readonly SourceColumn[]>>();

/** The columns of a name that the relations of one query have. */
function columnsNamed({ sources }: Environment, name: string): readonly SourceColumn[] {
  let index = indexes.get(sources);
  if (!index) {
    index = Map.groupBy(
      sources.flatMap((source) => source.columns),
      (column) => column.name,
    );
    indexes.set(sources, index);
  }
  return index.get(name) ?? [];
}

/** The columns that `*` has of relations. */
export function shown(sources: readonly Source[]): readonly SourceColumn[] {
  const columns = sources.flatMap((source) => source.columns).filter(({ hidden }) => !hidden);
  const first = columns.filter((column) => column.first !== undefined);
  return [
    ...first.toSorted((left, right) => (left.first ?? 0) - (right.first ?? 0)),
    ...columns.filter((column) => column.first === undefined),
  ];
}

/** The value of a column where rows may be groups. */
export function columnValue(
  value: SqlExpression,
  name: string,
  node: Pick<Expression, "position">,
  environment: Environment,
): SqlExpression {
  if (!environment.grouping) return value;
  const key = environment.grouping.key(value);
  if (key) return key;
  throw semantic(node.position, `column ${name}`, "is neither in GROUP BY nor inside an aggregate");
}

function find(node: NameNode, environment: Environment): SqlExpression | undefined {
  if (node.kind === "name") return findColumn(node, environment);
  const qualified = node.base.kind === "name" ? findQualified(node, node.base.name, environment) : undefined;
  if (qualified) return qualified;
  const root = rootOf(node);
  if (root.kind === "name" && !resolvable(node, root.name, environment)) return undefined;
  return fieldOf(expression(node.base, environment), node);
}

/** Whether a dotted name begins here, and not in a query around this one. */
function resolvable(node: NameNode, root: string, environment: Environment): boolean {
  if (environment.aliases?.values.has(root) || columnsNamed(environment, root).length > 0) return true;
  return sourceNamed(environment, root) !== undefined && node.kind === "field" && node.base.kind !== "name";
}

function findColumn(node: Extract<NameNode, { kind: "name" }>, environment: Environment): SqlExpression | undefined {
  const alias = environment.aliases?.values.get(node.name);
  if (alias && environment.aliases?.first) return alias;
  const found = columnsNamed(environment, node.name);
  if (found.length > 1) throw semantic(node.position, `column ${node.name}`, "is ambiguous; say which table's it is");
  const [only] = found;
  if (!only && alias && environment.aliases?.ofGroups && (alias.constant !== undefined || !isGroupColumn(alias)))
    throw semantic(
      node.position,
      `column ${node.name}`,
      `is ${alias.constant === undefined ? "computed of groups in" : "a literal of"} the select list, which HAVING cannot name: aggregates and keys alone have names there`,
    );
  if (!alias) return only && columnValue(only.value, node.name, node, environment);
  try {
    if (only) return columnValue(only.value, node.name, node, environment);
  } catch {
    // The column stands in no group, so that the name is the select list's.
  }
  if (environment.aliases?.ofGroups) environment.shared.plan.isBeyond = true;
  return alias;
}

function findQualified(
  node: Extract<NameNode, { kind: "field" }>,
  alias: string,
  environment: Environment,
): SqlExpression | undefined {
  const source = sourceNamed(environment, alias);
  if (!source) return undefined;
  const found = source.columns.filter((column) => column.name === node.name);
  if (found.length > 1) throw semantic(node.position, `column ${alias}.${node.name}`, "is ambiguous");
  const [only] = found;
  if (only) return columnValue(only.value, `${alias}.${node.name}`, node, environment);
  if (columnsNamed(environment, alias).length > 0) return undefined;
  throw semantic(
    node.position,
    `column ${alias}.${node.name}`,
    `does not exist; ${alias} has ${list(source.columns.map((column) => column.name))}`,
  );
}

function fieldOf(base: SqlExpression, node: Extract<NameNode, { kind: "field" }>): SqlExpression {
  if (base.type.kind === "array" && base.type.element.kind === "struct") {
    throw unsupported(
      node.position,
      `field ${node.name}`,
      "of an array of structs is not supported by the embedded engine",
    );
  }
  if (base.type.kind !== "struct")
    throw semantic(node.position, `field ${node.name}`, `is taken of ${typeName(base.type)}, which has no fields`);
  const field = base.type.fields.find(({ name }) => name === node.name);
  if (!field) throw semantic(node.position, `field ${node.name}`, `does not exist in ${typeName(base.type)}`);
  return typed(sql`struct_extract(${base}, ${quoteString(field.name)})`, field.type);
}

function rootOf(node: NameNode): Expression {
  let root: Expression = node;
  while (root.kind === "field") root = root.base;
  return root;
}

function pathOf(node: Expression): string {
  if (node.kind === "name") return node.name;
  return node.kind === "field" ? `${pathOf(node.base)}.${node.name}` : "…";
}

function known(environment: Environment): string {
  return list(environment.sources.flatMap((source) => source.columns.map((column) => column.name)));
}

function list(names: readonly string[]): string {
  if (names.length === 0) return "the columns, of which there are none";
  return names.length > 12 ? `${names.slice(0, 12).join(", ")}, …` : names.join(", ");
}
