/** Literals: their Hive types and their SQL. */
import { literal, nullOf, operation } from "../tree/typed";
import { type Expression, type Position, semantic, unsupported } from "../syntax";
import { limitedDecimal } from "../tree/coercion";
import type { Typed } from "../tree/nodes";
import { maxPrecision, type HiveType, types } from "../tree/types";

/** Returns an integer literal of a type. */
export function integerLiteral(value: bigint | number, type: HiveType = types.int): Typed {
  return literal(String(value), type, Number(value));
}

/** Returns a string literal. */
export function textLiteral(value: string): Typed {
  return literal(value, types.string, value);
}

export function booleanLiteral(value: boolean): Typed {
  return literal(String(value), types.boolean, value);
}

export const nullLiteral: Typed = nullOf(types.void, null);

const integerLimits: readonly (readonly [bigint, HiveType])[] = [
  [2n ** 31n - 1n, types.int],
  [2n ** 63n - 1n, types.bigint],
];

const suffixLimits: Readonly<Record<string, readonly [bigint, HiveType]>> = {
  y: [127n, types.tinyint],
  s: [32_767n, types.smallint],
  l: [2n ** 63n - 1n, types.bigint],
};

/** Binds a number literal: `1`, `1L`, `1Y`, `1S`, `1.5`, `1e3`, `1.5BD` or `1D`. */
export function numberLiteral(written: string, position: Position, negative = false): Typed {
  const lower = written.toLowerCase();
  const sign = negative ? "-" : "";
  const whole = /^(\d+)([ysl]?)$/.exec(lower);
  if (whole) {
    const value = BigInt(whole[1] ?? "0");
    const limit = suffixLimits[whole[2] ?? ""];
    if (limit && value > limit[0])
      throw semantic(
        position,
        `number ${written}`,
        "is out of the range of its type: remove the suffix or use a larger type",
      );
    const type = limit?.[1] ?? integerLimits.find(([most]) => value <= most)?.[1];
    return type ? integerLiteral(negative ? -value : value, type) : decimalLiteral(sign, lower, position);
  }
  if (lower.endsWith("bd")) return decimalLiteral(sign, lower.slice(0, -2), position);
  if (lower.endsWith("d")) return doubleLiteral(sign, lower.slice(0, -1));
  return lower.includes("e") ? doubleLiteral(sign, lower) : decimalLiteral(sign, lower, position);
}

function doubleLiteral(sign: string, digits: string): Typed {
  const value = Number(`${sign}${digits}`);
  return value === 0 ? literal(`${sign}0.0`, types.double, 0) : literal(`${sign}${digits}`, types.double, value);
}

/** Returns a decimal literal whose precision and scale are those of its digits without leading and trailing zeros. */
function decimalLiteral(sign: string, digits: string, position: Position): Typed {
  if (digits.includes("e")) throw unsupported(position, `number ${digits}`);
  const [whole = "", fraction = ""] = digits.split(".");
  const kept = fraction.replace(/0+$/, "");
  const precision = Math.max(1, whole.replace(/^0+/, "").length + kept.length);
  if (precision > maxPrecision) throw unsupported(position, `number ${digits}`, `has more than ${maxPrecision} digits`);
  const type = limitedDecimal(precision, kept.length);
  const value = `${sign}${whole === "" ? "0" : whole}${kept === "" ? "" : `.${kept}`}`;
  return literal(value, type, Number(value));
}

/** Binds `DATE '…'` and `TIMESTAMP '…'`. */
export function dateOrTimestampLiteral(kind: "date" | "timestamp", value: string, position: Position): Typed {
  const date = String.raw`\d{1,4}-\d{1,2}-\d{1,2}`;
  const form =
    kind === "date"
      ? new RegExp(`^${date}$`)
      : new RegExp(String.raw`^${date}( \d{1,2}:\d{1,2}:\d{1,2}(\.\d{1,6}0*)?)?$`);
  if (!form.test(value.trim()) || !isCalendarDate(value.trim())) {
    throw semantic(position, `${kind} '${value}'`, `is not a valid ${kind}`);
  }
  const text = value.trim().replace(/(\.\d{6})0+$/, "$1");
  return literal(text, types[kind]);
}

function isCalendarDate(value: string): boolean {
  const [year = 0, month = 0, day = 0, hour = 0, minute = 0, second = 0] = value.split(/[-: .]/).map(Number);
  const date = new Date(Date.UTC(2000, month - 1, day));
  date.setUTCFullYear(year, month - 1, day);
  return date.getUTCMonth() === month - 1 && date.getUTCDate() === day && hour < 24 && minute < 60 && second < 60;
}

const microseconds: Readonly<Record<string, number>> = {
  week: 604_800_000_000,
  day: 86_400_000_000,
  hour: 3_600_000_000,
  minute: 60_000_000,
  second: 1_000_000,
};

/** Binds an interval of a unit; `amount` translates the amount to an integer when it is an expression. */
export function intervalLiteral(
  node: Extract<Expression, { kind: "interval" }>,
  amount: (value: Expression) => Typed,
): Typed {
  const { value, unit, position } = node;
  const months = unit === "year" ? 12 : unit === "quarter" ? 3 : unit === "month" ? 1 : 0;
  if (typeof value !== "string") {
    const to = months > 0 ? types.yearMonth : types.dayTime;
    const size = months > 0 ? months : (microseconds[unit] ?? 0);
    return operation({ kind: "interval", operands: [amount(value)], unit: size, to }, to);
  }
  const bad = () => semantic(position, `interval '${value}' ${unit}`, "is not a valid interval");
  if (unit === "year to month") {
    const parts = /^\s*([+-]?)(\d+)-(\d+)\s*$/.exec(value);
    if (!parts || Number(parts[3]) > 11) throw bad();
    return yearMonth((Number(parts[2]) * 12 + Number(parts[3])) * (parts[1] === "-" ? -1 : 1));
  }
  if (unit === "day to second") return dayToSecond(value, bad);
  const parts = /^\s*([+-]?)(\d+)(?:\.(\d{1,9}))?\s*$/.exec(value);
  if (!parts || (parts[3] !== undefined && unit !== "second")) throw bad();
  const sign = parts[1] === "-" ? -1 : 1;
  if (months > 0) return yearMonth(sign * Number(parts[2]) * months);
  return dayTime(sign * (Number(parts[2]) * (microseconds[unit] ?? 0) + micros(parts[3])));
}

function dayToSecond(value: string, bad: () => Error): Typed {
  const parts = /^\s*([+-]?)(\d+) +(\d+):(\d+):(\d+)(?:\.(\d{1,9}))?\s*$/.exec(value);
  if (!parts) throw bad();
  const [hours, minutes, seconds] = [Number(parts[3]), Number(parts[4]), Number(parts[5])];
  if (hours > 23 || minutes > 59 || seconds > 59) throw bad();
  const whole = ((Number(parts[2]) * 24 + hours) * 60 + minutes) * 60 + seconds;
  return dayTime((parts[1] === "-" ? -1 : 1) * (whole * 1_000_000 + micros(parts[6])));
}

const micros = (fraction: string | undefined) => Number((fraction ?? "").padEnd(6, "0").slice(0, 6));
const yearMonth = (months: number) => literal(String(months), types.yearMonth);
const dayTime = (micro: number) => literal(String(micro), types.dayTime);
