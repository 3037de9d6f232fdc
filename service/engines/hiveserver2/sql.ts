/** The HiveQL that we send: tables over the objects of a query, and the statement that writes its result. */
import type { Column, OutputFormat } from "../../../contract";
import { errors } from "../../../contract";
import type { TextTableFacts } from "./local-work";
import type { ResultColumn } from "./client/thrift";

/** Settings of every session. Each keeps an answer, or what a statement can reach, as the embedded engine has it. */
export const sessionSettings: Readonly<Record<string, string>> = {
  // Vectorized, Hive 4.0.1 computes wrong decimals (Decimal64), and other answers in some functions of texts and dates.
  "hive.vectorized.execution.enabled": "false",
  // A cached answer is not written to the directory of INSERT OVERWRITE DIRECTORY, and objects change without Hive.
  "hive.query.results.cache.enabled": "false",
  // The statement is a subquery of the one that writes its rows.
  "hive.remove.orderby.in.subquery": "false",
  "hive.compute.query.using.stats": "false",
  "hive.variable.substitute": "false",
  "hive.local.time.zone": "UTC",
  "hive.exec.compress.output": "false",
  // Objects may lie in folders below the table's.
  "hive.mapred.supports.subdirectories": "true",
  "mapreduce.input.fileinputformat.input.dir.recursive": "true",
};

/** Returns a text as a literal of HiveQL. */
function literal(text: string): string {
  const escaped = text.replace(/[\\'\n\r\t]/g, (character) => escapes[character] ?? character);
  return `'${escaped}'`;
}

const escapes: Readonly<Record<string, string>> = {
  "\\": "\\\\",
  "'": "\\'",
  "\n": "\\n",
  "\r": "\\r",
  "\t": "\\t",
};

const quoteName = (name: string) => `\`${name.replaceAll("`", "``")}\``;

/** Returns the statement that creates a temporary table over the files of a folder. */
export function createTable(name: string, table: TextTableFacts, folder: string): string {
  const { format, columns, header } = table;
  const fields = columns.map(({ name: column, type }) => `${quoteName(column)} ${readType(table, type)}`);
  const delimiter = format === "csv" ? "," : "\t";
  return [
    `CREATE TEMPORARY EXTERNAL TABLE ${name} (${fields.join(", ")})`,
    `ROW FORMAT DELIMITED FIELDS TERMINATED BY ${literal(delimiter)} NULL DEFINED AS ${literal("\\N")}`,
    `STORED AS TEXTFILE LOCATION ${literal(folder)}`,
    ...(header ? ["TBLPROPERTIES ('skip.header.line.count'='1')"] : []),
  ].join(" ");
}

const isText = (type: string) => /^(?:string|varchar|char)\b/.test(type);

/** The type in which a column is read: a text with escapes is read as string, in which an escape is two characters. */
const readType = ({ escapes: hasEscapes }: TextTableFacts, type: string) =>
  hasEscapes && isText(type) ? "string" : type;

/** Returns what stands in place of the name of a table: the table itself, or a query over it that reads its escapes. */
export function tableSource(name: string, { columns, escapes: hasEscapes }: TextTableFacts): string {
  if (!hasEscapes) return name;
  return `(SELECT ${columns.map(unescapedColumn).join(", ")} FROM ${name})`;
}

/** Stands for a backslash while the other escapes are read; the objects do not contain it. */
const escapePlaceholder = "\u0001";

function unescapedColumn({ name, type }: Column): string {
  const quoted = quoteName(name);
  if (!isText(type)) return quoted;
  const steps = [
    ["\\\\", escapePlaceholder],
    ["\\t", "\t"],
    ["\\n", "\n"],
    ["\\r", "\r"],
    [escapePlaceholder, "\\"],
  ] as const;
  const text = steps.reduce((inner, [from, to]) => `replace(${inner}, ${controlled(from)}, ${controlled(to)})`, quoted);
  return `${type === "string" ? text : `CAST(${text} AS ${type})`} AS ${quoted}`;
}

const controlled = (text: string) => (text === escapePlaceholder ? "'\\u0001'" : literal(text));

/** The names of the columns of a result in the statement that writes it. */
const resultColumn = (index: number) => `dag_c${index}`;
const resultName = "dag_result";

/** Returns a statement whose result has the columns of the given one, and no rows; Hive runs no job for it. */
export const columnsStatement = (statement: string) => `SELECT * FROM (${statement}\n) ${resultName} LIMIT 0`;
/** The characters before the given statement in {@link columnsStatement}. */
export const columnsPrefix = "SELECT * FROM (";

/** Returns the statement that writes the rows of the given one as text, one line a row. */
export function insertStatement(
  statement: string,
  columns: readonly ResultColumn[],
  format: OutputFormat,
  folder: string,
): string {
  const names = columns.map((_, index) => resultColumn(index));
  const cells = columns.map((column, index) => cell(textOf(column, names[index]!), format, columns.length));
  const line = `concat_ws(${literal(format === "csv" ? "," : "\t")}, ${cells.join(", ")})`;
  return [
    `WITH ${resultName} (${names.join(", ")}) AS (${statement}\n)`,
    `INSERT OVERWRITE DIRECTORY ${literal(folder)} STORED AS TEXTFILE SELECT ${line} FROM ${resultName}`,
  ].join(" ");
}

/** The numbers of TTypeId. */
const typeIds = { boolean: 0, string: 7, binary: 9, array: 10, map: 11, struct: 12, union: 13, varchar: 18, char: 19 };
const nestedTypes = new Map<number, string>([
  [typeIds.array, "an array"],
  [typeIds.map, "a map"],
  [typeIds.struct, "a struct"],
  [typeIds.union, "a union"],
]);

/** Returns the text of a value as the embedded engine writes it. @throws InvalidDMLStatement for a nested value */
function textOf({ columnName, typeDesc }: ResultColumn, name: string): string {
  const entry = typeDesc.types[0]?.primitiveEntry;
  const type = entry?.type ?? typeIds.struct;
  const nested = nestedTypes.get(type);
  if (nested !== undefined) {
    const shown = columnName.replace(`${resultName}.`, "");
    throw new errors.InvalidDMLStatement(
      `query 1:1 column "${shown}" of the result is ${nested}, which a hive cluster cannot write: select its elements`,
      { field: "query" },
    );
  }
  if (type === typeIds.boolean) return `CASE WHEN ${name} THEN 'true' WHEN NOT ${name} THEN 'false' END`;
  if (type === typeIds.binary) return `regexp_replace(base64(${name}), '=+$', '')`;
  const text = `CAST(${name} AS string)`;
  // Hive pads the value of a char when it writes it, and not when it casts it.
  const length = entry?.typeQualifiers?.qualifiers?.["characterMaximumLength"]?.i32Value;
  return type === typeIds.char && length ? `rpad(${text}, ${length}, ' ')` : text;
}

/** Returns the cell of a text: quoted or escaped as the embedded engine does, with `\N` for NULL. */
function cell(text: string, format: OutputFormat, columnCount: number): string {
  const written = format === "csv" ? csvCell(text, columnCount) : tsvCell(text);
  return `nvl(${written}, ${literal("\\N")})`;
}

function csvCell(text: string, columnCount: number): string {
  const quoted = columnCount === 1 ? '[",\\r\\n]' : '[",#\\r\\n]';
  const special = `${text} RLIKE ${literal(quoted)} OR ${text} = ${literal("\\N")}`;
  const condition = columnCount === 1 ? `${special} OR ${text} = ''` : special;
  return `IF(${condition}, concat('"', replace(${text}, '"', '""'), '"'), ${text})`;
}

function tsvCell(text: string): string {
  const pairs = [
    ["\\", "\\\\"],
    ["\t", "\\t"],
    ["\n", "\\n"],
    ["\r", "\\r"],
  ] as const;
  return pairs.reduce((inner, [from, to]) => `replace(${inner}, ${literal(from)}, ${literal(to)})`, text);
}
