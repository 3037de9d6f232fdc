/** Reads and writes a split's `schema`, `<type> <name>, …` (specification §2.1; the types: design §2). */
import { errors } from "./errors";

/** A column of a table. */
export interface Column {
  /** Name in lower case, because Hive identifiers are case-insensitive. */
  readonly name: string;
  /** Canonical Hive type, such as `bigint`, `decimal(10,2)`, `varchar(20)`. */
  readonly type: string;
}

/** How to read a column list. */
export interface ColumnListOptions {
  /** The field of the list, for messages. @default "schema" */
  readonly field?: string;
  /** True to allow the types `array<…>`, `map<…>` and `struct<name:…>`. @default false */
  readonly nested?: boolean;
}

/**
 * Maximum number of levels of `array`, `map` and `struct` in a type, and of those that are arrays or maps, each of which
 * doubles the time in which DuckDB reads a value.
 */
export const nestingLimits = { levels: 32, lists: 8 } as const;

const plainTypes: Readonly<Record<string, string>> = {
  tinyint: "tinyint",
  smallint: "smallint",
  int: "int",
  integer: "int",
  bigint: "bigint",
  boolean: "boolean",
  float: "float",
  double: "double",
  string: "string",
  binary: "binary",
  timestamp: "timestamp",
  date: "date",
  decimal: "decimal(10,0)",
  numeric: "decimal(10,0)",
};

/** The allowed column types, for messages. */
const columnTypes = [
  ...new Set(Object.keys(plainTypes)),
  "decimal(precision,scale)",
  "varchar(length)",
  "char(length)",
] as const;

/**
 * Reads a column definition list.
 * @param text such as `string name, decimal(10,2) price`. Names with other characters than letters, digits and `_` are
 * written in backticks.
 * @throws InvalidSchema when the text is not a column list, InvalidDDLStatement when a table cannot have these columns.
 */
export function parseColumns(text: string, options: ColumnListOptions = {}): Column[] {
  try {
    return readColumns(text, options);
  } catch (error) {
    if (!(error instanceof ListError)) throw error;
    const { field = "schema" } = options;
    const ErrorClass = error.isSyntax ? errors.InvalidSchema : errors.InvalidDDLStatement;
    throw new ErrorClass(`${field} cannot be ${error.isSyntax ? "parsed" : "used"}: ${error.message}`, { field });
  }
}

/** Formats columns as a `schema` value; the inverse of {@link parseColumns}. */
export function formatColumns(columns: readonly Column[]): string {
  return columns
    .map(({ name, type }) => `${type} ${/^[a-z_][a-z0-9_]*$/.test(name) ? name : `\`${name}\``}`)
    .join(", ");
}

function readColumns(text: string, { nested = false }: ColumnListOptions): Column[] {
  if (text.trim() === "") throw unusableSchema("it defines no columns");
  const columns = splitDefinitions(text).map((definition) => parseColumn(definition, nested));
  const seen = new Set<string>();
  for (const { name } of columns) {
    if (seen.has(name)) throw unusableSchema(`it defines the column "${name}" twice`);
    seen.add(name);
  }
  return columns;
}

/** Splits the text at commas that are outside parentheses, angle brackets and backticks. */
function splitDefinitions(text: string): string[] {
  const parts = [""];
  let depth = 0;
  for (const [token] of text.matchAll(/`[^`]*`|\([^()]*\)|[^]/g)) {
    if (token === "<") depth += 1;
    else if (token === ">") depth -= 1;
    if (token === "," && depth <= 0) parts.push("");
    else parts[parts.length - 1] += token;
  }
  return parts;
}

function parseColumn(definition: string, allowsNested: boolean): Column {
  const nested = /^\s*([A-Za-z]+\s*<[^]*>)\s*(?:([A-Za-z_0-9]+)|`([^`]+)`)\s*$/.exec(definition);
  if (nested && allowsNested) {
    const [, type = "", word, quoted] = nested;
    return { name: (word ?? quoted ?? "").toLowerCase(), type: nestedType(type) };
  }
  if (nested)
    throw invalidSyntax(
      `"${definition.trim()}" has a nested type, which neither a text nor the name of a folder can have: use string`,
    );
  const match = /^\s*([A-Za-z]+)\s*(?:\(([^()]*)\))?\s*(?:(?<=[\s)])([A-Za-z_0-9]+)|`([^`]+)`)\s*$/.exec(definition);
  if (!match) throw invalidSyntax(`"${definition.trim()}" is not of the form <type> <name>`);
  const [, base = "", parameters, word, quoted] = match;
  return { name: (word ?? quoted ?? "").toLowerCase(), type: columnType(base.toLowerCase(), parameters) };
}

/** Reads `array<…>`, `map<…>` and `struct<name:…>`. @param outer the levels around it */
function nestedType(text: string, outer = { levels: 0, lists: 0 }): string {
  const [, word = "", inner] = /^\s*([A-Za-z]+)\s*<([^]*)>\s*$/.exec(text) ?? [];
  if (inner === undefined) {
    const [, base = "", parameters] = /^\s*([A-Za-z]+)\s*(?:\(([^()]*)\))?\s*$/.exec(text) ?? [];
    if (base === "") throw invalidSyntax(`"${text.trim()}" is not a type`);
    return columnType(base.toLowerCase(), parameters);
  }
  const parts = splitDefinitions(inner);
  const kind = word.toLowerCase();
  const level = { levels: outer.levels + 1, lists: outer.lists + (kind === "struct" ? 0 : 1) };
  if (level.levels > nestingLimits.levels || level.lists > nestingLimits.lists) {
    throw unusableSchema(
      `a type can have ${nestingLimits.levels} levels, of which ${nestingLimits.lists} are arrays or maps: leave the column out, or nest it less`,
    );
  }
  if (kind === "array" && parts.length === 1) return `array<${nestedType(parts[0]!, level)}>`;
  if (kind === "map" && parts.length === 2) {
    const key = nestedType(parts[0]!, level);
    if (key.includes("<")) throw unusableSchema(`the key of a map cannot be ${key}`);
    return `map<${key},${nestedType(parts[1]!, level)}>`;
  }
  if (kind !== "struct") throw unusableSchema(`"${text.trim()}" is not a type: write array<…>, map<…,…> or struct<…>`);
  const fields = parts.map((part) => {
    const [, quoted, name = quoted, type] = field.exec(part) ?? [];
    if (name === undefined || type === undefined) throw invalidSyntax(`"${part.trim()}" is not of the form name:type`);
    return `${name.toLowerCase()}:${nestedType(type, level)}`;
  });
  return `struct<${fields.join(",")}>`;
}

/** A field of a struct: its name, with or without backticks, and its type. */
const field = /^\s*(?:`([^:<>,`\s](?:[^:<>,`]*[^:<>,`\s])?)`|([^:<>,`]*[^:<>,`\s]))\s*:([^]*)$/;

function columnType(base: string, parameters: string | undefined): string {
  if (parameters === undefined) {
    const type = Object.hasOwn(plainTypes, base) ? plainTypes[base] : undefined;
    if (type === undefined)
      throw unusableSchema(`it uses the type "${base}"; supported types are ${columnTypes.join(", ")}`);
    return type;
  }
  const numbers = parameters.split(",").map((part) => (/^\s*\d{1,9}\s*$/.test(part) ? Number(part) : Number.NaN));
  if (numbers.some(Number.isNaN))
    throw invalidSyntax(`"${base}(${parameters})" must have whole numbers in its parentheses`);
  const [first = 0, second = 0] = numbers;
  if ((base === "decimal" || base === "numeric") && numbers.length <= 2) {
    if (first < 1 || first > 38 || second > first) {
      throw unusableSchema(
        `"${base}(${parameters})" must have a precision of 1 to 38 and a scale of 0 up to the precision`,
      );
    }
    return `decimal(${first},${second})`;
  }
  const longest = base === "varchar" ? 65_535 : base === "char" ? 255 : 0;
  if (longest === 0 || numbers.length !== 1) {
    throw unusableSchema(`it uses the type "${base}(${parameters})"; supported types are ${columnTypes.join(", ")}`);
  }
  if (first < 1 || first > longest)
    throw unusableSchema(`"${base}(${parameters})" must have a length of 1 to ${longest}`);
  return `${base}(${first})`;
}

/** The list is not one, or no table can have its columns. */
class ListError extends Error {
  constructor(
    readonly isSyntax: boolean,
    problem: string,
  ) {
    super(problem);
  }
}

const invalidSyntax = (problem: string) => new ListError(true, problem);
const unusableSchema = (problem: string) => new ListError(false, problem);
