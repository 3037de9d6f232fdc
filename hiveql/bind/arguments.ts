/** The arguments of a function call: checked, and converted to the types of the parameters. */
import { type Call, semantic } from "../syntax";
import type { Site, Typed } from "../tree/nodes";
import {
  isDateOrTime,
  isInteger,
  isInterval,
  isNested,
  isNumber,
  isText,
  isVoid,
  typeName,
  types,
} from "../tree/types";
import type { ArgumentValues, CallSite, FunctionEntry, Parameter } from "../functions/define";
import { callSite } from "../functions/site";
import { expression, type Scope } from "./scope";

/** Returns the place of a call. */
export const siteOf = (
  { position, name }: Call,
  { context: { settings, user, view } }: Pick<Scope, "context">,
): Site => ({
  position,
  name,
  timeZone: settings.timeZone,
  user,
  ...(view ? { view } : {}),
});

/** Returns the place of a call, with helpers. */
export const siteWithHelpers = (node: Call, scope: Pick<Scope, "context">): CallSite => callSite(siteOf(node, scope));

/** Returns the arguments of a call, converted to the types of its parameters. */
export function argumentsOf(
  node: Call,
  takes: readonly Parameter[],
  entry: Pick<FunctionEntry, "kind" | "optional" | "variadic" | "signature">,
  scope: Scope,
): ArgumentValues {
  const least = takes.length - (entry.optional ?? 0);
  const count = node.arguments.length;
  if (count < least || (count > takes.length && !entry.variadic)) {
    throw semantic(
      node.position,
      `function ${node.name}`,
      `cannot have ${count} arguments; its signature is ${entry.signature}`,
    );
  }
  const call = siteWithHelpers(node, scope);
  const given = node.arguments.map((argument) => expression(argument, scope));
  const accepted = given.map((value, index) => {
    const parameter = takes[Math.min(index, takes.length - 1)] ?? "any";
    return acceptArgument(value, parameter, index, call);
  });
  return accepted as unknown as ArgumentValues;
}

/**
 * Converts an argument to the type of its parameter, as Hive does implicitly.
 * @throws HiveQLError when Hive refuses the argument, or when the parameter needs a literal and the argument is none.
 */
function acceptArgument(value: Typed, parameter: Parameter, index: number, call: CallSite): Typed {
  const { type } = value;
  const wrong = (wanted: string) => call.invalid(`needs ${wanted} as argument ${index + 1}, not ${typeName(type)}`);
  switch (parameter) {
    case "any":
      return value;
    case "primitive":
      if (isNested(type)) throw wrong("a primitive value");
      return value;
    case "number":
      if (isText(type) || isVoid(type)) return call.convert(value, types.double);
      if (!isNumber(type)) throw wrong("a number");
      return value;
    case "int":
    case "bigint":
      return wholeNumber(value, parameter, wrong, call);
    case "double":
      if (!isNumber(type) && !isText(type) && !isVoid(type)) throw wrong("a number");
      return known(call.convert(value, types.double), value);
    case "string":
      if (isNested(type)) throw wrong("a string");
      return call.convert(value, types.string);
    case "typed text":
    case "text":
      if (!isText(type) && (parameter === "typed text" || !isVoid(type))) throw wrong("a string");
      return call.convert(value, types.string);
    case "boolean":
      if (!isVoid(type) && type.kind !== "boolean") throw wrong("a boolean");
      return call.convert(value, types.boolean);
    case "date":
      if (!isText(type) && !isDateOrTime(type) && !isVoid(type)) throw wrong("a date");
      return call.convert(value, types.date);
    case "timestamp":
      if (!isText(type) && !isDateOrTime(type) && !isVoid(type)) throw wrong("a timestamp");
      return call.convert(value, types.timestamp);
    case "date or timestamp":
      if (!isText(type) && !isDateOrTime(type) && !isVoid(type)) throw wrong("a date or timestamp");
      return isVoid(type) ? call.convert(value, types.date) : value;
    case "binary":
      if (type.kind !== "binary" && !isVoid(type)) throw wrong("a binary");
      return call.convert(value, types.binary);
    case "text or binary":
      if (!isText(type) && type.kind !== "binary") throw wrong("a string or binary");
      return isText(type) ? call.convert(value, types.string) : value;
    case "text, number or date":
      if (!isText(type) && !isNumber(type) && !isDateOrTime(type) && !isVoid(type)) throw wrong("a string");
      return call.convert(value, types.string);
    case "string or binary":
      if (type.kind === "binary") return value;
      if (isNested(type) || isInterval(type) || type.kind === "boolean") throw wrong("a string or binary");
      return call.convert(value, types.string);
    case "array":
    case "map":
      if (type.kind !== parameter) throw wrong(parameter === "array" ? "an array" : `a ${parameter}`);
      return value;
    case "constant":
    case "constant string":
    case "constant int":
      return constant(value, parameter, index, call);
  }
}

function wholeNumber(value: Typed, kind: "int" | "bigint", wrong: (wanted: string) => Error, call: CallSite): Typed {
  const fits = isVoid(value.type) || isInteger(value.type);
  if (!fits) throw wrong("an integer");
  if (kind === "int" && value.type.kind === "bigint") throw wrong("an int");
  return known(call.convert(value, types[kind]), value);
}

/** Returns a converted value with the literal value that it had before. */
function known(result: Typed, value: Typed): Typed {
  return value.constant === undefined || result.constant !== undefined
    ? result
    : { ...result, constant: value.constant };
}

function constant(value: Typed, parameter: Parameter, index: number, call: CallSite): Typed {
  if (value.constant === undefined) throw call.refused(`needs a literal as argument ${index + 1}`);
  if (parameter === "constant string" && typeof value.constant !== "string" && value.constant !== null) {
    throw call.invalid(`needs a string literal as argument ${index + 1}`);
  }
  if (parameter === "constant int" && !Number.isInteger(value.constant) && value.constant !== null) {
    throw call.invalid(`needs an integer literal as argument ${index + 1}`);
  }
  return value;
}
