/**
 * The request fields, each with its validation rule, its description and the error code of an invalid value. The
 * request schemas, the provider's input checks, schema.json and the documentation are built from these declarations.
 */
import * as z from "zod";
import type { ErrorCode } from "./errors";
import { bucketPattern, bucketRule, LocationError, parseLocation } from "./location";
import { reservedFolderOf, reservedFolders } from "./reserved-folders";
import { inputFormats, limits, listOrders, outputFormats, queryStatuses, queryTypes, clusterStatuses } from "./values";

/** Metadata of a field besides its type. */
export interface FieldMeta {
  /** Effect, constraints and default, for users. */
  readonly description: string;
  /** Code of the error for an invalid value. */
  readonly code: ErrorCode;
}

/** Maps every field schema below to its metadata. */
export const fieldRegistry = z.registry<FieldMeta>();

function field<Schema extends z.ZodType>(schema: Schema, code: ErrorCode, description: string): Schema {
  fieldRegistry.add(schema, { code, description });
  return schema;
}

const text = (rule: string) => z.string({ error: rule });

/**
 * Parameters of a check of length. By itself zod compares the `length` of any value that has one, also of one that
 * failed its type, and throws where that length is an object without a primitive value.
 */
function lengthCheck<Rule>(error: Rule) {
  const when = ({ value }: { readonly value: unknown }) => typeof value === "string" || Array.isArray(value);
  return { error, when };
}

const oneOf = <const Values extends readonly [string, ...string[]]>(values: Values) =>
  z.enum(values, { error: `it must be one of ${values.join(", ")}` });

const listOf = (values: readonly string[]) => `it must be a list of ${values.join(", ")}`;

const clusterNameRule =
  "it must be 1 to 64 characters of letters, digits, '.', '_' and '-', starting with a letter or digit";
export const clusterName = field(
  text(clusterNameRule).regex(/^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/, clusterNameRule),
  "InvalidClusterName",
  "Name of the cluster. 1 to 64 characters of letters, digits, `.`, `_` and `-`, starting with a letter or digit.",
);

export const query = field(
  wellFormed(
    text("it must be a HiveQL SELECT statement").refine(
      (value) => value.trim() !== "",
      "it must be a HiveQL SELECT statement",
    ),
  ),
  "InvalidDMLStatement",
  "HiveQL SELECT statement to run.",
);

const outputPathRule = "it must be a folder inside a bucket, dag://<bucket>/<path>";
export const outputResourcePath = field(
  folderInBucket(outputPathRule),
  "InvalidOutputResourcePath",
  "Folder `dag://<bucket>/<path>` that receives the result. The earlier objects of the folder are deleted when the result is complete.",
);

export const outputLogPath = field(
  folderInBucket(outputPathRule),
  "InvalidOutputResourcePath",
  "Folder `dag://<bucket>/<path>/` that receives the log files.",
);

export const outputFormat = field(
  oneOf(outputFormats),
  "InvalidOutputFormat",
  "Format of the result objects: `csv` or `tsv`. Default `csv`.",
);

const labelRule = `it must be a string of at most ${limits.label} characters`;
export const label = field(
  wellFormed(text(labelRule).max(limits.label, lengthCheck(labelRule))),
  "LabelIsTooLong",
  `Label of the query, at most ${limits.label} characters.`,
);

const inputKeysRule = "it must be a list of at least one dag://<bucket>/<path> location";
const inputKeysLimit = limits.inputObjectKeys.toLocaleString("en");
export const inputObjectKeys = field(
  z
    .array(objectLocation(), { error: inputKeysRule })
    .min(1, lengthCheck(inputKeysRule))
    .max(
      limits.inputObjectKeys,
      lengthCheck(
        ({ input }: { readonly input: unknown }) =>
          `it has ${(input as readonly unknown[]).length.toLocaleString("en")} locations, at most ${inputKeysLimit} are allowed: join small objects, or split them into several tables`,
      ),
    ),
  "InvalidInputObjectKeys",
  `Objects to split, each \`dag://<bucket>/<path>\`, uncompressed or compressed with gzip. At most ${inputKeysLimit}. One that is listed twice has its rows in the table twice.`,
);

export const inputFormat = field(
  oneOf(inputFormats),
  "InvalidInputFormat",
  "Format of the input objects: `csv`, `tsv` or `json` (one object per line). Default `csv`.",
);

const databaseRule = `it must be ${bucketRule}`;
export const outputDatabase = field(
  text(databaseRule).regex(bucketPattern, databaseRule),
  "InvalidDatabaseName",
  "Database that receives the table. A database is a bucket.",
);

const tableRule = "it must be 1 to 128 characters of a-z, 0-9 and '_', and not the reserved name \"tmp\"";
export const outputTable = field(
  text(tableRule)
    .regex(/^[a-z0-9_]{1,128}$/, tableRule)
    .refine((name) => name !== "tmp", tableRule),
  "InvalidTableName",
  "Name of the table to create. Its objects are in the folder `dag://<outputDatabase>/<outputTable>/`.",
);

export const schema = field(
  wellFormed(text("it must be a column definition list: <type> <name>, …")),
  "InvalidSchema",
  "Columns of the table as `<type> <name>, …`, with Hive types. Default: inferred from the data.",
);

export const force = field(
  z.boolean({ error: "it must be true or false" }),
  "InvalidParameter",
  "Set to `true` to cancel running queries first. If `false`, the restart fails while queries are running. Default `false`.",
);

export const clusterType = field(
  text("it must be the name of an engine family").min(1, lengthCheck("it must be the name of an engine family")),
  "InvalidClusterType",
  "Engine family of the cluster after the restart, such as `duckdb`. Default: unchanged.",
);

export const debug = field(
  z.boolean({ error: "it must be true or false" }),
  "InvalidParameter",
  "Set to `true` to make the engine write verbose logs after the restart. Default: unchanged.",
);

export const compress = field(
  z.boolean({ error: "it must be true or false" }),
  "InvalidParameter",
  "Set to `true` to compress the exported log files with gzip. Default `false`.",
);

const queryIdRule = `it must be a whole number from 1 to ${Number.MAX_SAFE_INTEGER}`;
export const queryId = field(
  z.int({ error: queryIdRule }).positive(queryIdRule),
  "InvalidQueryId",
  "Identifier of the query, as returned by its submission.",
);

const maxRule = `it must be a whole number from 1 to ${limits.listPage}`;
export const max = field(
  z.int({ error: maxRule }).min(1, maxRule).max(limits.listPage, maxRule),
  "InvalidParameter",
  `Maximum number of records per page, 1 to ${limits.listPage}. Default ${limits.listPage}.`,
);

const queryMarkerRule = "it must be the nextMarker of an earlier page";
export const queryMarker = field(
  z.int({ error: queryMarkerRule }).positive(queryMarkerRule),
  "InvalidParameter",
  "`nextMarker` of the previous page.",
);

export const clusterMarker = field(
  text(queryMarkerRule).min(1, lengthCheck(queryMarkerRule)),
  "InvalidParameter",
  "`nextMarker` of the previous page, which is the name of a cluster.",
);

export const queryStatusFilter = field(
  z.array(oneOf(queryStatuses), { error: listOf(queryStatuses) }),
  "InvalidParameter",
  "Statuses of the queries to list. Default: all.",
);

export const clusterStatusFilter = field(
  z.array(oneOf(clusterStatuses), { error: listOf(clusterStatuses) }),
  "InvalidParameter",
  "Statuses of the clusters to list. Default: all.",
);

export const queryTypeFilter = field(
  oneOf(queryTypes),
  "InvalidParameter",
  "Type of the queries to list: `select` or `split`. Default: both.",
);

export const clusterTypeFilter = field(
  text("it must be text"),
  "InvalidParameter",
  "Type of the clusters to list. Default: all.",
);

export const labelPrefix = field(
  text("it must be text"),
  "InvalidParameter",
  "Lists only queries whose label starts with this text. Case-sensitive.",
);
export const clusterNameFilter = field(
  text("it must be text"),
  "InvalidParameter",
  "Lists only records of the cluster with exactly this name.",
);
export const clusterNamePrefix = field(
  text("it must be text"),
  "InvalidParameter",
  "Lists only records of clusters whose name starts with this text.",
);
export const clusterRebootedFilter = field(
  z.boolean({ error: "it must be true or false" }),
  "InvalidParameter",
  "Lists only queries whose cluster was (`true`) or was not (`false`) restarted after their submission.",
);
export const order = field(
  oneOf(listOrders),
  "InvalidParameter",
  "Order of the list: `asc` or `desc`. Default `desc`: the newest queries first, cluster names from Z to A.",
);

/**
 * Returns the schema of a text that is well-formed Unicode: half of a surrogate pair cannot be stored as UTF-8, and would become
 * another character.
 */
export function wellFormed(given: z.ZodString): z.ZodString {
  return given.refine((value) => value.isWellFormed(), "it must be well-formed Unicode, without half a surrogate pair");
}

function folderInBucket(rule: string) {
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
    const reserved = reservedFolderOf(key);
    return reserved && `its path must not be inside ${reserved}, which is reserved for ${reservedFolders[reserved]}`;
  } catch (error) {
    if (error instanceof LocationError) return error.message;
    throw error;
  }
}
