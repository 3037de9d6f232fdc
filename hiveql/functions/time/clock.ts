/** Functions of the clock: times as seconds since 1970, in time zones, and as text. */
import { macro, raw, sql } from "../../sql/fragment";
import type { Part } from "../../sql/fragment";
import type { Typed } from "../../tree/nodes";
import { decimal, isDateOrTime, isInteger, isText, typeName, types } from "../../tree/types";
import { formatTimestamp } from "./format-pattern";
import { parseTimestamp } from "./parse-pattern";
import { type CallSite, scalar, type ScalarFunction } from "../define";
import { utcToLocal, localToUtc } from "./time-zones";
import { isTooLong } from "./pattern-letters";
import { isMoment, patternOf, requireMoment, timestampOf } from "./arguments";

const unixTimes = (["unix_timestamp", "to_unix_timestamp"] as const).map((name) =>
  scalar(name, {
    signature:
      name === "unix_timestamp"
        ? "unix_timestamp([timestamp or string[, string pattern]])"
        : "to_unix_timestamp(timestamp or string[, string pattern])",
    doc: "parses text with a java.time pattern, a literal; without a pattern the text must contain date and time",
    takes: ["primitive", "constant"],
    optional: name === "unix_timestamp" ? 2 : 1,
    returns: types.bigint,
    emit: (values, call) => {
      if (values.length === 0) return sql`(epoch_us(now()) // 1000000)`;
      const [value, pattern] = values;
      if (isText(value.type)) {
        const text = call.convert(value, types.string);
        const seconds =
          values.length > 1 ? parseTimestamp(text, patternOf(pattern, call), call) : macro("hive_text_seconds", text);
        return call.timeZone === "UTC" ? seconds : secondsOf(sql`make_timestamp(${seconds} * 1000000)`, call);
      }
      if (!isDateOrTime(value.type))
        throw call.invalid(`expects a string, date or timestamp, got ${typeName(value.type)}`);
      return secondsOf(timestampOf(value, call), call);
    },
  }),
);

/** Returns the seconds since 1970 of a local time. */
const secondsOf = (value: Part, call: CallSite) => macro("hive_epoch", fromLocal(value, call), "1000000");

/** Converts a local time to UTC. */
const fromLocal = (value: Part, call: CallSite) =>
  call.timeZone === "UTC" ? value : localToUtc(value, call.timeZone, call);
/** Converts UTC to local time. */
const toLocal = (value: Part, call: CallSite) =>
  call.timeZone === "UTC" ? value : utcToLocal(value, call.timeZone, call);
/** Formats a moment of UTC in the local time. */
const formatLocal = (utc: Part, pattern: string, call: CallSite) =>
  formatTimestamp(toLocal(utc, call), pattern, call, utc);
const now = raw("make_timestamp(epoch_us(now()))");

const zones = (["from_utc_timestamp", "to_utc_timestamp"] as const).map((name) =>
  scalar(name, {
    signature: `${name}(timestamp, string zone)`,
    doc: "reads an integer as milliseconds since 1970, and a double or decimal as seconds; supports UTC, GMT, GMT+h, regions such as Europe/Paris and Java's other names; fails for unknown names, which Hive treats as GMT",
    takes: ["primitive", "primitive"],
    returns: types.timestamp,
    emit: ([value, zone], call) => {
      const moved = momentOf(value, call);
      if (zone.constant === null) return raw("CAST(NULL AS TIMESTAMP)");
      if (typeof zone.constant !== "string") return macro(`hive_${name}`, moved, call.convert(zone, types.string));
      return (name === "from_utc_timestamp" ? utcToLocal : localToUtc)(moved, zone.constant, call);
    },
  }),
);

/** Converts milliseconds, seconds with a fraction, or what is a time already. */
function momentOf(value: Typed, call: CallSite): Part {
  if (isInteger(value.type)) return sql`epoch_ms(CAST(${value} AS BIGINT))`;
  if (isMoment(value.type)) return timestampOf(value, call);
  if (value.type.kind !== "double" && value.type.kind !== "decimal")
    throw call.refused(`has an argument of type ${typeName(value.type)}`);
  return macro("hive_seconds_timestamp", call.convert(value, decimal(28, 9)));
}

/** Functions that depend on the session time zone, and on others. */
export const clockFunctions: readonly ScalarFunction[] = [
  scalar("date_format", {
    signature: "date_format(date or timestamp, string pattern)",
    doc: "the pattern must be a literal; supports the java.time letters y u Y M Q q w d D E a h H k K m s S Z X x, and z with the time zone UTC, in English; weeks begin on Sunday, and the first week contains January 1st",
    takes: ["primitive", "constant"],
    returns: types.string,
    emit: ([value, written], call) => {
      // As a moment, a local time that is skipped by daylight saving is later by the length of the gap.
      const moment = fromLocal(timestampOf(requireMoment(value, call), call), call);
      const pattern = patternOf(written, call);
      return isTooLong(pattern, call) ? raw("CAST(NULL AS VARCHAR)") : formatLocal(moment, pattern, call);
    },
  }),
  scalar("from_unixtime", {
    signature: "from_unixtime(bigint seconds[, string pattern])",
    doc: "returns local time; the pattern is a literal with the letters of `date_format`",
    takes: ["primitive", "constant"],
    optional: 1,
    returns: types.string,
    emit: (values, call) => {
      const [seconds, pattern] = values;
      if (seconds.type.kind !== "int" && seconds.type.kind !== "bigint") {
        throw call.invalid(`expects int or bigint, got ${typeName(seconds.type)}`);
      }
      const moment = sql`make_timestamp(CAST(${seconds} AS BIGINT) * 1000000)`;
      return formatLocal(moment, values.length > 1 ? patternOf(pattern, call) : "uuuu-MM-dd HH:mm:ss", call);
    },
  }),
  ...unixTimes,
  ...zones,
  scalar("current_date", {
    signature: "current_date()",
    doc: "returns the date in the session time zone",
    takes: [],
    returns: types.date,
    emit: (_values, call) => sql`CAST(${toLocal(now, call)} AS DATE)`,
  }),
  scalar("current_timestamp", {
    signature: "current_timestamp()",
    doc: "returns local time; the same value in the whole statement",
    takes: [],
    returns: types.timestamp,
    emit: (_values, call) => toLocal(now, call),
  }),
];
