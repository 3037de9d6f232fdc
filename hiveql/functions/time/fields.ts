/** Fields of dates, timestamps and intervals. */
import { macro, sql } from "../../sql/fragment";
import type { Part } from "../../sql/fragment";
import type { Typed } from "../../tree/nodes";
import { isText, typeName, types } from "../../tree/types";
import { type CallSite, scalar, type ScalarFunction } from "../define";
import { dateOf, isMoment, timestampOf } from "./arguments";

interface DateField {
  readonly of: "date" | "timestamp";
  readonly sql: (value: Part) => Part;
  /** The unit's name in EXTRACT. @default the function's name */
  readonly unit?: string;
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
  return { ...declared, names: [...declared.names, `extract ${part.unit ?? name}`] };
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

/** Functions that return a field. */
export const fieldFunctions = [
  field("year", { of: "date", sql: (value) => macro("hive_era_year", value) }, months(12, endless)),
  field("quarter", { of: "date", sql: (value) => sql`quarter(${value})` }),
  field("month", { of: "date", sql: (value) => sql`month(${value})` }, months(1, 12)),
  field("day dayofmonth", { of: "date", sql: (value) => sql`day(${value})` }, time(86_400_000_000, endless)),
  field("hour", { of: "timestamp", sql: (value) => sql`hour(${value})` }, time(3_600_000_000, 24)),
  field("minute", { of: "timestamp", sql: (value) => sql`minute(${value})` }, time(60_000_000, 60)),
  field("second", { of: "timestamp", sql: (value) => sql`second(${value})` }, time(1_000_000, 60)),
  field("weekofyear", { of: "date", sql: (value) => sql`week(${value})`, unit: "week" }),
  field("dayofweek", { of: "date", sql: (value) => sql`dayofweek(${value}) + 1` }),
];
