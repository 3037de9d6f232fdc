/** Date and time functions. The session time zone is UTC unless `hive.local.time.zone` sets another one. */
import { isImpossibleDate } from "../tree/cast";
import { macro, raw, sql } from "../tree/fragment";
import type { Part, Typed } from "../tree/nodes";
import { type HiveType, isDateOrTime, isInteger, isText, isVoid, typeName, types } from "../tree/types";
import { formatTimestamp, parseTimestamp } from "./date-patterns";
import { type CallSite, scalar, type ScalarFunction } from "./define";
import { utcToLocal, localToUtc } from "./time-zones";
import { truncatedNumber, truncatedType } from "./truncation";

/** Refuses an untyped NULL, as Hive does. */
const requireTyped = (value: Typed, call: CallSite): Typed => {
  if (isVoid(value.type)) throw call.invalid("does not accept a NULL literal: cast it to the type of the parameter");
  return value;
};

const isMoment = (type: HiveType) => isText(type) || isDateOrTime(type) || isVoid(type);

/** Requires a date, a timestamp or a text, and no untyped NULL. */
const requireMoment = (value: Typed, call: CallSite): Typed => {
  if (!isMoment(value.type)) throw call.invalid(`expects a date or timestamp, got ${typeName(value.type)}`);
  return requireTyped(value, call);
};

const dateOf = (value: Typed, call: CallSite) => call.convert(value, types.date);
const timestampOf = (value: Typed, call: CallSite) => call.convert(value, types.timestamp);

/** Returns a pattern, which must be a literal. */
const patternOf = (value: Typed, call: CallSite): string => {
  if (typeof value.constant !== "string") throw call.invalid("expects a string literal as pattern");
  return value.constant;
};

const smallInt = (value: Typed, call: CallSite): Typed => {
  if (isInteger(value.type) && value.type.kind !== "bigint") return call.convert(value, types.int);
  throw call.invalid(`expects int as argument 2, got ${typeName(value.type)}`);
};

/** Adds an alias to a function; the alias can contain blanks, such as `extract year`. */
const withAlias = (declared: ScalarFunction, name: string): ScalarFunction => ({
  ...declared,
  names: [...declared.names, name],
});

interface DateField {
  readonly of: "date" | "timestamp";
  readonly sql: (value: Part) => Part;
  /** The unit's name in EXTRACT; null if EXTRACT does not support it, and the function's name by default. */
  readonly unit?: string | null;
}

interface IntervalPart {
  readonly kind: "interval_year_month" | "interval_day_time";
  /** The length of this part in units of the interval, and the number of parts in the next larger one. */
  readonly unit: number;
  readonly size: number;
}

/** Declares a function that returns a field of a date, timestamp or interval, and EXTRACT of that field. */
function field(names: string, part: DateField, interval?: IntervalPart): ScalarFunction {
  const [name = ""] = names.split(" ");
  const declared = scalar(names, {
    signature: `${name}(date or timestamp${interval ? " or interval" : ""})`,
    takes: ["primitive"],
    returns: types.int,
    emit: ([value], call) => {
      if (interval && value.type.kind === interval.kind) {
        return macro("hive_interval_part", value, String(interval.unit), String(interval.size));
      }
      if (!isMoment(value.type)) throw call.invalid(`expects a date or timestamp, got ${typeName(value.type)}`);
      if (part.of === "date") return sql`CAST(${part.sql(dateOf(value, call))} AS INTEGER)`;
      return sql`CAST(${part.sql(isText(value.type) ? clockOf(value, call) : timestampOf(value, call))} AS INTEGER)`;
    },
  });
  return part.unit === null ? declared : withAlias(declared, `extract ${part.unit ?? name}`);
}

/** Reads the time of day of a text, which can begin with a date. */
function clockOf(value: Typed, call: CallSite): Part {
  if (typeof value.constant === "string" && !/\d:\d/.test(value.constant) && /\d/.test(value.constant)) {
    throw call.refused(
      "has a literal without a time of day as argument, for which versions of Hive give different answers",
    );
  }
  return macro("hive_clock", call.convert(value, types.string));
}

const months = (unit: number, size: number): IntervalPart => ({ kind: "interval_year_month", unit, size });
const time = (unit: number, size: number): IntervalPart => ({ kind: "interval_day_time", unit, size });
const endless = 1_000_000_000;

const fields = [
  field("year", { of: "date", sql: (value) => macro("hive_era_year", value) }, months(12, endless)),
  field("quarter", { of: "date", sql: (value) => sql`quarter(${value})` }),
  field("month", { of: "date", sql: (value) => sql`month(${value})` }, months(1, 12)),
  field("day dayofmonth", { of: "date", sql: (value) => sql`day(${value})` }, time(86_400_000_000, endless)),
  field("hour", { of: "timestamp", sql: (value) => sql`hour(${value})` }, time(3_600_000_000, 24)),
  field("minute", { of: "timestamp", sql: (value) => sql`minute(${value})` }, time(60_000_000, 60)),
  field("second", { of: "timestamp", sql: (value) => sql`second(${value})` }, time(1_000_000, 60)),
  field("weekofyear", { of: "date", sql: (value) => sql`week(${value})`, unit: "week" }),
  field("dayofweek", { of: "date", sql: (value) => sql`dayofweek(${value}) + 1`, unit: null }),
];

const floors = ["year", "quarter", "month", "week", "day", "hour", "minute", "second"].map((unit): ScalarFunction => {
  const declared = scalar(`floor_${unit}`, {
    signature: `floor_${unit}(timestamp)`,
    takes: ["primitive"],
    returns: types.timestamp,
    emit: ([value], call) => {
      if (value.type.kind !== "timestamp") throw call.invalid(`expects a timestamp, got ${typeName(value.type)}`);
      return sql`CAST(date_trunc('${unit}', ${value}) AS TIMESTAMP)`;
    },
  });
  return withAlias(declared, `floor to ${unit}`);
});

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

const unixTimes = (["unix_timestamp", "to_unix_timestamp"] as const).map((name) =>
  scalar(name, {
    signature:
      name === "unix_timestamp"
        ? "unix_timestamp([timestamp or string[, string pattern]])"
        : "to_unix_timestamp(timestamp or string[, string pattern])",
    doc: "parses text with a java.time pattern; without a pattern the text must contain date and time",
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
/** Moves a local time that is skipped by daylight saving forward by the length of the gap. */
const skipGap = (value: Part, call: CallSite) =>
  call.timeZone === "UTC" ? value : toLocal(fromLocal(value, call), call);
const now = raw("make_timestamp(epoch_us(now()))");

const zones = (["from_utc_timestamp", "to_utc_timestamp"] as const).map((name) =>
  scalar(name, {
    signature: `${name}(timestamp, string zone)`,
    doc: "reads an integer as milliseconds since 1970; supports UTC, GMT, GMT+h, regions such as Europe/Paris and Java's other names; fails for unknown names, which Hive treats as GMT",
    takes: ["primitive", "primitive"],
    returns: types.timestamp,
    emit: ([value, zone], call) => {
      if (!isMoment(value.type) && !isInteger(value.type))
        throw call.refused(`has an argument of type ${typeName(value.type)}`);
      if (zone.constant === null) return raw("CAST(NULL AS TIMESTAMP)");
      const moved = isInteger(value.type) ? sql`epoch_ms(CAST(${value} AS BIGINT))` : timestampOf(value, call);
      if (typeof zone.constant !== "string") return macro(`hive_${name}`, moved, call.convert(zone, types.string));
      return (name === "from_utc_timestamp" ? utcToLocal : localToUtc)(moved, zone.constant, call);
    },
  }),
);

export const dateFunctions: readonly ScalarFunction[] = [
  ...fields,
  ...floors,
  scalar("to_date date", {
    signature: "to_date(date or timestamp)",
    doc: "reads the date at the beginning of a text",
    takes: ["date"],
    returns: types.date,
    emit: ([value]) => value,
  }),
  scalar("timestamp", {
    signature: "timestamp(date or string)",
    takes: ["timestamp"],
    returns: types.timestamp,
    emit: ([value]) => value,
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
    doc: "returns a string; the last day of a month stays the last day; the pattern is one of SimpleDateFormat",
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
      const written = values.length > 2 ? patternOf(pattern, call) : "yyyy-MM-dd";
      return formatTimestamp(shifted, written, "SimpleDateFormat", call);
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
    returns: (values, call) => (isMoment(values[0].type) ? types.string : truncatedType(values, call)),
    emit: (values, call, type) => {
      const [value, unit] = values;
      if (!isMoment(value.type)) return truncatedNumber(values, call, type);
      if (values.length < 2 || !isText(unit.type)) throw call.invalid("expects a string as argument 2 for a date");
      return macro("hive_trunc_date", dateOf(requireTyped(value, call), call), call.convert(unit, types.string));
    },
  }),
  scalar("date_format", {
    signature: "date_format(date or timestamp, string pattern)",
    doc: "supports the java.time letters G y u Y M L Q q w W d D E e c a h H k K m s S A n N z Z X x O, in English; weeks begin on Sunday, and the first week contains January 1st",
    takes: ["primitive", "constant"],
    returns: types.string,
    emit: ([value, pattern], call) =>
      formatTimestamp(
        skipGap(timestampOf(requireMoment(value, call), call), call),
        patternOf(pattern, call),
        "java.time",
        call,
      ),
  }),
  scalar("from_unixtime", {
    signature: "from_unixtime(bigint seconds[, string pattern])",
    doc: "returns local time; the pattern supports the letters of `date_format`",
    takes: ["primitive", "constant"],
    optional: 1,
    returns: types.string,
    emit: (values, call) => {
      const [seconds, pattern] = values;
      if (seconds.type.kind !== "int" && seconds.type.kind !== "bigint") {
        throw call.invalid(`expects int or bigint, got ${typeName(seconds.type)}`);
      }
      const value = toLocal(sql`make_timestamp(CAST(${seconds} AS BIGINT) * 1000000)`, call);
      return formatTimestamp(
        value,
        values.length > 1 ? patternOf(pattern, call) : "uuuu-MM-dd HH:mm:ss",
        "java.time",
        call,
      );
    },
  }),
  ...unixTimes,
  ...zones,
  scalar("to_epoch_milli", {
    signature: "to_epoch_milli(timestamp)",
    doc: "interprets the timestamp as UTC, whatever the session time zone is",
    takes: ["primitive"],
    returns: types.bigint,
    emit: ([value], call) => {
      if (value.type.kind !== "timestamp") throw call.invalid(`expects a timestamp, got ${typeName(value.type)}`);
      return macro("hive_epoch", value, "1000");
    },
  }),
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
