/** Functions of strings and binaries. */
import { concatenatedType } from "../bind/coercion";
import { join, macro, readsColumns, sql, type SqlExpression } from "../emit/fragment";
import { isFoldedChar } from "../emit/patterns";
import { arrayOf, type HiveType, isApproximate, isInterval, isNumber, isText, isVoid, typeName, types } from "../bind/types";
import { type CallSite, scalar } from "./define";

/** Functions of one string that DuckDB has as Hive does. */
const simple = (names: string, target: string, takes: "text" | "typed text" | "text, number or date", doc = "") =>
  scalar(names, {
    signature: `${names.split(" ")[0]}(string s)`,
    doc,
    takes: [takes],
    returns: types.string,
    emit: ([s]) => sql`${target}(${s})`,
  });

/** Functions that leave a text as long as it was, and so its type. */
const inCase = (names: string, target: "hive_upper" | "hive_lower") =>
  scalar(names, {
    signature: `${names.split(" ")[0]}(string s)`,
    takes: ["primitive"],
    returns: ([s], call) => (isText(s.type) ? unfolded(s, call) : types.string),
    emit: ([s], call, type) => macro(target, call.convert(s, type)),
  });

const trimmed = (name: string, target: string) =>
  scalar(name, {
    signature: `${name}(string s[, string characters])`,
    doc: "takes spaces away and no other white space",
    takes: ["text", "text"],
    optional: 1,
    returns: types.string,
    emit: (values) => sql`${target}(${values[0]}, ${values.length > 1 ? values[1] : "' '"})`,
  });

const padded = (name: "lpad" | "rpad") =>
  scalar(name, {
    signature: `${name}(string s, int length, string pad)`,
    doc: "is NULL where the pad is empty; characters beyond U+FFFF count twice, and one cut in half becomes `?`",
    takes: ["string", "int", "string"],
    returns: types.string,
    emit: ([s, length, pad], call) => {
      if (length.constant === null) throw call.invalid("takes a number as argument 2 and not NULL");
      return macro(`hive_${name}`, s, length, pad);
    },
  });

export const stringFunctions = [
  scalar("concat", {
    signature: "concat(string a, string b, …)",
    doc: "is NULL where any argument is NULL",
    takes: ["primitive"],
    variadic: true,
    returns: (values, call) => {
      const areChars = values.every(({ type }) => type.kind === "char");
      return concatenatedType(values.map((value) => (areChars ? unfolded(value, call) : value.type)));
    },
    emit: (values, call, type) => {
      const parts = values.map((value) =>
        call.convert(value, isText(type) && isText(value.type) ? value.type : types.string),
      );
      return sql`(${join(parts, " || ")})`;
    },
  }),
  scalar("concat_ws", {
    signature: "concat_ws(string separator, string | array<string>, …)",
    doc: "leaves NULL out, but prints NULL elements of arrays as `null`",
    takes: ["text", "any"],
    variadic: true,
    returns: types.string,
    emit: (values, call) => {
      const lists = values.slice(1).map((value) => wordsOf(value, call));
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
    doc: "counts characters of strings and bytes of binaries",
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
    doc: "counts bytes of UTF-8; is refused of binaries of columns, where Hive counts the room that they are held in: `length` counts their bytes",
    takes: ["text or binary"],
    returns: types.int,
    emit: ([s], call) => {
      const isBinary = s.type.kind === "binary";
      if (isBinary && readsColumns(s))
        throw call.invalid("counts the room of a binary and not its bytes: write length");
      return sql`CAST(octet_length(${isBinary ? s : sql`encode(${s})`}) AS INTEGER)`;
    },
  }),
  scalar("substr substring mid", {
    signature: "substr(string s, int start[, int length])",
    doc: "counts from 1, from the end where `start` is negative; 0 is 1",
    takes: ["primitive", "bigint", "bigint"],
    optional: 1,
    returns: ([s], call) => (s.type.kind === "binary" && call.name !== "substring" ? s.type : types.string),
    emit: (values, call, type) => {
      const [value, start, length] = values;
      if (call.name !== "substring" && (value.type.kind === "boolean" || isInterval(value.type)))
        throw call.invalid(`takes a string or binary and not ${typeName(value.type)}: cast it to string`);
      const s = call.convert(value, type);
      if (type.kind === "binary")
        return macro("hive_substr_binary", s, start, values.length < 3 ? sql`2147483647` : length);
      if (
        isWhole(start) &&
        (values.length < 3 || isWhole(length)) &&
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
  inCase("upper ucase", "hive_upper"),
  inCase("lower lcase", "hive_lower"),
  simple(
    "initcap",
    "hive_initcap",
    "typed text",
    "makes the first letter of each word title case; words end at white space",
  ),
  simple("reverse", "hive_reverse", "text, number or date"),
  simple("soundex", "hive_soundex", "text"),
  trimmed("trim", "trim"),
  trimmed("ltrim", "ltrim"),
  trimmed("rtrim", "rtrim"),
  ...(["both", "leading", "trailing"] as const)
    .map((side) =>
      scalar("trim", {
        signature: `trim(${side.toUpperCase()} characters FROM string s)`,
        takes: ["text", "text"],
        optional: 1,
        returns: types.string,
        emit: (values) =>
          sql`${{ both: "trim", leading: "ltrim", trailing: "rtrim" }[side]}(${values[0]}, ${values.length > 1 ? values[1] : "' '"})`,
      }),
    )
    .map((entry, index) => ({ ...entry, names: [`trim ${["both", "leading", "trailing"][index]}`] })),
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
  scalar("instr", {
    signature: "instr(string s, string part)",
    takes: ["string", "string"],
    returns: types.int,
    doc: "counts characters beyond U+FFFF twice, which `locate` does not",
    emit: ([s, part]) => macro("hive_instr", s, part),
  }),
  scalar("locate position", {
    signature: "locate(string part, string s[, int start])",
    takes: ["string", "string", "int"],
    optional: 1,
    returns: types.int,
    emit: (values) =>
      values.length < 3
        ? sql`CAST(strpos(${values[1]}, ${values[0]}) AS INTEGER)`
        : macro("hive_locate", values[0], values[1], values[2]),
  }),
  scalar("ascii", {
    signature: "ascii(string s)",
    doc: "is the first byte of UTF-8, as a signed number; 0 for the empty string",
    takes: ["text, number or date"],
    returns: types.int,
    emit: ([s]) => macro("hive_ascii", s),
  }),
  scalar("chr", {
    signature: "chr(bigint n)",
    doc: "takes n modulo 256; is empty for negative numbers",
    takes: ["bigint"],
    returns: types.string,
    // Of a greater number Hive takes 16 bits, as a signed number.
    emit: ([n]) => sql`CASE WHEN ${n} < 0 OR ${n} & 32768 <> 0 THEN '' ELSE chr(CAST(${n} & 255 AS INTEGER)) END`,
  }),
  scalar("translate", {
    signature: "translate(string s, string from, string to)",
    takes: ["text", "text", "text"],
    returns: types.string,
    emit: ([s, from, to]) => sql`translate(${s}, ${from}, ${to})`,
  }),
  scalar("replace", {
    signature: "replace(string s, string part, string by)",
    takes: ["text, number or date", "text, number or date", "text, number or date"],
    returns: types.string,
    emit: ([s, part, by]) => {
      const isPlain = typeof part.constant === "string" && part.constant !== "";
      return isPlain ? sql`replace(${s}, ${part}, ${by})` : macro("hive_replace", s, part, by);
    },
  }),
  scalar("find_in_set", {
    signature: "find_in_set(string s, string list)",
    doc: "counts from 1 in a list separated by commas; 0 where there is none",
    takes: ["text, number or date", "text, number or date"],
    returns: types.int,
    emit: ([s, list]) =>
      sql`CASE WHEN ${s} IS NOT NULL AND ${list} IS NOT NULL THEN CASE WHEN contains(${s}, ',') THEN 0 ELSE coalesce(list_position(string_split(${list}, ','), ${s}), 0) END END`,
  }),
  scalar("substring_index", {
    signature: "substring_index(string s, string delimiter, int count)",
    doc: "what is counted may overlap; counted from the right, only the first character of the delimiter is left out",
    takes: ["typed text", "typed text", "int"],
    returns: types.string,
    emit: ([s, delimiter, count], call) => {
      if (count.constant === null) throw call.invalid("takes a number as argument 3 and not NULL");
      if (delimiter.constant === undefined || delimiter.constant === "") {
        throw call.refused("needs a literal, not empty delimiter in the embedded engine");
      }
      if (/^[\u{10000}-\u{10FFFF}]/u.test(String(delimiter.constant)))
        throw call.refused("takes no delimiter that begins with a character beyond U+FFFF, which Hive halves");
      if ([...String(delimiter.constant)].length > 1) return macro("hive_substring_index", s, delimiter, count);
      const parts = sql`string_split(${s}, ${delimiter})`;
      return sql`CASE WHEN ${count} > 0 THEN array_to_string(${parts}[1:${count}], ${delimiter}) WHEN ${count} < 0 THEN array_to_string(${parts}[greatest(len(${parts}) + ${count} + 1, 1):], ${delimiter}) WHEN ${count} = 0 AND ${s} IS NOT NULL THEN '' END`;
    },
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
  scalar("levenshtein", {
    signature: "levenshtein(string a, string b)",
    takes: ["text", "text"],
    returns: types.int,
    emit: ([a, b]) => sql`hive_levenshtein(${a}, ${b})`,
  }),
  scalar("sentences", {
    signature: "sentences(string s[, string language[, string country]])",
    doc: "is the words of each sentence; a text fails that has other characters than ASCII and letters of Latin, Greek and Cyrillic, or punctuation that Java parts by less plain rules; Thai is refused",
    takes: ["primitive", "primitive", "primitive"],
    optional: 2,
    returns: arrayOf(arrayOf(types.string)),
    emit: (values, call) => {
      const language = values.length > 1 ? values[1].constant : null;
      if (language === undefined || /^th$/i.test(String(language)))
        throw call.refused("takes a language that is a literal, and not Thai, in the embedded engine");
      return sql`hive_sentences(${call.convert(values[0], types.string)})`;
    },
  }),
  scalar("format_number", {
    signature: "format_number(number x, int decimals)",
    doc: "rounds half to even, as Java's DecimalFormat",
    takes: ["primitive", "any"],
    returns: types.string,
    emit: ([x, decimals], call) => {
      if (!isNumber(x.type) || x.type.kind === "tinyint")
        throw call.invalid(`takes a number that is no tinyint and not ${typeName(x.type)}: cast it`);
      if (decimals.type.kind !== "int")
        throw call.invalid(`takes an int as argument 2 and not ${typeName(decimals.type)}`);
      const places = sql`CASE WHEN ${decimals} < 0 THEN error('HiveQL: format_number with less than 0 decimals') ELSE ${decimals} END`;
      return isApproximate(x.type)
        ? sql`hive_format_double(CAST(${x} AS DOUBLE), ${places})`
        : sql`hive_format_decimal(CAST(${x} AS VARCHAR), ${places})`;
    },
  }),
  scalar("parse_url", {
    signature: "parse_url(string url, string part[, string key])",
    doc: "takes the parts HOST, PATH, QUERY, REF, PROTOCOL, AUTHORITY, FILE and USERINFO",
    takes: ["text, number or date", "text, number or date", "text, number or date"],
    optional: 1,
    returns: types.string,
    emit: (values) =>
      values.length > 2
        ? sql`hive_url_query(${values[0]}, ${values[1]}, ${values[2]})`
        : sql`hive_url_part(${values[0]}, ${values[1]})`,
  }),
];

/** Whether a literal is an int; start and length that are none give NULL. */
const isWhole = ({ constant }: SqlExpression) => typeof constant !== "number" || Math.abs(constant) <= 2_147_483_647;

/** The type of a text that Hive does not compute before it looks at a row. */
function unfolded(value: SqlExpression, call: CallSite): HiveType {
  if (isFoldedChar(value))
    throw call.refused(
      "of a char that is a literal, which Hive fills with spaces, is not supported by the embedded engine",
    );
  return value.type;
}

/** What concat_ws joins of one argument. */
function wordsOf(value: SqlExpression, call: CallSite) {
  if (value.type.kind === "array") {
    if (!isText(value.type.element)) throw call.invalid("joins strings and arrays of strings");
    return sql`coalesce(list_transform(${value}, lambda hive_x: coalesce(hive_x, 'null')), [])`;
  }
  if (!isText(value.type) && !isVoid(value.type)) throw call.invalid("joins strings and arrays of strings");
  const text = call.convert(value, types.string);
  return sql`CASE WHEN ${text} IS NULL THEN CAST([] AS VARCHAR[]) ELSE [${text}] END`;
}
