/** Reads the translator's table of functions for the generator: parameters, result type and call syntax of each. */
import { sizeBounded, includesFunction, excluded } from "../deviations.mts";
import { literals, literalsForParameter } from "./literals.mts";
import { list, type Term, term, raw, toSql } from "./term.mts";
import type { Family } from "./tables.mts";

type FunctionEntry = import("../../../../hiveql/functions/define.ts").FunctionEntry;
export type Parameter = import("../../../../hiveql/functions/define.ts").Parameter;

/** One name of one function. */
export interface Callable {
  readonly name: string;
  readonly kind: FunctionEntry["kind"];
  readonly parameters: readonly DescribedParameter[];
  /** The number of optional parameters. */
  readonly optional: number;
  /** True when the last parameter may repeat. */
  readonly variadic: boolean;
  /** True when the call accepts DISTINCT. */
  readonly distinct: boolean;
  /** The family of the result for most arguments; undefined when it is unknown. */
  readonly resultFamily: Family | undefined;
}

export interface DescribedParameter {
  readonly takes: Parameter;
  /** Literals that match the parameter's description in the signature. */
  readonly texts: readonly string[];
  /** True when only small numbers are allowed. */
  readonly bounded: boolean;
}

/**
 * Reads the table of functions.
 * @param typeOf returns the type of a statement's first column in the embedded engine; undefined when it refuses it.
 */
export function readCallables(
  entries: readonly FunctionEntry[],
  typeOf: (statement: string) => string | undefined,
): Callable[] {
  return entries.flatMap((entry) => {
    // The generator of whole statements writes these itself.
    if (entry.kind === "grouping" || entry.kind === "identity") return [];
    const parameters = describe(entry);
    return entry.names
      .filter((name) => !includesFunction(excluded, name))
      .map((name) => {
        const callable = {
          name,
          kind: entry.kind,
          parameters: parameters.map((each) => ({ ...each, bounded: includesFunction(sizeBounded, name) })),
          optional: entry.optional ?? 0,
          variadic: entry.variadic ?? false,
          distinct: entry.kind === "aggregate" && entry.distinct === true,
          resultFamily: undefined,
        };
        return { ...callable, resultFamily: familyOfCall(callable, typeOf) };
      });
  });
}

/** Returns a call of a function. Names of several words, such as `extract year`, have a special syntax. */
export function writeCall(name: string, parameters: readonly Term[]): Term {
  const [first, ...rest] = name.split(" ") as [string, ...string[]];
  const [value = raw("null")] = parameters;
  const isReserved = first === "regexp" || first === "rlike";
  if (rest.length === 0) return term`${raw(isReserved ? `\`${first}\`` : first)}(${list(parameters)})`;
  if (first === "extract") return term`extract(${raw(rest.join(" "))} from ${value})`;
  if (first === "floor") return term`floor(${value} ${raw(rest.join(" "))})`;
  throw new TypeError(`the call syntax of ${name} is unknown: add it to writeCall in ${import.meta.filename}`);
}

/** Returns the family of a type in Hive's notation; undefined for the type of NULL. */
function familyOf(type: string): Family | undefined {
  const kind = /^[a-z_]+/.exec(type)?.[0] ?? "";
  return kinds[kind];
}

const kinds: Readonly<Record<string, Family>> = {
  tinyint: "integer",
  smallint: "integer",
  int: "integer",
  bigint: "bigint",
  decimal: "decimal",
  float: "double",
  double: "double",
  string: "text",
  varchar: "text",
  char: "text",
  boolean: "boolean",
  date: "date",
  timestamp: "timestamp",
  interval_year_month: "interval",
  interval_day_time: "interval",
  binary: "binary",
  array: "array",
  map: "map",
  struct: "struct",
};

/** The families that a parameter accepts; more frequent ones are listed more than once. */
export const parameterFamilies: Readonly<Record<Parameter, readonly Family[]>> = {
  any: [
    "integer",
    "integer",
    "bigint",
    "decimal",
    "double",
    "text",
    "text",
    "boolean",
    "date",
    "timestamp",
    "interval",
    "binary",
    "array",
    "map",
    "struct",
  ],
  primitive: [
    "integer",
    "integer",
    "bigint",
    "decimal",
    "decimal",
    "double",
    "text",
    "text",
    "text",
    "boolean",
    "date",
    "date",
    "timestamp",
    "interval",
    "binary",
  ],
  number: ["integer", "integer", "bigint", "decimal", "decimal", "double", "double", "text"],
  string: [
    "text",
    "text",
    "text",
    "text",
    "text",
    "text",
    "integer",
    "bigint",
    "decimal",
    "double",
    "boolean",
    "date",
    "timestamp",
    "binary",
  ],
  text: ["text"],
  "typed text": ["text"],
  int: ["integer"],
  bigint: ["integer", "bigint"],
  double: ["double", "double", "decimal", "integer", "bigint", "text"],
  boolean: ["boolean"],
  date: ["date", "date", "timestamp", "text"],
  timestamp: ["timestamp", "timestamp", "date", "text"],
  "date or timestamp": ["date", "timestamp", "text"],
  binary: ["binary"],
  array: ["array"],
  map: ["map"],
  "text or binary": ["text", "text", "binary"],
  "text, number or date": ["text", "text", "text", "integer", "bigint", "decimal", "double", "date", "timestamp"],
  "string or binary": ["text", "text", "binary", "integer", "date"],
  "constant string": ["text"],
  "constant int": ["integer"],
  constant: ["text", "integer", "boolean"],
};

/** Returns a function's parameters, with literals for their descriptions in the signature, such as `string url`. */
function describe({ signature, takes }: FunctionEntry): { takes: Parameter; texts: readonly string[] }[] {
  const inside = /\((.*?)\)(?:$|,| )/.exec(signature)?.[1] ?? "";
  const descriptions = inside.replaceAll(/[[\]]/g, "").split(/,(?![^<]*>)/);
  return takes.map((parameter, index) => ({
    takes: parameter,
    texts: literalsForParameter(descriptions[Math.min(index, descriptions.length - 1)] ?? ""),
  }));
}

/** Returns the result family of the first call with simple arguments that the embedded engine accepts. */
function familyOfCall(
  { name, kind, parameters }: Omit<Callable, "resultFamily">,
  typeOf: (statement: string) => string | undefined,
): Family | undefined {
  if (kind !== "scalar") return undefined;
  const longest = Math.max(1, ...parameters.map(({ takes }) => parameterFamilies[takes].length));
  for (let turn = 0; turn < longest; turn += 1) {
    const values = parameters.map(({ takes, texts }) => {
      const families = parameterFamilies[takes];
      const known = texts.length > 0 && /string|text|constant$/.test(takes) ? texts : undefined;
      const family = families[turn % families.length] as Family;
      return raw((known ?? literals[family])[turn % (known ?? literals[family]).length] as string);
    });
    const type = typeOf(`SELECT ${toSql(writeCall(name, values))}`);
    const family = type === undefined ? undefined : familyOf(type);
    if (family !== undefined) return family;
  }
  return undefined;
}
