/**
 * Finds the names of a statement that are certainly no columns, from the columns of its tables. Where anything may give a
 * name that is not known here (a table of unknown columns, a struct, an engine's own names), nothing is reported.
 */
import {
  type CommonTable,
  type Expression,
  type HiveQLError,
  noSuchColumn,
  type OrderItem,
  type Ordering,
  type Query,
  type QueryBody,
  type QueryTerm,
  queryIn,
  type Relation,
  type Select,
  type SelectItem,
  subexpressions,
  type WindowSpecification,
} from "../../../hiveql/syntax";
import type { TableName } from "../freshness/program-tables";
import { once } from "./once";

/** Names of columns in lower case; undefined if they are not known. They may be more than a relation has. */
type Columns = ReadonlySet<string> | undefined;

/** Returns the names of a table's columns; undefined if they are not known. */
export type ColumnsOf = (table: TableName) => readonly string[] | undefined;

/** What the columns of the tables tell about a statement. */
export interface ColumnCheck {
  /** The first name that is certainly no column. */
  readonly problem?: HiveQLError;
  /** False when a name may be a column of a table whose columns are not known. */
  readonly isComplete: boolean;
}

/** Checks the columns that a statement names. */
export function checkColumns(query: Query, columnsOf: ColumnsOf): ColumnCheck {
  const check = new StatementColumns(columnsOf);
  check.query(query, { common: new Map() });
  const [problem] = check.problems.toSorted((a, b) => a.line - b.line || a.column - b.column);
  return { ...(problem && { problem }), isComplete: check.isComplete };
}

/** The scope around a query. */
interface EnclosingScope {
  /** The tables of WITH. */
  readonly common: ReadonlyMap<string, () => Columns>;
  /** The scope of the outer query. */
  readonly parent?: Scope;
}

interface Source {
  readonly alias?: string | undefined;
  readonly columns: Columns;
}

interface Scope {
  readonly sources: readonly Source[];
  readonly enclosing: EnclosingScope;
  /** Aliases of the select list. */
  readonly aliases?: ReadonlySet<string>;
}

type NameNode = Extract<Expression, { kind: "name" | "field" }>;

class StatementColumns {
  readonly problems: HiveQLError[] = [];
  isComplete = true;

  constructor(private readonly columnsOf: ColumnsOf) {}

  query(query: Query, outer: EnclosingScope): Columns {
    const common = new Map(outer.common);
    const enclosing = { ...outer, common };
    // Hive checks a table of WITH where it is used, which may be before its definition.
    for (const table of query.with)
      common.set(
        table.name,
        once(() => this.#commonTable(table, enclosing)),
      );
    return this.#body(query.body, enclosing);
  }

  #commonTable({ columns, query }: CommonTable, enclosing: EnclosingScope): Columns {
    const own = this.query(query, enclosing);
    return columns ? setOf(columns) : own;
  }

  #body(body: QueryBody, enclosing: EnclosingScope): Columns {
    const { first, rest } = body;
    if (rest.length === 0 && first.kind === "select") return this.#select(first, body, enclosing);
    const terms = [first, ...rest.map(({ term }) => term)].map((term) => this.#term(term, enclosing));
    this.#ordering(body, { sources: [{ columns: union(terms) }], enclosing });
    return terms[0];
  }

  #term(term: QueryTerm, enclosing: EnclosingScope): Columns {
    if (term.kind === "body") return this.#body(term.body, enclosing);
    return term.kind === "select" ? this.#select(term, {}, enclosing) : undefined;
  }

  #select(select: Select, ordering: Ordering, enclosing: EnclosingScope): Columns {
    const { items, from, where, groupBy, having, windows, qualify } = select;
    const sources = from ? this.#sources(from, enclosing) : [];
    const scope = { sources, enclosing };
    this.#expressions([where], scope);
    const aliases = new Set<string>();
    for (const item of items) {
      if (item.kind === "all") continue;
      // Spark also knows the aliases of the items before.
      this.#expressions([item.expression], { ...scope, aliases });
      for (const alias of item.aliases) aliases.add(alias);
    }
    const outer = { ...scope, aliases };
    this.#expressions([...(groupBy?.keys ?? []), ...(Array.isArray(groupBy?.sets) ? groupBy.sets.flat() : [])], outer);
    this.#expressions([having, qualify], outer);
    for (const { window } of windows) this.#window(window, outer);
    this.#ordering(ordering, outer);
    return union(items.map((item) => columnsOfItem(item, sources)));
  }

  #ordering({ orderBy, sortBy, distributeBy, clusterBy }: Ordering, scope: Scope): void {
    this.#expressions(valuesOf([...(orderBy ?? []), ...(sortBy ?? [])]), scope);
    this.#expressions([...(distributeBy ?? []), ...(clusterBy ?? [])], scope);
  }

  #window({ partitionBy, orderBy }: WindowSpecification, scope: Scope): void {
    this.#expressions([...partitionBy, ...valuesOf(orderBy)], scope);
  }

  #sources(relation: Relation, enclosing: EnclosingScope): readonly Source[] {
    switch (relation.kind) {
      case "table": {
        const { database, table, alias = table } = relation;
        const common = database === undefined ? enclosing.common.get(table) : undefined;
        const columns = common ? common() : setOf(this.columnsOf({ database: database ?? "default", table }));
        return [{ alias, columns }];
      }
      case "subquery":
        return [{ alias: relation.alias, columns: this.query(relation.query, enclosing) }];
      case "values":
        return [{ alias: relation.alias, columns: namedColumns(relation.columns) }];
      case "join": {
        const { left, right, on, using = [] } = relation;
        const [before, after] = [this.#sources(left, enclosing), this.#sources(right, enclosing)];
        this.#expressions([on], { sources: [...before, ...after], enclosing });
        for (const sources of [before, after]) {
          for (const name of using) this.#require({ position: relation.position, path: name, name }, sources);
        }
        return [...before, ...after];
      }
      case "lateral": {
        const input = this.#sources(relation.input, enclosing);
        this.#expressions([relation.call], { sources: input, enclosing });
        return [...input, { alias: relation.alias, columns: namedColumns(relation.columns) }];
      }
      case "table function":
        this.#sources(relation.input, enclosing);
        return [{ alias: relation.alias, columns: undefined }];
    }
  }

  #expressions(nodes: readonly (Expression | undefined)[], scope: Scope): void {
    for (const node of nodes) if (node) this.#expression(node, scope);
  }

  #expression(node: Expression, scope: Scope): void {
    if (node.kind === "name") return this.#name(node, scope);
    if (node.kind === "field") return this.#field(node, scope);
    if (node.kind === "call" && node.withinGroup) this.#expressions(valuesOf(node.withinGroup), scope);
    this.#expressions(subexpressions(node), scope);
    const inner = queryIn(node);
    if (inner) this.#body(inner, { ...scope.enclosing, parent: scope });
  }

  #name({ name, position }: Extract<NameNode, { kind: "name" }>, scope: Scope): void {
    const scopes = scopesFrom(scope);
    if (scopes.some(({ aliases }) => aliases?.has(name))) return;
    this.#require(
      { position, path: name, name },
      scopes.flatMap(({ sources }) => sources),
    );
  }

  /** Checks `alias.column`. Other names with dots are fields of structs. */
  #field(node: Extract<NameNode, { kind: "field" }>, scope: Scope): void {
    const { base, name, position } = node;
    if (base.kind !== "name") return this.#expression(base, scope);
    const scopes = scopesFrom(scope);
    const sources = scopes.flatMap((each) => each.sources);
    const named = sources.filter(({ alias }) => alias === base.name);
    const mayBeStruct = sources.some(({ columns }) => columns === undefined || columns.has(base.name));
    const isAlias = scopes.some(({ aliases }) => aliases?.has(base.name));
    if (named.length === 0) {
      if (!isAlias) this.#require({ position: base.position, path: base.name, name: base.name }, sources);
    } else if (named.some(({ columns }) => columns === undefined)) this.#mayMiss(name, named);
    else if (mayBeStruct) this.#mayMiss(name, sources);
    else if (!isAlias) this.#require({ position, path: `${base.name}.${name}`, name, owner: base.name }, named);
  }

  /** Reports a column that none of the relations has. */
  #require(
    { position, path, name, owner }: Pick<Expression, "position"> & { path: string; name: string; owner?: string },
    sources: readonly Source[],
  ): void {
    if (isOfEngine(name) || sources.length === 0 || this.#mayMiss(name, sources)) return;
    const columns = sources.flatMap((source) => [...(source.columns ?? [])]);
    if (!columns.includes(name)) this.problems.push(noSuchColumn(position, path, [...new Set(columns)], { owner }));
  }

  /** Returns true when a relation of unknown columns may have a column, and notes it when no other has it. */
  #mayMiss(name: string, sources: readonly Source[]): boolean {
    if (sources.every(({ columns }) => columns !== undefined)) return false;
    if (!sources.some(({ columns }) => columns?.has(name))) this.isComplete = false;
    return true;
  }
}

/** Returns true for names that an engine may give a meaning: virtual columns, default names, patterns in backticks. */
const isOfEngine = (name: string) => !/^[a-z]\w*$/.test(name) || name.includes("__") || name.startsWith("current_");

function columnsOfItem(item: SelectItem, sources: readonly Source[]): Columns {
  if (item.kind === "all") {
    const named = item.table === undefined ? sources : sources.filter(({ alias }) => alias === item.table);
    return named.length > 0 ? union(named.map(({ columns }) => columns)) : undefined;
  }
  const { expression, aliases } = item;
  if (aliases.length > 0) return setOf(aliases);
  // Engines name other expressions differently.
  const isName = (expression.kind === "name" || expression.kind === "field") && !isOfEngine(expression.name);
  return isName ? setOf([expression.name]) : undefined;
}

/** Returns a scope and those around it. */
function scopesFrom(scope: Scope | undefined): Scope[] {
  return scope ? [scope, ...scopesFrom(scope.enclosing.parent)] : [];
}

const valuesOf = (items: readonly OrderItem[]) => items.map(({ expression }) => expression);

/** Without names, the function or the engine names the columns. */
const namedColumns = (names: readonly string[]) => (names.length > 0 ? setOf(names) : undefined);

const setOf = (names: readonly string[] | undefined): Columns =>
  names && new Set(names.map((name) => name.toLowerCase()));

function union(parts: readonly Columns[]): Columns {
  return parts.every((part) => part !== undefined) ? new Set(parts.flatMap((part) => [...part])) : undefined;
}
