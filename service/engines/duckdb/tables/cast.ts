/** Texts as values of a type: Hive's rules, and shorter ways to the same value for texts in plain form. */

/** SQL that reads a text, which is SQL too, as a value of a Hive type by Hive's rules. */
export type CastFromText = (text: string, hiveType: string) => string;

/** DuckDB's types of the Hive types that have a plain form, which DuckDB reads and writes as Hive does. */
export const plainTypes: ReadonlyMap<string, string> = new Map([
  ["boolean", "BOOLEAN"],
  ["tinyint", "TINYINT"],
  ["smallint", "SMALLINT"],
  ["int", "INTEGER"],
  ["bigint", "BIGINT"],
  ["double", "DOUBLE"],
  ["date", "DATE"],
  ["timestamp", "TIMESTAMP"],
]);

/** SQL of a text that is known to be empty or in plain form. */
export function castPlain(text: string, hiveType: string): string {
  const type = plainTypes.get(hiveType);
  return type === undefined ? text : `TRY_CAST(${text} AS ${type})`;
}

/**
 * SQL that DuckDB's own cast makes of a text, for {@link castQuickly}; undefined for types that have no use for it.
 * It stands apart, so that it is computed once.
 */
export function tryCast(text: string, hiveType: string): string | undefined {
  return plainForms[hiveType] && `TRY_CAST(${text} AS ${plainTypes.get(hiveType)!})`;
}

/**
 * SQL of any text. Hive's rules cost many times what DuckDB's own cast does, so that is looked at first: a text that
 * the value's own text equals is in plain form.
 * @param value SQL of {@link tryCast}.
 */
export function castQuickly(text: string, value: string | undefined, hiveType: string, cast: CastFromText): string {
  const form = plainForms[hiveType];
  if (value === undefined || form === undefined) return cast(text, hiveType);
  return `CASE WHEN ${form(text)}CAST(${value} AS VARCHAR) = ${text} THEN ${value} ELSE ${cast(text, hiveType)} END`;
}

const always = () => "";

/** What else a text must be: no text of this length is one of DuckDB's own, such as `infinity` or `0044-03-15 (BC)`. */
const plainForms: Readonly<Record<string, (text: string) => string>> = {
  tinyint: always,
  smallint: always,
  int: always,
  bigint: always,
  date: (text) => `length(${text}) = 10 AND `,
  timestamp: (text) => `length(${text}) = 19 AND `,
};
