/** Spark's Thrift server: what we send, and how its answers are read. */
import { errors } from "../../../../contract";
import type { Dialect } from "../dialect";
import { type SparkApi, taskProgress } from "./spark-progress";
import { sparkReason, withoutSparkPosition } from "./spark-reason";
import { createView, viewSource } from "./spark-tables";
import { literal } from "./text";

/** Returns the dialect of Spark. @param ui URL of the server's web interface, which reports the progress */
export function sparkDialect(ui?: string): Dialect {
  const api: SparkApi | undefined = ui === undefined ? undefined : { url: ui.replace(/\/+$/, "") };
  return {
    name: "spark",
    product: "Spark",
    server: { name: "Spark SQL", oldest: [4, 0] },
    settings,
    reason: sparkReason,
    withoutPosition: withoutSparkPosition,
    remedies: {},
    createTable: createView,
    tableSource: viewSource,
    describePrefix,
    async resultTexts(session, statement) {
      const rows = await session.rowsOf(`${describePrefix}${statement}`);
      return rows.map(([name = "", type = ""]) => ({ column: { name, type }, textOf: textFor(name, type) }));
    },
    insertInto: (folder) => `INSERT OVERWRITE DIRECTORY ${literal(folder)} USING text OPTIONS (compression 'none')`,
    explainsInsert: false,
    jobId: async (_session, { operationId }) => guidText(operationId?.guid),
    ...(api ? { progress: ({ operationId }, signal) => taskProgress(api, guidText(operationId?.guid), signal) } : {}),
  };
}

const describePrefix = "DESCRIBE QUERY ";

const settings: Readonly<Record<string, string>> = {
  // Spark's rules that are Hive's: a value that cannot be cast is NULL, and so is a quotient by zero.
  "spark.sql.ansi.enabled": "false",
  "spark.sql.session.timeZone": "UTC",
  "spark.sql.timestampType": "TIMESTAMP_LTZ",
  "spark.sql.caseSensitive": "false",
  "spark.sql.parser.escapedStringLiterals": "false",
  "spark.sql.parser.quotedRegexColumnNames": "false",
  "spark.sql.parser.singleCharacterPipeOperator.enabled": "false",
  "spark.sql.legacy.consecutiveStringLiterals.enabled": "true",
  "spark.sql.legacy.charVarcharAsString": "true",
  "spark.sql.lateralColumnAlias.enableImplicitResolution": "false",
  "spark.sql.mapKeyDedupPolicy": "LAST_WIN",
  "spark.sql.groupByOrdinal": "true",
  "spark.sql.orderByOrdinal": "true",
  // What a statement can reach.
  "spark.sql.variable.substitute": "false",
  "spark.sql.runSQLOnFiles": "false",
  // A folder without the result, or with a part of it, must not pass for the result.
  "spark.sql.files.ignoreMissingFiles": "false",
  "spark.sql.files.ignoreCorruptFiles": "false",
  "spark.sql.sources.partitionOverwriteMode": "static",
};

/** Returns how the embedded engine writes a column. @throws InvalidDMLStatement for a type without a text */
function textFor(column: string, type: string): (name: string) => string {
  const [, family = "", , scale] = /^(\w+)(?:\((\d+),(\d+)\))?/.exec(type) ?? [];
  if (family === "binary") return (name) => `regexp_replace(base64(${name}), '=+$', '')`;
  if (family === "decimal") return (name) => decimalText(name, Number(scale));
  if (plainFamilies.has(family)) return (name) => `CAST(${name} AS STRING)`;
  throw new errors.InvalidDMLStatement(
    `query 1:1 column "${column}" of the result is ${type}, which a spark cluster cannot write: select its elements, or cast it to string`,
    { field: "query" },
  );
}

const plainFamilies: ReadonlySet<string> = new Set(
  "string char varchar boolean tinyint smallint int bigint float double date timestamp timestamp_ntz void".split(" "),
);

/** Spark writes decimals of less than a millionth with an exponent. */
function decimalText(name: string, scale: number): string {
  const text = `CAST(${name} AS STRING)`;
  if (scale <= 6 || scale > 36) return text;
  const fraction = `CAST(CAST(abs(${name}) AS DECIMAL(${scale + 1},${scale})) + CAST(1 AS DECIMAL(1,0)) AS STRING)`;
  const small = `concat(IF(${name} < 0, '-0', '0'), substring(${fraction}, 2))`;
  return `IF(abs(${name}) < 1, ${small}, ${text})`;
}

/** Returns the name by which Spark's own log and interface call a statement. */
function guidText(guid: Uint8Array | undefined): string {
  const hex = Buffer.from(guid ?? []).toString("hex");
  return hex.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, "$1-$2-$3-$4-$5");
}
