/** How Hive reads the tables of a statement: temporary external tables, and queries that give their columns types. */
import type { TableFacts } from "../local-work";
import { hiveValue } from "./hive-casts";
import { isText, literal, quoteName, unescapedText } from "./text";

/** Partitions that one statement adds. */
const batchSize = 200;

/** Returns the statements that create a temporary table over the files of a folder, with the partitions. */
export function createTable(name: string, table: TableFacts, folder: string): readonly string[] {
  const { columns, partitions, header } = table;
  const fields = columns.map(({ name: column, type }, index) =>
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
export function tableSource(name: string, table: TableFacts): string {
  const { format, columns, partitions, escapes } = table;
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
  const nothing = nothingOf(table);
  const folders = partitions.map(({ name: column, type }) => {
    const quoted = quoteName(column);
    const text = `nullif(${quoted}, ${literal(nothing)})`;
    return `${type === "string" ? text : `CAST(${text} AS ${type})`} AS ${quoted}`;
  });
  return `(SELECT ${[...values, ...folders].join(", ")} FROM ${name})`;
}

function formatOf({ format }: TableFacts): readonly string[] {
  if (format === "parquet") return ["STORED AS PARQUET"];
  // It finds members without regard to case, and has JSON text for objects and arrays.
  if (format === "json") return ["ROW FORMAT SERDE 'org.apache.hadoop.hive.serde2.JsonSerDe' STORED AS TEXTFILE"];
  const delimiter = format === "csv" ? "," : "\t";
  return [
    `ROW FORMAT DELIMITED FIELDS TERMINATED BY ${literal(delimiter)} NULL DEFINED AS ${literal("\\N")}`,
    "STORED AS TEXTFILE",
  ];
}

/**
 * The type in which a column is read: a text with escapes is read as string, in which an escape is two characters, and so
 * is a member of JSON.
 */
function readType({ format, escapes }: TableFacts, type: string): string {
  return format === "json" || (escapes && isText(type)) ? "string" : type;
}

/** Returns the value of a partition for NULL, which no folder has: Hive refuses its own. */
function nothingOf({ folders }: TableFacts): string {
  const values = new Set(folders.flatMap((folder) => folder.values));
  let nothing = "null";
  while (values.has(nothing)) nothing += "_";
  return nothing;
}
