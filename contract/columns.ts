/** A split's `schema`: `<type> <name>, …` (specification §2.1, types as design §2). */
import { errors } from "./errors";

/** A column of a table. */
export interface Column {
  /** Lower case, as Hive folds identifiers. */
  readonly name: string;
  /** Canonical Hive type, such as `bigint`, `decimal(10,2)`, `varchar(20)`. */
  readonly type: string;
}

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

/** The types a column may have, for messages and documentation. */
const columnTypes = [
  ...new Set(Object.keys(plainTypes)),
  "decimal(precision,scale)",
  "varchar(length)",
  "char(length)",
] as const;

/**
 * Reads a column definition list.
 * @param text such as `string name, decimal(10,2) price`; a name of other characters stands in backticks.
 * @throws InvalidSchema where the text is not such a list, InvalidDDLStatement where no table can have these columns.
 */
export function parseColumns(text: string): Column[] {
  if (text.trim() === "") throw unusable("it defines no column");
  const columns = splitDefinitions(text).map(parseColumn);
  const seen = new Set<string>();
  for (const { name } of columns) {
    if (seen.has(name)) throw unusable(`it defines the column "${name}" twice`);
    seen.add(name);
  }
  return columns;
}

/** Writes columns as a `schema` value that {@link parseColumns} reads back. */
export function formatColumns(columns: readonly Column[]): string {
  return columns
    .map(({ name, type }) => `${type} ${/^[a-z_][a-z0-9_]*$/.test(name) ? name : `\`${name}\``}`)
    .join(", ");
}

/** The parts between the commas, apart from those in brackets and in backticks. */
function splitDefinitions(text: string): string[] {
  const parts = [""];
  for (const [token] of text.matchAll(/`[^`]*`|\([^()]*\)|[^]/g)) {
    if (token === ",") parts.push("");
    else parts[parts.length - 1] += token;
  }
  return parts;
}

function parseColumn(definition: string): Column {
  const match = /^\s*([A-Za-z]+)\s*(?:\(([^()]*)\))?\s*(?:(?<=[\s)])([A-Za-z_0-9]+)|`([^`]+)`)\s*$/.exec(definition);
  if (!match) throw invalid(`"${definition.trim()}" is not of the form <type> <name>`);
  const [, base = "", parameters, word, quoted] = match;
  return { name: (word ?? quoted ?? "").toLowerCase(), type: columnType(base.toLowerCase(), parameters) };
}

function columnType(base: string, parameters: string | undefined): string {
  if (parameters === undefined) {
    const type = Object.hasOwn(plainTypes, base) ? plainTypes[base] : undefined;
    if (type === undefined) throw unusable(`it uses the type "${base}"; known are ${columnTypes.join(", ")}`);
    return type;
  }
  const numbers = parameters.split(",").map((part) => (/^\s*\d{1,9}\s*$/.test(part) ? Number(part) : Number.NaN));
  if (numbers.some(Number.isNaN)) throw invalid(`"${base}(${parameters})" must have whole numbers in its brackets`);
  const [first = 0, second = 0] = numbers;
  if ((base === "decimal" || base === "numeric") && numbers.length <= 2) {
    if (first < 1 || first > 38 || second > first) {
      throw unusable(`"${base}(${parameters})" must have a precision of 1 to 38 and a scale up to it`);
    }
    return `decimal(${first},${second})`;
  }
  const longest = base === "varchar" ? 65_535 : base === "char" ? 255 : 0;
  if (longest === 0 || numbers.length !== 1) {
    throw unusable(`it uses the type "${base}(${parameters})"; known are ${columnTypes.join(", ")}`);
  }
  if (first < 1 || first > longest) throw unusable(`"${base}(${parameters})" must have a length of 1 to ${longest}`);
  return `${base}(${first})`;
}

const invalid = (problem: string) => new errors.InvalidSchema(`schema cannot be read: ${problem}`, { field: "schema" });
const unusable = (problem: string) =>
  new errors.InvalidDDLStatement(`schema cannot be used: ${problem}`, { field: "schema" });
