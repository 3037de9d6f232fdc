/** Arguments of date and time functions. */
import type { Typed } from "../../tree/nodes";
import { type HiveType, isDateOrTime, isInteger, isText, isVoid, typeName, types } from "../../tree/types";
import { type CallSite } from "../define";

/** Refuses an untyped NULL, as Hive does. */
export const requireTyped = (value: Typed, call: CallSite): Typed => {
  if (isVoid(value.type)) throw call.invalid("does not accept a NULL literal: cast it to the type of the parameter");
  return value;
};

/** Returns true for the types of dates and timestamps, and for text and untyped NULL. */
export const isMoment = (type: HiveType) => isText(type) || isDateOrTime(type) || isVoid(type);

/** Requires a date, a timestamp or a text, and no untyped NULL. */
export const requireMoment = (value: Typed, call: CallSite): Typed => {
  if (!isMoment(value.type)) throw call.invalid(`expects a date or timestamp, got ${typeName(value.type)}`);
  return requireTyped(value, call);
};

/** Converts a value to a date. */
export const dateOf = (value: Typed, call: CallSite) => call.convert(value, types.date);
/** Converts a value to a timestamp. */
export const timestampOf = (value: Typed, call: CallSite) => call.convert(value, types.timestamp);

/** Returns a pattern, which must be a literal. */
export const patternOf = (value: Typed, call: CallSite): string => {
  if (typeof value.constant !== "string") throw call.invalid("expects a string literal as pattern");
  return value.constant;
};

/** Returns an int; refuses bigint and other types. */
export const smallInt = (value: Typed, call: CallSite): Typed => {
  if (isInteger(value.type) && value.type.kind !== "bigint") return call.convert(value, types.int);
  throw call.invalid(`expects int as argument 2, got ${typeName(value.type)}`);
};
