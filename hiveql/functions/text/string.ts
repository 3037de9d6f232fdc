/** String functions. */
import { concatenatedType } from "../../tree/coercion";
import { isInferredDate, readsColumns } from "../../tree/facts";
import { join, macro, sql } from "../../sql/fragment";
import type { Typed } from "../../tree/nodes";
import { isInterval, isText, isVoid, typeName, types } from "../../tree/types";
import { type CallSite, scalar } from "../define";
import { formatNumber } from "./format-number";

/** Declares a function of one string that maps to one DuckDB function. */
const stringFunction = (
  names: string,
  target: string,
  takes: "text" | "typed text" | "text, number or date",
  doc = "",
) =>
  scalar(names, {
    signature: `${names.split(" ")[0]}(string s)`,
    doc,
    takes: [takes],
    returns: types.string,
    emit: ([s]) => sql`${target}(${s})`,
  });

/** Declares upper or lower, which keep the length and so the type of a text. */
const caseConversion = (names: string, target: "hive_upper" | "hive_lower") =>
  scalar(names, {
    signature: `${names.split(" ")[0]}(string s)`,
    takes: ["primitive"],
    returns: ([s]) => (isText(s.type) ? s.type : types.string),
    emit: ([s], call, type) => macro(target, call.convert(s, type)),
  });

const trimmed = (name: string, syntax: string) =>
  scalar(name, {
    signature: `${name}(string s[, string characters])`,
    doc: `removes spaces by default, but no other white space; also ${syntax}`,
    takes: ["text", "text"],
    optional: 1,
    returns: types.string,
    emit: (values) => sql`${name}(${values[0]}, ${values.length > 1 ? values[1] : "' '"})`,
  });

const padded = (name: "lpad" | "rpad") =>
  scalar(name, {
    signature: `${name}(string s, int length, string pad)`,
    doc: "returns NULL for an empty `pad`; fails for a negative length, and for characters beyond U+FFFF, which Java counts as two",
    takes: ["string", "int", "string"],
    returns: types.string,
    emit: ([s, length, pad], call) => {
      if (length.constant === null) throw call.invalid("expects a number as argument 2, got NULL");
      return macro(`hive_${name}`, s, length, pad);
    },
  });

export const stringFunctions = [
  scalar("concat", {
    signature: "concat(string a, string b, …)",
    doc: "returns NULL if any argument is NULL",
    takes: ["primitive"],
    variadic: true,
    returns: (values) => concatenatedType(values.map(({ type }) => type)),
    emit: (values, call, type) => {
      const parts = values.map((value) =>
        call.convert(value, isText(type) && isText(value.type) ? value.type : types.string),
      );
      return sql`(${join(parts, " || ")})`;
    },
  }),
  scalar("concat_ws", {
    signature: "concat_ws(string separator, string | array<string>, …)",
    doc: "skips NULL arguments, but prints NULL elements of arrays as `null`",
    takes: ["text", "any"],
    variadic: true,
    returns: types.string,
    emit: (values, call) => {
      const lists = values.slice(1).map((value) => stringsOf(value, call));
      const all = lists.length === 1 ? lists[0] : sql`list_concat(${join(lists)})`;
      const joined =
        values[0].constant === undefined
          ? macro("hive_join", all ?? "[]", values[0])
          : sql`coalesce(array_to_string(${all ?? "[]"}, ${values[0]}), '')`;
      return sql`CASE WHEN ${values[0]} IS NOT NULL THEN ${joined} END`;
    },
  }),
  scalar("length", {
    signature: "length(string | binary)",
    doc: "counts the characters of strings and the bytes of binaries",
    takes: ["text or binary"],
    returns: types.int,
    emit: ([s]) =>
      s.type.kind === "binary" ? sql`CAST(octet_length(${s}) AS INTEGER)` : sql`CAST(length(${s}) AS INTEGER)`,
  }),
  scalar("char_length character_length", {
    signature: "char_length(string s)",
    takes: ["typed text"],
    returns: types.int,
    emit: ([s]) => sql`CAST(length(${s}) AS INTEGER)`,
  }),
  scalar("octet_length", {
    signature: "octet_length(string | binary)",
    doc: "counts UTF-8 bytes; does not support binary columns, for which Hive counts the size of a buffer: use `length`",
    takes: ["text or binary"],
    returns: types.int,
    emit: ([s], call) => {
      const isBinary = s.type.kind === "binary";
      if (isBinary && readsColumns(s))
        throw call.invalid("counts the buffer of a binary column and not its bytes: use length");
      return sql`CAST(octet_length(${isBinary ? s : sql`encode(${s})`}) AS INTEGER)`;
    },
  }),
  scalar("substr substring mid", {
    signature: "substr(string s, int start[, int length])",
    doc: "positions start at 1; a negative `start` counts from the end; 0 is the same as 1",
    takes: ["primitive", "bigint", "bigint"],
    optional: 1,
    returns: ([s], call) => (s.type.kind === "binary" && call.name !== "substring" ? s.type : types.string),
    emit: (values, call, type) => {
      const [value, start, length] = values;
      if (call.name !== "substring" && (value.type.kind === "boolean" || isInterval(value.type)))
        throw call.invalid(`expects a string or binary, got ${typeName(value.type)}: cast it to string`);
      const s = call.convert(value, type);
      if (type.kind === "binary")
        return macro("hive_substr_binary", s, start, values.length < 3 ? sql`2147483647` : length);
      if (
        isInIntRange(start) &&
        (values.length < 3 || isInIntRange(length)) &&
        typeof start.constant === "number" &&
        start.constant >= 0
      ) {
        const from = String(Math.max(start.constant, 1));
        if (values.length < 3) return sql`substr(${s}, ${from})`;
        if (typeof length.constant === "number" && length.constant > 0)
          return sql`substr(${s}, ${from}, ${length.constant})`;
      }
      return macro("hive_substr", s, start, values.length < 3 ? sql`2147483647` : length);
    },
  }),
  caseConversion("upper ucase", "hive_upper"),
  caseConversion("lower lcase", "hive_lower"),
  stringFunction(
    "initcap",
    "hive_initcap",
    "typed text",
    "converts the first letter of each word to title case; words are separated by white space",
  ),
  stringFunction("reverse", "hive_reverse", "text, number or date"),
  stringFunction("soundex", "hive_soundex", "text"),
  trimmed("trim", "`TRIM(BOTH characters FROM s)`"),
  trimmed("ltrim", "`TRIM(LEADING characters FROM s)`"),
  trimmed("rtrim", "`TRIM(TRAILING characters FROM s)`"),
  padded("lpad"),
  padded("rpad"),
  scalar("repeat", {
    signature: "repeat(string s, int n)",
    takes: ["text, number or date", "int"],
    returns: types.string,
    emit: ([s, n]) => macro("hive_repeat", s, n),
  }),
  scalar("space", {
    signature: "space(int n)",
    takes: ["int"],
    returns: types.string,
    emit: ([n]) => macro("hive_repeat", sql`' '`, n),
  }),
  scalar("elt", {
    signature: "elt(int n, string s1, string s2, …)",
    takes: ["int", "string"],
    variadic: true,
    returns: types.string,
    emit: ([n, ...rest]) =>
      sql`CASE ${n}${join(
        rest.map((value, index) => sql` WHEN ${index + 1} THEN ${value}`),
        "",
      )} END`,
  }),
  scalar("quote", {
    signature: "quote(string s)",
    takes: ["string"],
    returns: types.string,
    emit: ([s]) => sql`('''' || replace(replace(${s}, '\\', '\\\\'), '''', '\\''') || '''')`,
  }),
  formatNumber,
  scalar("parse_url", {
    signature: "parse_url(string url, string part[, string key])",
    doc: "supports the parts HOST, PATH, QUERY, REF, PROTOCOL, AUTHORITY, FILE and USERINFO",
    takes: ["text, number or date", "text, number or date", "text, number or date"],
    optional: 1,
    returns: types.string,
    emit: (values) =>
      values.length > 2
        ? sql`hive_url_query(${values[0]}, ${values[1]}, ${values[2]})`
        : sql`hive_url_part(${values[0]}, ${values[1]})`,
  }),
];

/** Returns false for a literal beyond the range of int, for which substr returns NULL. */
const isInIntRange = ({ constant }: Typed) => typeof constant !== "number" || Math.abs(constant) <= 2_147_483_647;

const noStrings = ({ type }: Typed, call: CallSite) =>
  call.invalid(`expects strings and arrays of strings, got ${typeName(type)}: cast it to string`);

/** Returns the list of strings that an argument of concat_ws contributes. */
function stringsOf(value: Typed, call: CallSite) {
  if (value.type.kind === "array") {
    if (!isText(value.type.element)) throw noStrings(value, call);
    return sql`coalesce(list_transform(${value}, lambda hive_x: coalesce(hive_x, 'null')), [])`;
  }
  if (!isText(value.type) && !isVoid(value.type) && !isInferredDate(value)) throw noStrings(value, call);
  const text = call.convert(value, types.string);
  return sql`CASE WHEN ${text} IS NULL THEN CAST([] AS VARCHAR[]) ELSE [${text}] END`;
}
