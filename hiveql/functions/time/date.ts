/** Date and time functions. The session time zone is UTC unless `hive.local.time.zone` sets another one. */
import { isImpossibleDate } from "../../tree/cast";
import { macro, sql } from "../../sql/fragment";
import type { Typed } from "../../tree/nodes";
import { isNumber, isText, isVoid, types } from "../../tree/types";
import { type CallSite, scalar, type ScalarFunction } from "../define";
import { formatTimestamp } from "./format-pattern";
import { dateOf, patternOf, requireMoment, requireTyped, smallInt, timestampOf } from "./arguments";
import { truncatedNumber, truncatedType } from "../rounding";
import { clockFunctions } from "./clock";
import { fieldFunctions } from "./fields";

/** Reads the first argument of date_add and date_sub. A text is read as a date field, and not as CAST reads it. */
const shiftedDate = (start: Typed, call: CallSite) =>
  isText(start.type) && !isImpossibleDate(start)
    ? macro("hive_field_date", call.convert(start, types.string))
    : dateOf(start, call);

const shifts = (["date_add", "date_sub"] as const).map((name) =>
  scalar(name, {
    signature: `${name}(date start, int days)`,
    doc: "returns a date; days must be int or a smaller integer type",
    takes: ["primitive", "primitive"],
    returns: types.date,
    emit: ([start, days], call) =>
      sql`(${shiftedDate(requireMoment(start, call), call)} ${name === "date_add" ? "+" : "-"} ${smallInt(days, call)})`,
  }),
);

export const dateFunctions: readonly ScalarFunction[] = [
  ...fieldFunctions,
  scalar("to_date date", {
    signature: "to_date(date or timestamp)",
    doc: "reads the date at the beginning of a text; a time of a year of more than four digits fails",
    takes: ["date"],
    returns: types.date,
    means: ([value]) => value,
  }),
  scalar("timestamp", {
    signature: "timestamp(date or string)",
    takes: ["timestamp"],
    returns: types.timestamp,
    means: ([value]) => value,
  }),
  scalar("datediff", {
    signature: "datediff(date end, date start)",
    takes: ["primitive", "primitive"],
    returns: types.int,
    emit: ([end, start], call) =>
      sql`CAST(${dateOf(requireMoment(end, call), call)} - ${dateOf(requireMoment(start, call), call)} AS INTEGER)`,
  }),
  ...shifts,
  scalar("add_months", {
    signature: "add_months(date start, int months[, string pattern])",
    doc: "returns a string; the last day of a month stays the last day; the pattern supports the letters yyyy YYYY M d E a H h m s and SSS",
    takes: ["date or timestamp", "primitive", "constant"],
    optional: 1,
    returns: types.string,
    emit: (values, call) => {
      const [start, count, pattern] = values;
      const shifted = macro(
        "hive_shifted_months",
        timestampOf(start, call),
        isVoid(count.type) ? call.convert(count, types.int) : smallInt(count, call),
      );
      if (values.length < 3) return macro("hive_shifted_text", shifted);
      // Other letters mean something else in SimpleDateFormat.
      const written = patternOf(pattern, call);
      if (!/^(?:yyyy|YYYY|SSS|[MdEaHhms]|'[^']*'|[^A-Za-z'])*$/.test(written))
        throw call.refused(`has the pattern ${written}: use the letters yyyy YYYY M d E a H h m s SSS`);
      return formatTimestamp(macro("hive_plain_year", shifted), written, call);
    },
  }),
  scalar("last_day", {
    signature: "last_day(date)",
    doc: "returns a string",
    takes: ["date"],
    returns: types.string,
    emit: ([value]) => macro("hive_date_text", sql`last_day(${value})`),
  }),
  scalar("next_day", {
    signature: "next_day(date start, string weekday)",
    doc: "returns a string; weekdays are English names, in full or with 2 or 3 letters",
    takes: ["date", "text"],
    returns: types.string,
    emit: ([start, weekday], call) =>
      macro("hive_next_day", start, macro("hive_weekday", call.convert(weekday, types.string))),
  }),
  scalar("months_between", {
    signature: "months_between(date a, date b[, boolean round])",
    doc: "assumes 31 days per month unless both are the same day or the last day of a month; rounds to 8 digits unless `round` is false",
    takes: ["primitive", "primitive", "constant"],
    optional: 1,
    returns: types.double,
    emit: (values, call) => {
      const [first, second, round] = values;
      const apart = macro(
        "hive_months_apart",
        timestampOf(requireMoment(first, call), call),
        timestampOf(requireMoment(second, call), call),
      );
      if (values.length > 2 && typeof round.constant !== "boolean")
        throw call.invalid("expects a boolean as argument 3");
      return values.length > 2 && round.constant === false ? apart : macro("hive_round_8", apart);
    },
  }),
  scalar("trunc", {
    signature: "trunc(date, string unit), trunc(number[, int digits])",
    doc: "returns a string for a date; units are MONTH, MON, MM, QUARTER, Q, YEAR, YYYY and YY in upper case",
    takes: ["primitive", "primitive"],
    optional: 1,
    returns: ([x, digits], call) => (isNumber(x.type) ? truncatedType(x, digits, call) : types.string),
    emit: (values, call, type) => {
      const [value, unit] = values;
      if (isNumber(value.type)) return truncatedNumber(value, Number(values.length > 1 ? unit.constant : 0), type);
      if (values.length < 2 || !isText(unit.type)) throw call.invalid("expects a string as argument 2 for a date");
      return macro("hive_trunc_date", dateOf(requireTyped(value, call), call), call.convert(unit, types.string));
    },
  }),
  ...clockFunctions,
];
