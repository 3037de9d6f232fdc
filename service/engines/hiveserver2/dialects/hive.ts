/** Apache Hive: what we send, and how its answers are read. */
import { errors } from "../../../../contract";
import type { Dialect, ResultText } from "../dialect";
import type { Qualifiers, ResultColumn } from "../client/thrift";
import { hiveReason } from "./hive-reason";
import { createTable, tableSource } from "./hive-tables";
import { literal, resultName } from "./text";

export const hiveDialect: Dialect = {
  name: "hive",
  product: "Hive",
  server: { name: "Apache Hive", oldest: [4, 0] },
  settings: {
    // Vectorized, Hive 4.0.1 computes wrong decimals (Decimal64), and other answers in some functions of texts and dates.
    "hive.vectorized.execution.enabled": "false",
    // A cached answer is not written to the directory of INSERT OVERWRITE DIRECTORY, and objects change without Hive.
    "hive.query.results.cache.enabled": "false",
    // The statement is a subquery of the one that writes its rows.
    "hive.remove.orderby.in.subquery": "false",
    "hive.compute.query.using.stats": "false",
    // With it, Hive 4.0.1 asks the columns of Parquet objects for partition columns, and leaves out rows.
    "hive.optimize.index.filter": "false",
    "hive.variable.substitute": "false",
    "hive.local.time.zone": "UTC",
    "hive.exec.compress.output": "false",
    // Objects may lie in folders below the table's.
    "hive.mapred.supports.subdirectories": "true",
    "mapreduce.input.fileinputformat.input.dir.recursive": "true",
  },
  reason: hiveReason,
  withoutPosition,
  remedies: { 10007: "name the columns of the result apart with AS, and the table of each column" },
  createTable,
  tableSource,
  describePrefix: "SELECT * FROM (",
  // Hive runs no job for it.
  async resultTexts(session, statement) {
    const columns = await session.columnsOf(`${this.describePrefix}${statement}\n) ${resultName} LIMIT 0`);
    return columns.map(resultText);
  },
  insertInto: (folder) => `INSERT OVERWRITE DIRECTORY ${literal(folder)} STORED AS TEXTFILE`,
  explainsInsert: true,
  outliveConnection: "SET hive.server2.close.session.on.disconnect=false",
  lastLogLine: /\bCompleted executing command\(/,
  jobId: (session, operation) => session.queryId(operation),
};

/** HiveServer2 reports the position only in its message, as `Line 1:23` or `line 1:23`, with columns from 0. */
function withoutPosition(message: string) {
  const found = /\b[Ll]ine (\d+):(\d+) /.exec(message);
  if (!found) return { reason: message };
  const reason = message.slice(0, found.index).replace(/(?:SemanticException|ParseException)? ?$/, "");
  const rest = message.slice(found.index + found[0].length);
  return { reason: reason + rest, line: Number(found[1]), column: Number(found[2]) };
}

/** The numbers of TTypeId. */
const typeIds = {
  boolean: 0,
  binary: 9,
  array: 10,
  map: 11,
  struct: 12,
  union: 13,
  decimal: 15,
  varchar: 18,
  char: 19,
};
const nestedTypes = new Map<number, string>([
  [typeIds.array, "an array"],
  [typeIds.map, "a map"],
  [typeIds.struct, "a struct"],
  [typeIds.union, "a union"],
]);

/**
 * A column by whose name another statement can call it. Hive calls a second column of a name `_col1`, but does not know it
 * by that. It gives other names to the columns of a subquery only in plans of its optimizer, which makes none for SORT BY.
 */
const ownName = /^(?!_col\d)[\w ]+$/;

/** The types of results by their numbers; those that have qualifiers are below, and any other is read as a text. */
const plainTypes: Readonly<Record<number, string>> = {
  0: "boolean",
  1: "tinyint",
  2: "smallint",
  3: "int",
  4: "bigint",
  5: "float",
  6: "double",
  8: "timestamp",
  9: "binary",
  17: "date",
};

/** Returns the name of a type, such as `decimal(10,2)`. */
function hiveType(type: number, qualifiers: Qualifiers): string {
  const qualifier = (name: string) => qualifiers?.[name]?.i32Value ?? 0;
  if (type === typeIds.decimal) return `decimal(${qualifier("precision")},${qualifier("scale")})`;
  if (type === typeIds.varchar) return `varchar(${qualifier("characterMaximumLength")})`;
  if (type === typeIds.char) return `char(${qualifier("characterMaximumLength")})`;
  return plainTypes[type] ?? "string";
}

/** Returns how the embedded engine writes a column. @throws InvalidDMLStatement for a nested value */
function resultText({ columnName, typeDesc }: ResultColumn): ResultText {
  const shown = columnName.replace(`${resultName}.`, "");
  const name = ownName.test(shown) ? shown : undefined;
  const entry = typeDesc.types[0]?.primitiveEntry;
  const type = entry?.type ?? typeIds.struct;
  const nested = nestedTypes.get(type);
  if (nested !== undefined) {
    throw new errors.InvalidDMLStatement(
      `query 1:1 column "${shown}" of the result is ${nested}, which a hive cluster cannot write: select its elements`,
      { field: "query" },
    );
  }
  const column = { name: shown, type: hiveType(type, entry?.typeQualifiers?.qualifiers) };
  if (type === typeIds.boolean)
    return { column, name, textOf: (value) => `CASE WHEN ${value} THEN 'true' WHEN NOT ${value} THEN 'false' END` };
  if (type === typeIds.binary)
    return { column, name, textOf: (value) => `regexp_replace(base64(${value}), '=+$', '')` };
  // Hive pads the value of a char when it writes it, and not when it casts it.
  const length = entry?.typeQualifiers?.qualifiers?.["characterMaximumLength"]?.i32Value;
  const text = (value: string) => `CAST(${value} AS string)`;
  const isPadded = type === typeIds.char && length;
  return { column, name, textOf: isPadded ? (value) => `rpad(${text(value)}, ${length}, ' ')` : text };
}
