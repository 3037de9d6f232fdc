/** Generates SQL that reads files of JSON lines. */
import { noOrigin, originColumns, type RowOrigin } from "../partitions/number";
import { quotePathPattern, quoteLiteral } from "../../sql-quoting";
import { isExactDouble } from "../undeclared/inference";
import { memberName } from "./columns";

/** A file of JSON lines. */
export interface JsonFile extends RowOrigin {
  readonly path: string;
  readonly gzip: boolean;
}

/** Returns a SELECT of the column `json` with one object per row, and of {@link originColumns}. */
export function jsonScan(files: readonly JsonFile[]): string {
  if (files.length === 0) return `SELECT NULL::JSON AS json, ${noOrigin} WHERE false`;
  const groups = [false, true].map((gzip) => ({ gzip, run: files.filter((file) => file.gzip === gzip) }));
  return groups
    .filter(({ run }) => run.length > 0)
    .map(({ gzip, run }) => {
      const list = run.map(({ path }) => quotePathPattern(path)).join(", ");
      const options = `format = 'newline_delimited', hive_partitioning = false, compression = ${gzip ? "'gzip'" : "'uncompressed'"}, maximum_object_size = ${maxObjectBytes}`;
      return `SELECT json, ${originColumns(run)} FROM read_json_objects([${list}], ${options}) WHERE ${isObject}`;
    })
    .join(" UNION ALL ");
}

/** Maximum length of a row in bytes. */
const maxObjectBytes = 16 * 1024 * 1024;

/** Fails for a line with another value, such as an array of all rows, whose members would all be NULL. */
const isObject = `CASE WHEN starts_with(CAST(json AS VARCHAR), '{') THEN true ELSE error('HiveQL: ' || filename || ' has a line that is not a JSON object: write one object a line') END`;

/**
 * Returns a SELECT of the columns of {@link jsonScan}, and of `exact`: the object with quotes around its numbers when one
 * of more than 15 digits has a point or an exponent, because DuckDB reads it as a double.
 */
export function exactJsonScan(files: readonly JsonFile[]): string {
  const text = "CAST(json AS VARCHAR)";
  const quoted = String.raw`left(regexp_replace(${text}, ${quoteLiteral(beforeNumber)}, '\1"\2"', 'g'), -2)`;
  return `SELECT *, CASE WHEN regexp_matches(${text}, ${quoteLiteral(longFraction)}) THEN ${quoted} ELSE ${text} END AS exact FROM (${jsonScan(files)})`;
}

/** A regular expression of 16 digits with a point, or before an exponent. */
const longFraction = Array.from({ length: 15 }, (_, index) => `[0-9]{${index + 1}}\\.[0-9]{${15 - index}}`)
  .concat("[0-9]{16}[eE]")
  .join("|");

/**
 * A regular expression of what precedes a number outside strings, and of the number. It also matches the rest after the
 * last number, with an empty one: a search for a further number would begin in a string.
 */
const beforeNumber = String.raw`((?:"(?:[^"\\]|\\.)*"|[^"0-9])*?)(-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][-+]?[0-9]+)?|$)`;

/**
 * Returns SQL of a member's value as text: the characters of a string, JSON text of other values, NULL for null or a
 * missing member. Member names are case-insensitive as in Hive; the exact lower-case name is tried first, because that
 * is fastest.
 * @param json the column with the object
 */
export function memberText(name: string, json = "json"): string {
  const exact = `json_extract_string(${json}, ${quoteLiteral(pointer(name))})`;
  const spelling = `list_filter(json_keys(${json}), lambda k: lower(k) = ${quoteLiteral(memberName(name))})[1]`;
  const path = `('/' || replace(replace(${spelling}, '~', '~0'), '/', '~1'))`;
  return `coalesce(${exact}, json_extract_string(${json}, ${path}))`;
}

/** Returns a SELECT of each member of each row: its name in lower case, the type of its value, and the value as text. */
function memberValues(files: readonly JsonFile[]): string {
  const members = `SELECT unnest(json_keys(json)) AS k, json FROM (${jsonScan(files)})`;
  const path = "'/' || replace(replace(k, '~', '~0'), '/', '~1')";
  return `SELECT lower(k) AS k, json_type(json, ${path}) AS t, json_extract_string(json, ${path}) AS v FROM (${members})`;
}

/** SQL that is true for a value of {@link memberValues} that is a bigint, or a number that a double keeps. */
const isInteger = "(t IN ('BIGINT', 'UBIGINT') AND TRY_CAST(v AS BIGINT) IS NOT NULL)";
// DuckDB gives whole numbers above 64 bits as they are written.
const isNumber = `(t IN ('BIGINT', 'UBIGINT', 'DOUBLE') AND CASE WHEN regexp_full_match(v, '-?[0-9]+') THEN strlen(v) <= 25 AND ${isExactDouble("v")} ELSE isfinite(TRY_CAST(v AS DOUBLE)) END)`;

/** Returns a SELECT of each member name in lower case, with flags for the types of its values. */
export function memberSummary(files: readonly JsonFile[]): string {
  const all = (condition: string) => `bool_and(${condition}) FILTER (t <> 'NULL')`;
  return (
    `SELECT k, ${all("t = 'BOOLEAN'")} AS is_boolean, ${all(isInteger)} AS is_integer, ${all(isNumber)} AS is_number ` +
    `FROM (${memberValues(files)}) GROUP BY k`
  );
}

/** Returns a SELECT of the values of a member that a double does not keep, or that a bigint does not keep either. */
export function valuesOfMember(files: readonly JsonFile[], name: string, kind: "long" | "other"): string {
  const isKept = kind === "long" ? isNumber : `(${isNumber} OR ${isInteger})`;
  return `SELECT v FROM (${memberValues(files)}) WHERE k = ${quoteLiteral(memberName(name))} AND t <> 'NULL' AND NOT ${isKept}`;
}

function pointer(name: string): string {
  return `/${memberName(name).replaceAll("~", "~0").replaceAll("/", "~1")}`;
}
