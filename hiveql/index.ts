/**
 * HiveQL → DuckDB SQL with Hive's answers. What has no rule here is refused with its line, column and name; nothing
 * passes through untranslated.
 */
import {
  HiveQLError,
  type ParsedStatement,
  parseStatement,
  type Query,
  readStatement,
  unsupported,
} from "./syntax";
import type { Catalog, Shared } from "./bind/scope";
import { type Fragment, raw, sql } from "./emit/fragment";
import { castFromText as fieldFragment } from "./emit/conversions";
import { readBack } from "./quirks/nested-nulls";
import { type Plan, planned } from "./rules/plan";
import { translateQuery } from "./emit/query";
import { readSettings, type Settings } from "./bind/settings";
import { fileText, textOf as textFragment } from "./emit/printed-text";
import { type HiveType, parseType, quoteName, typeName, types } from "./bind/types";

export { HiveQLError, type ParsedStatement, parseStatement };
export type { Catalog, CatalogTable } from "./bind/scope";
export { setupSql } from "./runtime/macros/index";
export { register } from "./runtime/udf/register";

/** A statement that DuckDB answers as Hive does, on a connection that {@link setupSql} and {@link register} made ready. */
export interface Translation {
  /** One SELECT; columns have the DuckDB types that hold Hive's. */
  readonly sql: string;
  /** The same rows with every column as the text that Hive prints; NULL stays NULL. */
  readonly textSql: string;
  /** The same rows as Hive's LazySimpleSerDe writes them into text files: as {@link textSql}, but binaries in base64. */
  readonly fileSql: string;
  /** Names may repeat, as Hive lets them; types are as Hive writes them. */
  readonly columns: readonly { readonly name: string; readonly type: string }[];
  /**
   * Positions of the columns that the rows are sorted by, the first counting most; rows that are equal in them may
   * stand in any order. Absent where the rows are not sorted, or by what is no column.
   */
  readonly sortedBy?: readonly number[];
  /** Every table that is read, as `database.table`. */
  readonly tables: readonly string[];
}

/** What a translation depends on besides the statement. */
export interface TranslateOptions {
  /** Hive settings in force, such as `hive.support.quoted.identifiers`. */
  readonly settings?: Readonly<Record<string, string>>;
}

/**
 * Translates one SELECT.
 * @throws HiveQLError for what is no HiveQL, what Hive refuses, and what the embedded engine does not support.
 */
export function translate(
  statement: string | ParsedStatement,
  catalog: Catalog,
  options: TranslateOptions = {},
): Translation {
  const parsed = typeof statement === "string" ? parseStatement(statement) : statement;
  const query = readStatement(parsed);
  const settings = readSettings(options.settings ?? {});
  return planned(settings.usesOptimizer, (plan) => translated(query, catalog, settings, plan));
}

function translated(query: Query, catalog: Catalog, settings: Settings, plan: Plan): Translation {
  let count = 0;
  const shared: Shared = {
    catalog,
    settings,
    plan,
    tables: new Set(),
    unique: (prefix) => `${prefix}${(count += 1)}`,
    marks: new Map(),
    job: { isRun: false, isCut: false, isOpen: false },
    ctes: [],
  };
  const {
    sql: body,
    columns,
    sortedBy,
  } = translateQuery(query, shared, { tables: new Map() }, undefined, { isOutermost: true });
  const common = shared.ctes.map((table) => `${table.name} AS (${table.sql})`).join(", ");
  const prefix = common === "" ? "" : `WITH ${common} `;
  const partly = columns.find(({ isBare }) => isBare === "partly" || (isBare && shared.job.isOpen));
  if (partly && !shared.job.isRun)
    throw unsupported(
      { line: 1, column: 1 },
      `column ${partly.name}`,
      "has chars that functions made and others, or that Hive prints with spaces at their end or without as it runs a job or not: cast it to string",
    );
  const printed = (print: (value: Fragment, type: HiveType) => Fragment) => {
    const list = columns.map(({ alias, type, isBare }) => {
      const name = quoteName(alias);
      const value = raw(`r.${name}`);
      const printedType = isBare && !shared.job.isRun ? types.string : type;
      return sql`${print(shared.job.isRun ? readBack(value, type) : value, printedType)} AS ${name}`.sql;
    });
    return `${prefix}SELECT ${list.join(", ")} FROM (${body}) AS r`;
  };
  return {
    sql: prefix + body,
    textSql: printed(textFragment),
    fileSql: printed(fileText),
    columns: columns.map((column) => ({ name: column.name, type: typeName(column.type) })),
    ...(sortedBy ? { sortedBy } : {}),
    tables: [...shared.tables],
  };
}

/**
 * SQL that reads a text field as a type of Hive: what cannot be read is NULL.
 * @param text SQL of type VARCHAR.
 * @param hiveType such as `decimal(10,2)`.
 * @throws TypeError where the type is unknown.
 */
export function castFromText(text: string, hiveType: string): string {
  return fieldFragment(raw(text), known(hiveType)).sql;
}

/** SQL of type VARCHAR that prints a value as Hive does; NULL stays NULL. Throws TypeError where the type is unknown. */
export function textOf(value: string, hiveType: string): string {
  return textFragment(raw(value), known(hiveType)).sql;
}

function known(hiveType: string) {
  const type = parseType(hiveType);
  if (!type) throw new TypeError(`unknown Hive type ${hiveType}`);
  return type;
}
