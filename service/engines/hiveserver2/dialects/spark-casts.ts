/** Reads the text of a field as a value of a type by Hive's rules, in Spark's SQL. */
import { literal } from "./text";

/** Returns the value of a text; a text that is no value of the type is NULL. */
export function fieldValue(text: string, type: string): string {
  const [, name = type, length] = /^(\w+)(?:\((\d+)(?:,\s*\d+)?\))?$/.exec(type) ?? [];
  switch (name) {
    case "string":
      return text;
    case "varchar":
      return `substring(${text}, 1, ${length})`;
    case "char":
      return `rpad(substring(${text}, 1, ${length}), ${length}, ' ')`;
    case "binary":
      return `IF(${text} RLIKE ${literal(base64)}, unbase64(rpad(${text}, ceil(length(${text}) / 4) * 4, '=')), CAST(${text} AS BINARY))`;
    case "date":
      return dateValue(text);
    case "timestamp":
      return timestampValue(text);
    default:
      return `IF(${text} RLIKE ${literal(forms[name] ?? never)}, CAST(${text} AS ${type}), NULL)`;
  }
}

/** Returns NULL as a value of a type. */
export const nothing = (type: string) => `CAST(NULL AS ${/^(?:var)?char\(/.test(type) ? "STRING" : type})`;

/** A date is what stands before the first character that cannot be part of one. */
function dateValue(text: string): string {
  const part = (group: number) => `CAST(regexp_extract(trim(${text}), ${literal(leadingDate)}, ${group}) AS INT)`;
  return `IF(octet_length(${text}) >= 8, make_date(${part(1)}, ${part(2)}, ${part(3)}), NULL)`;
}

/** Spark's cast takes only years of four digits. */
function timestampValue(text: string): string {
  const trimmed = `trim(${text})`;
  const padded = `concat(substring('000', 1, 5 - instr(${trimmed}, '-')), ${trimmed})`;
  return `IF(${trimmed} RLIKE ${literal(moment)}, CAST(rtrim('.', ${padded}) AS TIMESTAMP), NULL)`;
}

/** Java's basic decoder takes base64 without padding too. */
const base64 = "^([A-Za-z0-9+/]{4})*([A-Za-z0-9+/]{2}(==)?|[A-Za-z0-9+/]{3}=?)?\\z";
const leadingDate = "^(?!-0+-)(-?[0-9]{1,4})-([0-9]{1,2})-([0-9]{1,2})(?:[^0-9]|\\z)";
const moment =
  "^([0-9]{1,4}-[0-9]{1,2}-[0-9]{1,2} ([01]?[0-9]|2[0-3]):[0-5]?[0-9]:[0-5]?[0-9](\\.[0-9]{1,9})?|[0-9]{4}-[0-9]{2}-[0-9]{2}[Tt]([01][0-9]|2[0-3]):[0-5][0-9](:[0-5][0-9](\\.[0-9]{0,9})?)?)\\z";

const integer = "^[+-]?([0-9]+(\\.[0-9]*)?|\\.[0-9]+)\\z";
const digits = "[+-]?([0-9]+\\.?[0-9]*|\\.[0-9]+)([eE][+-]?[0-9]+)?";
const decimal = `^ *${digits} *\\z`;
const approximate = `^ *(${digits}[dDfF]?|[+-]?(NaN|Infinity)) *\\z`;
const never = "^\\b\\B";

/** The texts that are values of a type. Spark's own casts take more. */
const forms: Readonly<Record<string, string>> = {
  tinyint: integer,
  smallint: integer,
  int: integer,
  bigint: integer,
  boolean: "^(?i)(true|false)\\z",
  float: approximate,
  double: approximate,
  decimal,
};
