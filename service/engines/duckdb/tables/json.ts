/** SQL that reads files of JSON lines. */
import { quotePath, quoteText } from "../sql";

/** A file of JSON lines. */
export interface JsonFile {
  readonly path: string;
  readonly gzip: boolean;
}

/** A SELECT of the column `json`, one object a row. */
export function jsonScan(files: readonly JsonFile[]): string {
  if (files.length === 0) return "SELECT NULL::JSON AS json WHERE false";
  const groups = [false, true].map((gzip) => ({ gzip, paths: files.filter((file) => file.gzip === gzip) }));
  return groups
    .filter(({ paths }) => paths.length > 0)
    .map(({ gzip, paths }) => {
      const list = paths.map(({ path }) => quotePath(path)).join(", ");
      const options = `format = 'newline_delimited', compression = ${gzip ? "'gzip'" : "'uncompressed'"}, maximum_object_size = ${maxObjectBytes}`;
      return `SELECT json FROM read_json_objects([${list}], ${options})`;
    })
    .join(" UNION ALL ");
}

/** Greatest length of a row in bytes. */
const maxObjectBytes = 16 * 1024 * 1024;

/**
 * SQL of a member's value as text: a string's characters, JSON text of anything else, NULL for null or no member.
 * Hive finds members whatever their case; the exact lower-case name is looked for first, since that costs least.
 */
export function memberText(name: string): string {
  const exact = `json_extract_string(json, ${quoteText(pointer(name))})`;
  const spelling = `list_filter(json_keys(json), lambda k: lower(k) = ${quoteText(name.toLowerCase())})[1]`;
  const path = `('/' || replace(replace(${spelling}, '~', '~0'), '/', '~1'))`;
  return `coalesce(${exact}, json_extract_string(json, ${path}))`;
}

/** A SELECT of each member name that occurs, lower case, with what its values are. */
export function memberSummary(files: readonly JsonFile[]): string {
  const members = `SELECT unnest(json_keys(json)) AS k, json FROM (${jsonScan(files)})`;
  const path = "'/' || replace(replace(k, '~', '~0'), '/', '~1')";
  const typed = `SELECT lower(k) AS k, json_type(json, ${path}) AS t, json_extract_string(json, ${path}) AS v FROM (${members})`;
  const all = (condition: string) => `bool_and(${condition}) FILTER (t <> 'NULL')`;
  const integer = "t IN ('BIGINT', 'UBIGINT') AND TRY_CAST(v AS BIGINT) IS NOT NULL";
  // Larger whole numbers would lose digits as doubles.
  const number = `t = 'DOUBLE' OR (${integer} AND abs(TRY_CAST(v AS HUGEINT)) <= 1000000000000000)`;
  return (
    `SELECT k, ${all("t = 'BOOLEAN'")} AS is_boolean, ${all(integer)} AS is_integer, ${all(number)} AS is_number ` +
    `FROM (${typed}) GROUP BY k`
  );
}

function pointer(name: string): string {
  return `/${name.toLowerCase().replaceAll("~", "~0").replaceAll("/", "~1")}`;
}
