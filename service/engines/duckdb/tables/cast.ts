/** SQL that casts texts to values of a type: by Hive's rules, or with a fast path for texts in plain form. */

/** Returns SQL that casts a text expression to a Hive type by Hive's rules. */
export type CastFromText = (text: string, hiveType: string) => string;

/**
 * The DuckDB types of the Hive types with a plain form: a text form that DuckDB and Hive read and write alike, such as
 * `12`.
 */
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

/** Returns SQL that casts a text that is empty or in plain form. */
export function castPlain(text: string, hiveType: string): string {
  const type = plainTypes.get(hiveType);
  return type === undefined ? text : `TRY_CAST(${text} AS ${type})`;
}

/**
 * Returns SQL of DuckDB's own cast for {@link castWithFastPath}, or undefined for types without a fast path. It is a
 * separate column, so that DuckDB computes it once.
 */
export function tryCast(text: string, hiveType: string): string | undefined {
  if (isDecimal(hiveType)) return `TRY_CAST(${text} AS ${hiveType})`;
  return plainForms[hiveType] && `TRY_CAST(${text} AS ${plainTypes.get(hiveType)!})`;
}

/**
 * Returns SQL that casts any text. Hive's rules are many times slower than DuckDB's own cast, so that is tried first:
 * if the value converts back to the same text, the text is in plain form.
 * @param value SQL of the {@link tryCast} of the text.
 */
export function castWithFastPath(
  text: string,
  value: string | undefined,
  hiveType: string,
  cast: CastFromText,
): string {
  if (value !== undefined && isDecimal(hiveType)) {
    // A text with fewer digits after the point than the type is plain too: it has digits, signs and points only.
    const isPlain = `CAST(${value} AS VARCHAR) = ${text} OR regexp_full_match(${text}, '[-+0-9.]+')`;
    return `CASE WHEN ${isPlain} THEN ${value} ELSE ${cast(text, hiveType)} END`;
  }
  const form = plainForms[hiveType];
  if (value === undefined || form === undefined) return cast(text, hiveType);
  return `CASE WHEN ${form(text)}CAST(${value} AS VARCHAR) = ${text} THEN ${value} ELSE ${cast(text, hiveType)} END`;
}

const isDecimal = (hiveType: string) => /^decimal\(\d+,\d+\)$/.test(hiveType);

const always = () => "";

/**
 * Further conditions of the plain form: the length excludes DuckDB's own forms, such as `infinity` or `0044-03-15
 * (BC)`.
 */
const plainForms: Readonly<Record<string, (text: string) => string>> = {
  tinyint: always,
  smallint: always,
  int: always,
  bigint: always,
  date: (text) => `length(${text}) = 10 AND `,
  timestamp: (text) => `length(${text}) = 19 AND `,
};
