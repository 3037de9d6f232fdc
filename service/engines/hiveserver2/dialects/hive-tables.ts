/** How Hive reads the tables of a statement: temporary external tables, and queries that give their columns types. */
import type { ExternalTable } from "../../prepared-statement";
import { hiveValue } from "./hive-casts";
import { isText, literal, quoteName, unescapedText } from "./text";

/** Partitions that one statement adds. */
const batchSize = 200;

/** Returns the statements that create a temporary table over the files of a folder, with the partitions. */
export function createTable(name: string, table: ExternalTable, folder: string): readonly string[] {
  const { columns, partitions, header, quotes } = table;
  const fields = (quotes ? [{ name: line, type: "string" }] : columns).map(({ name: column, type }, index) =>
    type === "" ? `${quoteName(`dag_hidden${index}`)} string` : `${quoteName(column)} ${readType(table, type)}`,
  );
  const levels = partitions.map(({ name: column }) => `${quoteName(column)} string`);
  const create = [
    `CREATE TEMPORARY EXTERNAL TABLE ${name} (${fields.join(", ")})`,
    ...(levels.length > 0 ? [`PARTITIONED BY (${levels.join(", ")})`] : []),
    ...formatOf(table),
    `LOCATION ${literal(folder)}`,
    ...(header ? ["TBLPROPERTIES ('skip.header.line.count'='1')"] : []),
  ].join(" ");
  const nothing = nothingOf(table);
  const places = table.folders.map(({ path, values }) => {
    const spec = partitions.map(
      ({ name: column }, level) => `${quoteName(column)}=${literal(values[level] ?? nothing)}`,
    );
    return `PARTITION (${spec.join(", ")}) LOCATION ${literal(`${folder}/${path.slice(0, -1)}`)}`;
  });
  const batches = Array.from({ length: Math.ceil(places.length / batchSize) }, (_, index) =>
    places.slice(index * batchSize, (index + 1) * batchSize),
  );
  return [create, ...batches.map((batch) => `ALTER TABLE ${name} ADD ${batch.join(" ")}`)];
}

/** Returns what stands in place of the name of a table. */
export function tableSource(name: string, table: ExternalTable): string {
  const { format, columns, partitions, escapes } = table;
  if (table.quotes) return quotedSource(name, table);
  const isPlain = format !== "json" && !escapes && columns.every(({ type }) => type !== "") && partitions.length === 0;
  if (isPlain) return name;
  const values = columns
    .filter(({ type }) => type !== "")
    .map(({ name: column, type }) => {
      const quoted = quoteName(column);
      if (format === "json") return `${hiveValue(quoted, type)} AS ${quoted}`;
      if (!escapes || !isText(type)) return quoted;
      const text = unescapedText(quoted);
      return `${type === "string" ? text : `CAST(${text} AS ${type})`} AS ${quoted}`;
    });
  return `(SELECT ${[...values, ...folderValues(table)].join(", ")} FROM ${name})`;
}

/** The column of a table of lines, and those of their cells. */
const line = "dag_line";
const cell = (index: number) => `dag_cell${index}`;

/** Returns a query over lines of csv whose cells may be in quotes, which the objects have been checked for. */
function quotedSource(name: string, table: ExternalTable): string {
  const shown = table.columns.flatMap((column, index) => (column.type === "" ? [] : [{ ...column, index }]));
  const cells = shown.map(({ index }) => {
    const pattern = `^(?:${cellPattern},){${index}}(${cellPattern})`;
    // A line that is nothing but the mark of NULL is NULL itself.
    return `regexp_extract(nvl(${line}, ${literal("\\N")}), ${literal(pattern)}, 1) AS ${cell(index)}`;
  });
  const values = shown.map(({ name: column, type, index }) => {
    const text = cell(index);
    const unquoted = `replace(substr(${text}, 2, length(${text}) - 2), '""', '"')`;
    const value = `IF(substr(${text}, 1, 1) = '"', ${unquoted}, nullif(${text}, ${literal("\\N")}))`;
    return `${hiveValue(value, type)} AS ${quoteName(column)}`;
  });
  const inner = [...cells, ...table.partitions.map(({ name: column }) => quoteName(column))];
  return `(SELECT ${[...values, ...folderValues(table)].join(", ")} FROM (SELECT ${inner.join(", ")} FROM ${name}) dag_lines)`;
}

/** A cell; possessive, so that Java needs no stack for long ones. */
const cellPattern = `(?:"[^"]*+(?:""[^"]*+)*+"|[^",]*+)`;

/** Returns the partition columns with their types. */
function folderValues(table: ExternalTable): readonly string[] {
  const nothing = nothingOf(table);
  return table.partitions.map(({ name, type }) => {
    const quoted = quoteName(name);
    const text = `nullif(${quoted}, ${literal(nothing)})`;
    return `${type === "string" ? text : `CAST(${text} AS ${type})`} AS ${quoted}`;
  });
}

function formatOf({ format, quotes }: ExternalTable): readonly string[] {
  if (format === "parquet") return ["STORED AS PARQUET"];
  // It finds members without regard to case, and has JSON text for objects and arrays.
  if (format === "json") return ["ROW FORMAT SERDE 'org.apache.hadoop.hive.serde2.JsonSerDe' STORED AS TEXTFILE"];
  const delimiter = format === "csv" ? "," : "\t";
  return [
    `ROW FORMAT DELIMITED FIELDS TERMINATED BY ${quotes ? "'\\u0001'" : literal(delimiter)} NULL DEFINED AS ${literal("\\N")}`,
    "STORED AS TEXTFILE",
  ];
}

/**
 * The type in which a column is read: a text with escapes is read as string, in which an escape is two characters, and so
 * is a member of JSON.
 */
function readType({ format, escapes }: ExternalTable, type: string): string {
  return format === "json" || (escapes && isText(type)) ? "string" : type;
}

/** Returns the value of a partition for NULL, which no folder has: Hive refuses its own. */
function nothingOf({ folders }: ExternalTable): string {
  const values = new Set(folders.flatMap((folder) => folder.values));
  let nothing = "null";
  while (values.has(nothing)) nothing += "_";
  return nothing;
}
