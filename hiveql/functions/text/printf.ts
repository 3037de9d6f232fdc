/** printf with Java's format directives; the format must be a literal. */
import { join, macro, raw, sql } from "../../sql/fragment";
import type { Part } from "../../sql/fragment";
import type { Typed } from "../../tree/nodes";
import { printedText as javaText } from "../../sql/printed-text";
import {
  isApproximate,
  isInteger,
  isInterval,
  isNested,
  isText,
  isVoid,
  quoteLiteral,
  typeName,
  types,
} from "../../tree/types";
import { type CallSite, scalar } from "../define";

/** One directive: `%[position$][flags][width][.precision]conversion`. */
const directive = /%(?:(\d+)\$)?([-#+ 0,(<]*)(\d+)?(?:\.(\d+))?([a-zA-Z%])/g;

/** The flags that each directive supports. */
const supported: Readonly<Record<string, RegExp>> = { s: /^-?$/, d: /^[-0+,]*$/, f: /^[-0+,]*$/, n: /^$/, "%": /^$/ };

/** What to write for conversions that are not supported. */
const remedies: Readonly<Record<string, string>> = { x: ": write %s with hex(value)" };

export const printfFunctions = [
  scalar("printf", {
    signature: "printf(string format, any value, …)",
    doc: "the format must be a literal; supports the directives %s, %d, %f, %n and %%, with the flags - 0 + and comma, width and precision",
    takes: ["constant", "primitive"],
    optional: 1,
    variadic: true,
    returns: types.string,
    emit: ([format, ...values], call) => {
      if (!isText(format.type) && !isVoid(format.type)) throw call.invalid("expects a string as format");
      if (typeof format.constant !== "string") return raw("CAST(NULL AS VARCHAR)");
      return formatted(format.constant, values, call);
    },
  }),
];

function formatted(format: string, values: readonly Typed[], call: CallSite): Part {
  const parts: Part[] = [];
  let end = 0;
  let next = 0;
  const literal = (text: string) => {
    if (text.includes("%")) throw call.invalid(`has the invalid format '${format}'`);
    if (text !== "") parts.push(raw(quoteLiteral(text)));
  };
  for (const match of format.matchAll(directive)) {
    const [all, position, flags = "", width, precision, conversion = ""] = match;
    literal(format.slice(end, match.index));
    end = match.index + all.length;
    if (!supported[conversion]?.test(flags))
      throw call.refused(`has the directive ${all}${remedies[conversion.toLowerCase()] ?? ""}`);
    const spec = { all, flags, width: Number(width ?? 0), precision, conversion };
    checkFlags(spec, call);
    if (conversion === "%" || conversion === "n") {
      if (all.length > 2) throw call.refused(`has the directive ${all}`);
      parts.push(raw(conversion === "%" ? "'%'" : "chr(10)"));
      continue;
    }
    const index = position === undefined ? next : Number(position) - 1;
    if (position === undefined) next += 1;
    const value = values[index];
    if (!value) throw call.invalid(`has no argument for the directive ${all}`);
    parts.push(formatDirective(spec, value, call));
  }
  literal(format.slice(end));
  return parts.length === 0 ? raw("''") : sql`(${join(parts, " || ")})`;
}

interface Directive {
  readonly all: string;
  readonly flags: string;
  readonly width: number;
  readonly precision: string | undefined;
  readonly conversion: string;
}

/** Refuses flags that Java refuses: contradictory and repeated flags, and flags without their width. */
function checkFlags({ all, flags, width }: Directive, call: CallSite) {
  const has = (flag: string) => flags.includes(flag);
  const isWrong =
    new Set(flags).size < flags.length || (has("-") && has("0")) || ((has("-") || has("0")) && width === 0);
  if (isWrong) throw call.invalid(`has the directive ${all} with invalid flags`);
}

function formatDirective(spec: Directive, value: Typed, call: CallSite): Part {
  const { all, flags, width, precision, conversion } = spec;
  const { type } = value;
  const options = sql`${quoteLiteral(flags)}, CAST(${width} AS INTEGER), CAST(${precision ?? -1} AS INTEGER)`;
  const text = (shown: Part) => sql`hive_printf_text(${shown}, ${options})`;
  if (conversion === "s") return text(sql`coalesce(${textOf(value, call)}, 'null')`);
  const isWhole = conversion === "d";
  if (isWhole && precision !== undefined) throw call.refused(`has the directive ${all}`);
  if (isWhole ? !isInteger(type) : !isApproximate(type) && type.kind !== "decimal")
    throw call.invalid(`cannot format ${typeName(type)} with ${all}`);
  const printed = isWhole
    ? sql`hive_printf_whole(CAST(${value} AS BIGINT), ${options})`
    : sql`hive_printf_real(${macro("hive_printed_double", call.convert(value, types.double))}, ${options})`;
  return sql`coalesce(${printed}, ${text(raw("'null'"))})`;
}

/** Returns a value as the text that Java prints. */
function textOf(value: Typed, call: CallSite): Part {
  const { type } = value;
  if (isNested(type) || isInterval(type) || type.kind === "binary")
    throw call.refused(`has an argument of type ${typeName(type)}`);
  if (type.kind === "void") return raw("CAST(NULL AS VARCHAR)");
  // A char is printed with its padding.
  if (type.kind === "char") return sql`rpad(${value}, ${type.length}, ' ')`;
  return type.kind === "decimal" ? javaText(call.convert(value, types.double), types.double) : javaText(value, type);
}
