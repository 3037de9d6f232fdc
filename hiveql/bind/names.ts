/** Name resolution: columns, `alias.column`, struct fields, and elements of arrays and maps. */
import { didYouMean, type Expression, noSuchColumn, semantic, subexpressions, unsupported } from "../syntax";
import { cast } from "../tree/cast";
import { commonType } from "../tree/coercion";
import type { Source, SourceColumn } from "./relations";
import { expression, type Scope } from "./scope";
import { isGroupColumn } from "../tree/facts";
import type { Typed } from "../tree/nodes";
import { operation } from "../tree/typed";
import { groupingId } from "./query/grouping-sets";
import { arrayOf, isInteger, isText, typeName } from "../tree/types";

type NameNode = Extract<Expression, { kind: "name" | "field" }>;

/** Binds a column, or a field of the expression before the dot. */
export function bindName(node: NameNode, scope: Scope): Typed {
  if (node.kind === "name" && node.name === "grouping__id") {
    const id = groupingId(scope);
    if (id) return id;
  }
  const found = findName(node, scope);
  if (found) return found;
  if (scope.parent) return expression(node, scope.parent);
  if (node.kind === "name") {
    refuseVirtualColumn(node);
    refuseAlias(node, scope);
  }
  refuseDatabase(node, scope);
  throw noSuchColumn(node.position, pathOf(node), scope.sources.flatMap(namesOf), { mistaken: mistaken(node, scope) });
}

/** Hive's virtual columns, which say where a row stands in the files of its table, with what to write instead. */
const virtualColumns: ReadonlyMap<string, string> = new Map([
  [
    "input__file__name",
    "belongs to the tables in FROM: select it, with an alias, in the subquery that reads the table",
  ],
  ...["block__offset__inside__file", "row__offset__inside__block"].map(
    (name) =>
      [name, "has no value: write INPUT__FILE__NAME for the row's object, and a key of the data for the row"] as const,
  ),
  ...["row__id", "row__is__deleted"].map(
    (name) => [name, "belongs to transactional tables, which do not exist here: write a key of the data"] as const,
  ),
]);

/** Refuses a virtual column that no relation in FROM has. */
function refuseVirtualColumn({ name, position }: NameNode) {
  const reason = virtualColumns.get(name);
  if (reason !== undefined) throw unsupported(position, `virtual column ${name.toUpperCase()}`, reason);
}

/** Refuses an alias of the select list in a clause that cannot read it, such as GROUP BY. */
function refuseAlias({ name, position }: NameNode, { selectAliases }: Scope) {
  if (!selectAliases?.has(name)) return;
  const reason =
    "is an alias of this SELECT, which only HAVING, QUALIFY and ORDER BY can read, outside of aggregates: write its expression here, or read it from a subquery";
  throw semantic(position, `column ${name}`, reason);
}

/** Refuses `database.table.column` in words. */
function refuseDatabase({ position, ...node }: NameNode, scope: Scope) {
  if (node.kind !== "field" || node.base.kind !== "field" || node.base.base.kind !== "name") return;
  const table = node.base.name;
  const source = sourceNamed(scope, table);
  if (!source?.columns.some((column) => column.name === node.name)) return;
  const reason = `has the name of a database in front: write ${table}.${node.name}`;
  throw semantic(position, `column ${node.base.base.name}.${table}.${node.name}`, reason);
}

/** Binds `array[n]` and `map[key]`; a missing element is NULL. */
export function bindIndex(node: Expression, base: Typed, index: Typed): Typed {
  if (base.type.kind === "array") {
    if (!isInteger(index.type)) throw semantic(node.position, "index", "of an array must be an integer");
    return operation({ kind: "element", operands: [base, index] }, base.type.element);
  }
  if (base.type.kind === "map") {
    const common = commonType(base.type.key, index.type);
    const key = common?.kind === base.type.key.kind ? cast(index, base.type.key) : undefined;
    if (!key)
      throw semantic(node.position, "key", `of ${typeName(base.type)} cannot be ${typeName(index.type)}: cast it`);
    return operation({ kind: "element", operands: [base, key] }, base.type.value);
  }
  const remedy = isText(base.type) ? ": write get_json_object(text, '$[0]') for a text of JSON" : "";
  throw semantic(node.position, "[ ]", `needs an array or a map, not ${typeName(base.type)}${remedy}`);
}

/** Returns the relation with an alias. */
export function sourceNamed(scope: Scope, alias: string): Source | undefined {
  return scope.sources.find((source) => source.alias === alias);
}

const indexes = new WeakMap<readonly Source[], ReadonlyMap<string, readonly SourceColumn[]>>();

/** Returns the columns with a name among the relations of a query. */
function columnsNamed({ sources }: Scope, name: string): readonly SourceColumn[] {
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

/** Returns the columns that `*` selects from relations. */
export function starColumns(sources: readonly Source[]): readonly SourceColumn[] {
  const columns = sources.flatMap((source) => source.columns).filter(({ hidden }) => !hidden);
  const first = columns.filter((column) => column.usingPosition !== undefined);
  return [
    ...first.toSorted((left, right) => (left.usingPosition ?? 0) - (right.usingPosition ?? 0)),
    ...columns.filter((column) => column.usingPosition === undefined),
  ];
}

/** Returns the value of a column: over grouped rows, the group key. */
export function columnValue(value: Typed, name: string, node: Pick<Expression, "position">, scope: Scope): Typed {
  if (!scope.grouping) return value;
  const key = scope.grouping.namedKey(value);
  if (key) return key;
  throw semantic(
    node.position,
    `column ${name}`,
    `is neither in GROUP BY nor inside an aggregate: ${scope.grouping.remedy}`,
  );
}

function findName(node: NameNode, scope: Scope): Typed | undefined {
  if (node.kind === "name") return findColumn(node, scope);
  const qualified = node.base.kind === "name" ? findQualified(node, node.base.name, scope) : undefined;
  if (qualified) return qualified;
  const root = rootOf(node);
  if (root.kind === "name" && !resolvesHere(node, root.name, scope)) return undefined;
  return fieldOf(expression(node.base, scope), node, hiddenAlias(node.base, scope));
}

/** Returns what to do about an alias of an outer query that a column of this one hides; an empty text when none is hidden. */
function hiddenAlias(base: Expression, { parent }: Scope): string {
  if (base.kind !== "name") return "";
  for (let scope = parent; scope !== undefined; scope = scope.parent) {
    if (!sourceNamed(scope, base.name)) continue;
    return `: \`${base.name}\` is a column here, so give the outer query's \`${base.name}\` another alias`;
  }
  return "";
}

/** Returns true when the first part of a dotted name is defined in this scope, and not in an outer query. */
function resolvesHere(node: NameNode, root: string, scope: Scope): boolean {
  if (scope.aliases?.values.has(root) || columnsNamed(scope, root).length > 0) return true;
  return sourceNamed(scope, root) !== undefined && node.kind === "field" && node.base.kind !== "name";
}

function findColumn(node: Extract<NameNode, { kind: "name" }>, scope: Scope): Typed | undefined {
  const alias = scope.aliases?.values.get(node.name);
  if (alias && scope.aliases?.precedeColumns) return alias;
  const found = columnsNamed(scope, node.name);
  if (found.length > 1)
    throw semantic(node.position, `column ${node.name}`, "is ambiguous: write it with its table, as in t.column");
  const [only] = found;
  if (!only && alias && scope.aliases?.onlyGroupColumns && (alias.constant !== undefined || !isGroupColumn(alias)))
    throw semantic(
      node.position,
      `column ${node.name}`,
      `is ${alias.constant === undefined ? "an expression over groups in" : "a literal of"} the select list, which HAVING cannot reference by alias: repeat the expression`,
    );
  if (!alias) return only && columnValue(only.value, node.name, node, scope);
  // A column that is no group key is hidden by the alias of the select list.
  const { grouping } = scope;
  return (only && (grouping ? grouping.namedKey(only.value) : only.value)) ?? alias;
}

function findQualified(node: Extract<NameNode, { kind: "field" }>, alias: string, scope: Scope): Typed | undefined {
  const source = sourceNamed(scope, alias);
  if (!source) return undefined;
  const found = source.columns.filter((column) => column.name === node.name);
  if (found.length > 1) throw semantic(node.position, `column ${alias}.${node.name}`, "is ambiguous");
  const [only] = found;
  if (only) return columnValue(only.value, `${alias}.${node.name}`, node, scope);
  if (columnsNamed(scope, alias).length > 0) return undefined;
  refuseVirtualColumn(node);
  throw noSuchColumn(node.position, `${alias}.${node.name}`, namesOf(source), { owner: alias });
}

function fieldOf(base: Typed, node: Extract<NameNode, { kind: "field" }>, remedy: string): Typed {
  const isArray = base.type.kind === "array";
  const type = base.type.kind === "array" ? base.type.element : base.type;
  if (type.kind !== "struct")
    throw semantic(
      node.position,
      `field ${node.name}`,
      `is read from ${typeName(base.type)}, which has no fields${remedy}`,
    );
  const field = type.fields.find(({ name }) => name === node.name);
  if (!field)
    throw semantic(
      node.position,
      `field ${node.name}`,
      `does not exist in ${typeName(base.type)}${didYouMean(
        node.name,
        type.fields.map(({ name }) => name),
      )}`,
    );
  const result = isArray ? arrayOf(field.type) : field.type;
  return operation({ kind: "field", operands: [base], name: field.name }, result);
}

/** Returns true when every name of an expression is a column in the scope itself or in one around it. */
export function resolves(node: Expression, scope: Scope): boolean {
  if (node.kind === "name") return isOneColumn(columnsNamed(scope, node.name)) ?? resolvesAround(node, scope);
  if (node.kind !== "field" || node.base.kind !== "name")
    return subexpressions(node).every((child) => resolves(child, scope));
  const source = sourceNamed(scope, node.base.name);
  const columns = source?.columns.filter((column) => column.name === node.name) ?? [];
  return isOneColumn(columns) ?? resolves(node.base, scope);
}

const isOneColumn = (columns: readonly SourceColumn[]) => (columns.length === 0 ? undefined : columns.length === 1);

const resolvesAround = (node: Expression, { parent }: Scope) =>
  parent !== undefined && (parent.grouping ? false : resolves(node, parent));

function rootOf(node: NameNode): Expression {
  let root: Expression = node;
  while (root.kind === "field") root = root.base;
  return root;
}

function pathOf(node: Expression): string {
  if (node.kind === "name") return node.name;
  return node.kind === "field" ? `${pathOf(node.base)}.${node.name}` : "…";
}

/** Returns the part of a name that is not known, and the names that could stand there. */
function mistaken(node: NameNode, { sources }: Scope): { readonly name: string; readonly known: readonly string[] } {
  const root = rootOf(node);
  const columns = sources.flatMap(namesOf);
  if (root.kind !== "name") return { name: "", known: [] };
  const aliases = sources.flatMap(({ alias }) => (alias === undefined ? [] : [alias]));
  return { name: root.name, known: node.kind === "name" ? columns : [...aliases, ...columns] };
}

const namesOf = ({ columns }: Source) => columns.map(({ name }) => name).filter((name) => !virtualColumns.has(name));
