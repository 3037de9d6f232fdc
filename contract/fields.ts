/**
 * The fields of requests, each declared once with its rule, its description and the error code that a bad value
 * answers. Request schemas, the provider's input checks, schema.json and the documentation are made of these.
 */
import * as z from "zod";
import type { ErrorCode } from "./errors";
import { bucketPattern, bucketRule, LocationError, parseLocation } from "./location";
import { inputFormats, limits, listOrders, outputFormats, queryStatuses, queryTypes, clusterStatuses } from "./values";

/** What a field tells besides its type. */
export interface FieldMeta {
  /** Effect, constraint, default and the section of the specification. */
  readonly description: string;
  /** Code of the error for a bad value. */
  readonly code: ErrorCode;
}

/** Metadata of every field schema below. */
export const fieldRegistry = z.registry<FieldMeta>();

function field<Schema extends z.ZodType>(schema: Schema, code: ErrorCode, description: string): Schema {
  fieldRegistry.add(schema, { code, description });
  return schema;
}

const text = (rule: string) => z.string({ error: rule });
const oneOf = <const Values extends readonly [string, ...string[]]>(values: Values) =>
  z.enum(values, { error: `it must be one of ${values.join(", ")}` });

const clusterNameRule =
  "it must be 1 to 64 characters of letters, digits, '.', '_' and '-', starting with a letter or digit";
export const clusterName = field(
  text(clusterNameRule).regex(/^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/, clusterNameRule),
  "InvalidClusterName",
  "Name of the cluster. 1 to 64 characters of letters, digits, `.`, `_` and `-` (specification §2.2).",
);

export const query = field(
  text("it must be a HiveQL SELECT statement").refine(
    (value) => value.trim() !== "",
    "it must be a HiveQL SELECT statement",
  ),
  "InvalidDMLStatement",
  "HiveQL SELECT statement to run (specification §4.1).",
);

const outputPathRule = "it must be a folder below a bucket, dag://<bucket>/<path>";
export const outputResourcePath = field(
  folderBelowBucket(outputPathRule),
  "InvalidOutputResourcePath",
  "Folder `dag://<bucket>/<path>` that receives the result. Objects already under it are deleted when the result is complete (specification §1, §4.1).",
);

export const outputLogPath = field(
  folderBelowBucket(outputPathRule),
  "InvalidOutputResourcePath",
  "Folder `dag://<bucket>/<path>/` that receives the log files (specification §4.11).",
);

export const outputFormat = field(
  oneOf(outputFormats),
  "InvalidOutputFormat",
  "Format of the result objects: `csv` or `tsv`. Default `csv` (specification §4.1).",
);

const labelRule = `it must be a text of at most ${limits.label} characters`;
export const label = field(
  text(labelRule).max(limits.label, labelRule),
  "LabelIsTooLong",
  `Label of the query, at most ${limits.label} characters (specification §2.1).`,
);

const inputKeysRule = "it must be a list of at least one dag://<bucket>/<path> location";
export const inputObjectKeys = field(
  z.array(objectLocation(), { error: inputKeysRule }).min(1, inputKeysRule),
  "InvalidInputObjectKeys",
  "Objects to split, each `dag://<bucket>/<path>`; plain or gzip (specification §4.2).",
);

export const inputFormat = field(
  oneOf(inputFormats),
  "InvalidInputFormat",
  "Format of the input objects: `csv`, `tsv` or `json` (one object a line). Default `csv` (specification §4.2).",
);

const databaseRule = `it must be ${bucketRule}`;
export const outputDatabase = field(
  text(databaseRule).regex(bucketPattern, databaseRule),
  "InvalidDatabaseName",
  "Database, which is a bucket, that receives the table (specification §4.2).",
);

const tableRule = "it must be 1 to 128 characters of a-z, 0-9 and '_', and not the reserved name \"tmp\"";
export const outputTable = field(
  text(tableRule)
    .regex(/^[a-z0-9_]{1,128}$/, tableRule)
    .refine((name) => name !== "tmp", tableRule),
  "InvalidTableName",
  "Table to make: the folder `dag://<outputDatabase>/<outputTable>/` (specification §4.2).",
);

export const schema = field(
  text("it must be a column definition list: <type> <name>, …"),
  "InvalidSchema",
  "Columns of the table as `<type> <name>, …` in Hive types. Read from the data where left out (specification §2.1, §4.2).",
);

export const force = field(
  z.boolean({ error: "it must be true or false" }),
  "InvalidParameter",
  "Whether running queries are cancelled first; without it they refuse the restart. Default `false` (specification §4.7).",
);

export const clusterType = field(
  text("it must be the name of an engine family").min(1, "it must be the name of an engine family"),
  "InvalidClusterType",
  "Engine family that the cluster comes back with, such as `duckdb` or `hive`. Default: the one it has (specification §4.7).",
);

export const debug = field(
  z.boolean({ error: "it must be true or false" }),
  "InvalidParameter",
  "Whether the engine writes verbose logs after the restart. Default: as before (specification §4.7).",
);

export const compress = field(
  z.boolean({ error: "it must be true or false" }),
  "InvalidParameter",
  "Whether the exported log files are compressed with gzip. Default `false` (specification §4.11).",
);

const queryIdRule = "it must be a positive whole number";
export const queryId = field(
  z.int({ error: queryIdRule }).positive(queryIdRule),
  "InvalidQueryId",
  "Identifier of the query, as the submission answered it (specification §2.1).",
);

const maxRule = `it must be a whole number from 1 to ${limits.listPage}`;
export const max = field(
  z.int({ error: maxRule }).min(1, maxRule).max(limits.listPage, maxRule),
  "InvalidParameter",
  `Greatest number of records in one answer, 1 to ${limits.listPage}. Default ${limits.listPage} (specification §4.3).`,
);

const queryMarkerRule = "it must be the nextMarker of an earlier answer";
export const queryMarker = field(
  z.int({ error: queryMarkerRule }).positive(queryMarkerRule),
  "InvalidParameter",
  "`nextMarker` of the answer before (specification §4.3).",
);

export const clusterMarker = field(
  text(queryMarkerRule).min(1, queryMarkerRule),
  "InvalidParameter",
  "`nextMarker` of the answer before: a cluster's name (specification §4.8).",
);

export const queryStatusFilter = field(
  z.array(oneOf(queryStatuses)),
  "InvalidParameter",
  "Query statuses to list; all where left out (specification §4.3).",
);

export const clusterStatusFilter = field(
  z.array(oneOf(clusterStatuses)),
  "InvalidParameter",
  "Cluster statuses to list; all where left out (specification §4.8).",
);

export const queryTypeFilter = field(
  oneOf(queryTypes),
  "InvalidParameter",
  "Query type to list: `select` or `split` (specification §4.3).",
);

export const clusterTypeFilter = field(z.string(), "InvalidParameter", "Cluster type to list (specification §4.8).");

export const labelPrefix = field(
  z.string(),
  "InvalidParameter",
  "Start of the labels to list, exact in case (specification §4.3).",
);
export const clusterNameFilter = field(
  z.string(),
  "InvalidParameter",
  "Cluster to list, by its exact name (specification §4.3, §4.8).",
);
export const clusterNamePrefix = field(
  z.string(),
  "InvalidParameter",
  "Start of the cluster names to list (specification §4.3, §4.8).",
);
export const clusterRebootedFilter = field(
  z.boolean({ error: "it must be true or false" }),
  "InvalidParameter",
  "Whether the cluster was restarted since the query (specification §4.3).",
);
export const order = field(
  oneOf(listOrders),
  "InvalidParameter",
  "Order of the list: `asc` or `desc`. Default `desc`, newest first (specification §4.3).",
);

function folderBelowBucket(rule: string) {
  return text(rule).superRefine((value, context) => {
    const problem = locationProblem(value, rule);
    if (problem !== undefined) context.addIssue({ code: "custom", message: problem });
  });
}

function objectLocation() {
  const rule = "it must name an object, dag://<bucket>/<path>";
  return text(rule).superRefine((value, context) => {
    const problem = locationProblem(value, rule) ?? (value.endsWith("/") ? `${rule}, not a folder` : undefined);
    if (problem !== undefined) context.addIssue({ code: "custom", message: problem });
  });
}

function locationProblem(value: string, rule: string): string | undefined {
  try {
    const { key } = parseLocation(value);
    if (key === "") return rule;
    return key === "tmp" || key.startsWith("tmp/") || key.startsWith("tmp_$folder$")
      ? "its path must not lie under tmp/, where running queries keep their temporary objects"
      : undefined;
  } catch (error) {
    if (error instanceof LocationError) return error.message;
    throw error;
  }
}
