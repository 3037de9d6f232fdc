/** The translator's own table of functions, as the generator needs it: what each takes and gives, how it is written. */
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
  /** How many of the parameters may be left out. */
  readonly optional: number;
  /** Whether the last parameter may come again. */
  readonly variadic: boolean;
  /** Whether DISTINCT may stand before the arguments. */
  readonly distinct: boolean;
  /** What it gives for most arguments; undefined where that is unknown. */
  readonly resultFamily: Family | undefined;
}

export interface DescribedParameter {
  readonly takes: Parameter;
  /** Literals of what the signature says that the parameter holds. */
  readonly texts: readonly string[];
  /** Whether only small numbers may stand there. */
  readonly bounded: boolean;
}

/**
 * Reads the table of functions.
 * @param typeOf the type that our engine gives a statement's first column, undefined where it refuses the statement.
 */
export function readCallables(
  entries: readonly FunctionEntry[],
  typeOf: (statement: string) => string | undefined,
): Callable[] {
  return entries.flatMap((entry) => {
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

/** Writes a call. Names of several words have a syntax of their own. */
export function writeCall(name: string, parameters: readonly Term[]): Term {
  const [first, ...rest] = name.split(" ") as [string, ...string[]];
  const [value = raw("null"), other] = parameters;
  const isReserved = first === "regexp" || first === "rlike";
  if (rest.length === 0) return term`${raw(isReserved ? `\`${first}\`` : first)}(${list(parameters)})`;
  if (first === "extract") return term`extract(${raw(rest.join(" "))} from ${value})`;
  if (first === "floor") return term`floor(${value} ${raw(rest.join(" "))})`;
  if (first === "trim") return term`trim(${raw(rest.join(" "))} ${other ?? raw("")} from ${value})`;
  throw new TypeError(`how ${name} is called is not known: say so in ${import.meta.filename}`);
}

/** The family of a type as Hive writes it; undefined for the type of NULL. */
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

/** Families that a parameter takes, the likelier ones more than once. */
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
  integer: ["integer", "integer", "bigint"],
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
  "short double": ["double", "double", "decimal", "integer", "bigint", "text"],
  boolean: ["boolean"],
  date: ["date", "date", "timestamp", "text"],
  timestamp: ["timestamp", "timestamp", "date", "text"],
  "date or timestamp": ["date", "timestamp", "text"],
  binary: ["binary"],
  array: ["array"],
  map: ["map"],
  struct: ["struct"],
  "text or binary": ["text", "text", "binary"],
  "text, number or date": ["text", "text", "text", "integer", "bigint", "decimal", "double", "date", "timestamp"],
  "string or binary": ["text", "text", "binary", "integer", "date"],
  "constant string": ["text"],
  "constant int": ["integer"],
  constant: ["text", "integer", "boolean"],
};

/** What the signature says of each parameter, such as `string url`. */
function describe({ signature, takes }: FunctionEntry): { takes: Parameter; texts: readonly string[] }[] {
  const inside = /\((.*?)\)(?:$|,| )/.exec(signature)?.[1] ?? "";
  const descriptions = inside.replaceAll(/[[\]]/g, "").split(/,(?![^<]*>)/);
  return takes.map((parameter, index) => ({
    takes: parameter,
    texts: literalsForParameter(descriptions[Math.min(index, descriptions.length - 1)] ?? ""),
  }));
}

/** Asks for the type of calls with plain arguments until one is taken. */
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
