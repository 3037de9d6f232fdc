/** Reads the text of a member of JSON, or of a cell in quotes, as a value of a type by the rules of a field of text, in HiveQL. */
import { literal } from "./text";

/** Returns the value of a text; a text that is no value of the type is NULL. */
export function hiveValue(text: string, type: string): string {
  if (type === "string") return text;
  if (type === "boolean") return `CASE lower(${text}) WHEN 'true' THEN true WHEN 'false' THEN false END`;
  // A shorter text is no date in a field.
  if (type === "date") return `IF(octet_length(${text}) >= 8, CAST(${text} AS date), NULL)`;
  const form = forms[/^\w+/.exec(type)?.[0] ?? ""];
  return form === undefined
    ? `CAST(${text} AS ${type})`
    : `IF(${text} RLIKE ${literal(form)}, CAST(${text} AS ${type}), NULL)`;
}

const integer = "^[+-]?([0-9]+(\\.[0-9]*)?|\\.[0-9]+)$";
const digits = "[+-]?([0-9]+\\.?[0-9]*|\\.[0-9]+)([eE][+-]?[0-9]+)?";
/** Hive's cast takes a day as well, which the text of a field cannot be. */
const moment =
  "^ *([0-9]{1,4}-[0-9]{1,2}-[0-9]{1,2} ([01]?[0-9]|2[0-3]):[0-5]?[0-9]:[0-5]?[0-9](\\.[0-9]{1,9})?|[0-9]{4}-[0-9]{2}-[0-9]{2}[Tt]([01][0-9]|2[0-3]):[0-5][0-9](:[0-5][0-9](\\.[0-9]{0,9})?)?) *$";
const approximate = `^ *(${digits}[dDfF]?|[+-]?(NaN|Infinity)) *$`;

/** The texts that are values of a type. Hive's own casts take more. */
const forms: Readonly<Record<string, string>> = {
  tinyint: integer,
  smallint: integer,
  int: integer,
  bigint: integer,
  float: approximate,
  double: approximate,
  timestamp: moment,
  decimal: `^ *${digits} *$`,
};
