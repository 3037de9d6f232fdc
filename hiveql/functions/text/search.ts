/** Functions that find or replace a part of a string. */
import { macro, sql } from "../../sql/fragment";
import { types } from "../../tree/types";
import { scalar } from "../define";

/** Functions that find or replace a part of a string. */
export const searchFunctions = [
  scalar("instr", {
    signature: "instr(string s, string part)",
    takes: ["string", "string"],
    returns: types.int,
    doc: "counts characters beyond U+FFFF as two, unlike `locate`",
    emit: ([s, part]) => macro("hive_instr", s, part),
  }),
  scalar("locate position", {
    signature: "locate(string part, string s[, int start])",
    doc: "returns 0 if there is none, and for a NULL `start`",
    takes: ["string", "string", "int"],
    optional: 1,
    returns: types.int,
    emit: (values) =>
      values.length < 3
        ? sql`CAST(strpos(${values[1]}, ${values[0]}) AS INTEGER)`
        : macro("hive_locate", values[0], values[1], values[2]),
  }),
  scalar("replace", {
    signature: "replace(string s, string part, string by)",
    doc: "fails for an empty search string",
    takes: ["text, number or date", "text, number or date", "text, number or date"],
    returns: types.string,
    emit: ([s, part, by]) => {
      const isPlain = typeof part.constant === "string" && part.constant !== "";
      return isPlain ? sql`replace(${s}, ${part}, ${by})` : macro("hive_replace", s, part, by);
    },
  }),
  scalar("find_in_set", {
    signature: "find_in_set(string s, string list)",
    doc: "returns the position in a comma-separated list, starting at 1; 0 if there is none",
    takes: ["text, number or date", "text, number or date"],
    returns: types.int,
    emit: ([s, list]) =>
      sql`CASE WHEN ${s} IS NOT NULL AND ${list} IS NOT NULL THEN CASE WHEN contains(${s}, ',') THEN 0 ELSE coalesce(list_position(string_split(${list}, ','), ${s}), 0) END END`,
  }),
  scalar("substring_index", {
    signature: "substring_index(string s, string delimiter, int count)",
    doc: "the delimiter must be a literal; its occurrences can overlap; with a negative count only the first character of the delimiter is removed",
    takes: ["typed text", "typed text", "int"],
    returns: types.string,
    emit: ([s, delimiter, count], call) => {
      if (count.constant === null) throw call.invalid("expects a number as argument 3, got NULL");
      if (delimiter.constant === undefined || delimiter.constant === "") {
        throw call.refused("has a delimiter that is empty or not a literal");
      }
      if (/^[\u{10000}-\u{10FFFF}]/u.test(String(delimiter.constant)))
        throw call.refused("has a delimiter that begins with a character beyond U+FFFF, which Hive cuts in half");
      if ([...String(delimiter.constant)].length > 1) return macro("hive_substring_index", s, delimiter, count);
      const parts = sql`string_split(${s}, ${delimiter})`;
      return sql`CASE WHEN ${count} > 0 THEN array_to_string(${parts}[1:${count}], ${delimiter}) WHEN ${count} < 0 THEN array_to_string(${parts}[greatest(len(${parts}) + ${count} + 1, 1):], ${delimiter}) WHEN ${count} = 0 AND ${s} IS NOT NULL THEN '' END`;
    },
  }),
  scalar("levenshtein", {
    signature: "levenshtein(string a, string b)",
    takes: ["text", "text"],
    returns: types.int,
    emit: ([a, b]) => sql`hive_levenshtein(${a}, ${b})`,
  }),
  scalar("translate", {
    signature: "translate(string s, string from, string to)",
    takes: ["text", "text", "text"],
    returns: types.string,
    emit: ([s, from, to]) => sql`translate(${s}, ${from}, ${to})`,
  }),
];
