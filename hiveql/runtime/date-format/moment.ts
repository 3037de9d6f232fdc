/** Fields of dates and timestamps of the years 1 to 9999, as java.time defines them. */
import type { Field } from "./pattern";

const dayMilliseconds = 86_400_000;

/** Returns a field of a timestamp, which is given in microseconds since 1970. */
export function fieldOf(microseconds: bigint, field: Field): number {
  const whole = Number(microseconds / 1000n) - (microseconds % 1000n < 0n ? 1 : 0);
  const date = new Date(whole);
  const hour = date.getUTCHours();
  const weekday = date.getUTCDay();
  const dayOfYear = Math.floor((whole - yearStart(date.getUTCFullYear())) / dayMilliseconds) + 1;
  switch (field) {
    case "year":
      return date.getUTCFullYear();
    case "month":
      return date.getUTCMonth() + 1;
    case "day":
      return date.getUTCDate();
    case "day of year":
      return dayOfYear;
    case "quarter":
      return Math.floor(date.getUTCMonth() / 3) + 1;
    case "week of year":
      return Math.floor((dayOfYear - 1) / 7) + 1;
    case "week of month":
      return Math.floor((date.getUTCDate() - 1) / 7) + 1;
    case "weekday":
      return weekday + 1;
    case "iso day":
      return weekday === 0 ? 7 : weekday;
    case "iso year":
      return thursdayOf(date).getUTCFullYear();
    case "iso week": {
      const thursday = thursdayOf(date);
      return Math.floor((thursday.getTime() - yearStart(thursday.getUTCFullYear())) / (7 * dayMilliseconds)) + 1;
    }
    case "half":
      return hour < 12 ? 0 : 1;
    case "hour of half":
      return hour % 12;
    case "hour":
      return hour;
    case "minute":
      return date.getUTCMinutes();
    case "second":
      return date.getUTCSeconds();
    case "second of day":
      return hour * 3600 + date.getUTCMinutes() * 60 + date.getUTCSeconds();
    case "nano":
      return Number(((microseconds % 1_000_000n) + 1_000_000n) % 1_000_000n) * 1000;
  }
}

/** Returns the days since 1970 of parsed fields; undefined when the day does not exist. */
export function dayOf(values: ReadonlyMap<Field, number>): number | undefined {
  const isoYear = values.get("iso year");
  if (isoYear !== undefined) return isoDay(isoYear, values.get("iso week") ?? 0, values.get("iso day") ?? 0);
  const year = values.get("year") ?? 0;
  if (year < 1) return undefined;
  const ofYear = values.get("day of year");
  const month = ofYear === undefined ? (values.get("month") ?? 0) : 1;
  const date = new Date(yearStart(year));
  date.setUTCMonth(month - 1, ofYear ?? values.get("day") ?? 0);
  const exists = ofYear === undefined ? date.getUTCMonth() === month - 1 && month >= 1 && month <= 12 : ofYear >= 1;
  return exists && date.getUTCFullYear() === year ? date.getTime() / dayMilliseconds : undefined;
}

function isoDay(year: number, week: number, day: number): number | undefined {
  if (year < 1 || week < 1 || week > 53 || day < 1 || day > 7) return undefined;
  const firstMonday = mondayOf(new Date(yearStart(year) + 3 * dayMilliseconds));
  const monday = firstMonday + (week - 1) * 7 * dayMilliseconds;
  const thursday = new Date(monday + 3 * dayMilliseconds);
  return thursday.getUTCFullYear() === year ? monday / dayMilliseconds + day - 1 : undefined;
}

function yearStart(year: number): number {
  const date = new Date(0);
  return date.setUTCFullYear(year, 0, 1);
}

const mondayOf = (date: Date): number => {
  const midnight = Math.floor(date.getTime() / dayMilliseconds) * dayMilliseconds;
  return midnight - ((date.getUTCDay() + 6) % 7) * dayMilliseconds;
};

/** Returns the Thursday of a day's week; its year is the ISO year of the week. */
const thursdayOf = (date: Date): Date => new Date(mondayOf(date) + 3 * dayMilliseconds);
