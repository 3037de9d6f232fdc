/**
 * Translates HiveQL to DuckDB SQL that returns Hive's results. A construct without a translation is refused with its
 * line, column and name; nothing is passed through untranslated.
 */
// oxlint-disable-next-line no-unassigned-import -- it must run before the other modules are loaded
import "./syntax/require-node";
import { print } from "./emit/print";
import { querySql } from "./emit/queries";
import { HiveQLError, type ParsedStatement, parseStatement, type Query, readStatement } from "./syntax";
import type { Catalog } from "./bind/relations";
import type { TranslationContext } from "./bind/scope";
import { parseType } from "./tree/parse-type";
import { raw, sql } from "./sql/fragment";
import type { Part } from "./sql/fragment";
import { parseField } from "./emit/conversions";
import { notesOn } from "./notes";
import type { Views } from "./tree/views";
import { conditionsOf, type PartitionColumns, type PartitionCondition, type TableNode } from "./pruning/conditions";
import { bindQuery } from "./bind/query/query";
import { translationContext } from "./context";
import { readSettings } from "./settings";
import { printedFileText, printedText } from "./sql/printed-text";
import { duckType, type HiveType, quoteIdentifier, typeName } from "./tree/types";

export { HiveQLError, type ParsedStatement, parseStatement, type Query, readStatement };
export type { Catalog, CatalogTable } from "./bind/relations";
export type { PartitionColumns, PartitionCondition, TableNode } from "./pruning/conditions";
export { parseType } from "./tree/parse-type";
export { type HiveType, typeName } from "./tree/types";
export { setupSql } from "./runtime/macros/index";
export { register } from "./runtime/udf/register";

/** A translated statement. It runs on a connection that is prepared with {@link setupSql} and {@link register}. */
export interface Translation {
  /** One SELECT; its columns have the DuckDB types that hold their Hive types. */
  readonly sql: string;
  /** The same query with every column as the text that Hive prints; NULL stays NULL. */
  readonly textSql: string;
  /**
   * The same query as Hive's LazySimpleSerDe writes text files: like {@link textSql}, with binary columns in base64.
   */
  readonly fileSql: string;
  /** The columns with their Hive types. Names may repeat, as in Hive. */
  readonly columns: readonly { readonly name: string; readonly type: string }[];
  /**
   * Positions of the sort columns, the most significant first; rows that are equal in them are in any order. Undefined
   * when the rows are not sorted or a sort key is not a column.
   */
  readonly sortedBy?: readonly number[];
  /** The tables that the statement reads, as `database.table`. */
  readonly tables: readonly string[];
  /** What the user should know of the answer: a sentence for each condition that Hive 4.0.1 drops, with line and column. */
  readonly notes: readonly string[];
}

/** Options of a translation. */
export interface TranslateOptions {
  /** Hive settings by name, such as `hive.support.quoted.identifiers`. */
  readonly settings?: Readonly<Record<string, string>>;
  /** Returns the query of the view that a place names; undefined for a table. No view may read itself. */
  readonly viewAt?: Views;
  /**
   * The user who runs the statement, for `current_user()`.
   * @default "anonymous", as in Hive without authentication
   */
  readonly user?: string;
}

/**
 * Translates one SELECT.
 * @throws HiveQLError for syntax errors, for statements that Hive refuses, and for constructs that are not supported.
 */
export function translate(
  statement: string | ParsedStatement | Query,
  catalog: Catalog,
  options: TranslateOptions = {},
): Translation {
  const query = queryOf(statement);
  const settings = readSettings(options.settings ?? {}, query.settings);
  const viewAt = options.viewAt ?? noViews;
  const context = translationContext({ catalog, viewAt, settings, user: options.user ?? anonymous });
  return buildTranslation(query, context);
}

export interface PartitionOptions extends TranslateOptions {
  /**
   * True to take only conditions that other SQL engines decide as Hive does: comparisons of a string, date or integer
   * column with constants of its type.
   * @default false
   */
  readonly onlyPlain?: boolean;
}

/**
 * Returns the partitions that a statement needs of each of its tables: a condition over the partition columns, which the
 * rows of any other partition do not meet. Tables are told apart by their nodes, so `query` is also what to translate.
 * @param partitionColumns returns the partition columns of a table; undefined when it has none.
 */
export function partitionConditions(
  query: Query,
  partitionColumns: PartitionColumns,
  options: PartitionOptions = {},
): ReadonlyMap<TableNode, PartitionCondition> {
  const settings = readSettings(options.settings ?? {}, query.settings);
  const viewAt = options.viewAt ?? noViews;
  const context = translationContext({
    catalog: () => undefined,
    viewAt,
    settings,
    user: options.user ?? anonymous,
  });
  const { onlyPlain = false } = options;
  return conditionsOf(query, partitionColumns, { context, onlyPlain });
}

const queryOf = (statement: string | ParsedStatement | Query): Query => {
  if (typeof statement === "string") return readStatement(parseStatement(statement));
  return "tree" in statement ? readStatement(statement) : statement;
};

const anonymous = "anonymous";

const noViews: Views = () => undefined;

function buildTranslation(query: Query, context: TranslationContext): Translation {
  const bound = bindQuery(query, { context, cteScope: { tables: new Map() } }, { isOutermost: true });
  const { columns, sortedBy } = bound;
  const statement = { query: bound.query, tables: context.ctes };
  const text = print(querySql(statement.query));
  const common = statement.tables.map((table) => `${table.name} AS (${print(querySql(table.query))})`).join(", ");
  const prefix = common === "" ? "" : `WITH ${common} `;
  const printedSql = (printer: (value: Part, type: HiveType) => Part) => {
    const list = columns.map(({ alias, type }) => {
      const name = quoteIdentifier(alias);
      const value = raw(`r.${name}`);
      return print(sql`${printer(value, type)} AS ${name}`);
    });
    return `${prefix}SELECT ${list.join(", ")} FROM (${text}) AS r`;
  };
  return {
    sql: prefix + text,
    get textSql() {
      return printedSql(printedText);
    },
    get fileSql() {
      return printedSql(printedFileText);
    },
    columns: columns.map((column) => ({ name: column.name, type: typeName(column.type) })),
    ...(sortedBy ? { sortedBy } : {}),
    tables: [...context.tables],
    notes: [...notesOn(statement), ...context.notes],
  };
}

/**
 * Returns SQL that parses a field of a text file as a Hive type; text that cannot be parsed is NULL.
 * @param text SQL of type VARCHAR.
 * @param hiveType name of a Hive type, such as `decimal(10,2)`.
 * @throws TypeError when the type is unknown.
 */
export function castFromText(text: string, hiveType: string): string {
  return print(parseField(raw(text), requireType(hiveType)));
}

/**
 * Returns SQL of type VARCHAR that prints a value as Hive does; NULL stays NULL.
 * @throws TypeError when the type is unknown.
 */
export function textOf(value: string, hiveType: string): string {
  return print(printedText(raw(value), requireType(hiveType)));
}

/**
 * Returns the DuckDB type that holds the values of a Hive type, such as `DECIMAL(10,2)` for `decimal(10,2)`.
 * @throws TypeError when the type is unknown.
 */
export function storageType(hiveType: string): string {
  return duckType(requireType(hiveType));
}

/**
 * Returns a Hive type with the fields of its structs in the order of their names: types that differ in the order only are
 * the same then.
 * @throws TypeError when the type is unknown.
 */
export function withSortedFields(hiveType: string): string {
  return typeName(sorted(requireType(hiveType)));
}

function sorted(type: HiveType): HiveType {
  switch (type.kind) {
    case "array":
      return { ...type, element: sorted(type.element) };
    case "map":
      return { ...type, key: sorted(type.key), value: sorted(type.value) };
    case "struct": {
      const fields = type.fields.map((field) => ({ ...field, type: sorted(field.type) }));
      return { ...type, fields: fields.toSorted((a, b) => (a.name < b.name ? -1 : 1)) };
    }
    default:
      return type;
  }
}

function requireType(hiveType: string) {
  const type = parseType(hiveType);
  if (!type) throw new TypeError(`unknown Hive type ${hiveType}`);
  return type;
}
