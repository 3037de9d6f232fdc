/** Apache Hive: what we send, and how its answers are read. */
import { errors } from "../../../../contract";
import type { Dialect } from "../dialect";
import type { ResultColumn } from "../client/thrift";
import { hiveReason } from "./hive-reason";
import { createTable, tableSource } from "./hive-tables";
import { literal } from "./text";

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
  createTable,
  tableSource,
  describePrefix: "SELECT * FROM (",
  // Hive runs no job for it.
  async resultTexts(session, statement, nameOf) {
    const columns = await session.columnsOf(`${this.describePrefix}${statement}\n) ${resultName} LIMIT 0`);
    return columns.map((column, index) => textOf(column, nameOf(index)));
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

const resultName = "dag_result";

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
