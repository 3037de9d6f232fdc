/** SQL that casts texts to values of a type: by Hive's rules, or with a fast path for texts in plain form. */

/** Returns SQL that casts a text expression to a Hive type by Hive's rules. */
export type CastFromText = (text: string, hiveType: string) => string;

/** How texts are cast. */
export interface TextCasts {
  readonly cast: CastFromText;
  /** True when a text may have underscores, which DuckDB accepts between the digits of a number. */
  readonly underscores: boolean;
}

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
 * Returns SQL that casts any text. Hive's rules are many times slower than DuckDB's own cast, so that is tried first: its
 * value is Hive's too when the text is in plain form, as it is if an integer or a time converts back to the same text.
 * @param value SQL of the {@link tryCast} of the text.
 */
export function castWithFastPath(
  text: string,
  value: string | undefined,
  hiveType: string,
  { cast, underscores }: TextCasts,
): string {
  if (value !== undefined && isDecimal(hiveType)) {
    const isPlain = plainDecimals(text, value).map((condition) => `WHEN ${condition} THEN ${value}`);
    return `CASE ${isPlain.join(" ")} ELSE ${cast(text, hiveType)} END`;
  }
  const isPlain = plainForms[hiveType];
  if (value === undefined || isPlain === undefined) return cast(text, hiveType);
  return `CASE WHEN ${isPlain(text, value, underscores)} THEN ${value} ELSE ${cast(text, hiveType)} END`;
}

/** Returns true for a decimal type. */
export const isDecimal = (hiveType: string) => /^decimal\(\d+,\d+\)$/.test(hiveType);

/**
 * Conditions under which DuckDB reads a decimal as Hive does, the cheapest first. Each has a WHEN of its own, which is
 * faster than an OR. The first two hold for rates such as `0.07` and numbers of one or two digits: too short for the
 * exponents, underscores and blanks that DuckDB alone accepts. The last one holds for texts with fewer digits after the
 * point than the type.
 */
const plainDecimals = (text: string, value: string) => [
  `strlen(${text}) < 5 AND ${text} BETWEEN '0.0' AND '0.99'`,
  `strlen(${text}) < 3 AND ${text} BETWEEN '0' AND '99'`,
  convertsBack(text, value),
  `regexp_full_match(${text}, '[-+0-9.]+')`,
];

const convertsBack = (text: string, value: string) => `CAST(${value} AS VARCHAR) = ${text}`;

/** DuckDB reads a finite number as Java does, except that it accepts underscores between its digits. */
const isFiniteNumber = (text: string, value: string, underscores: boolean) =>
  `isfinite(${value})${underscores ? ` AND NOT contains(${text}, '_')` : ""}`;

/**
 * Conditions of the plain form. The length of a timestamp excludes DuckDB's own forms, such as `infinity` or
 * `0044-03-15 00:00:00 (BC)`.
 */
const plainForms: Readonly<Record<string, (text: string, value: string, underscores: boolean) => string>> = {
  tinyint: convertsBack,
  smallint: convertsBack,
  int: convertsBack,
  bigint: convertsBack,
  double: isFiniteNumber,
  // DuckDB also reads other separators and shorter years. Both ignore what follows a day.
  date: (text, value) => `${value} >= '1000-01-01' AND ${text} LIKE '____-__-__'`,
  timestamp: (text, value) => `length(${text}) = 19 AND ${convertsBack(text, value)}`,
};
