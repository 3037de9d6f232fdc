/** Values of the enumerated fields, defaults and limits (specification §2, §8; the others: design §2). */

/** Kinds of query (specification §1). */
export const queryTypes = ["select", "split"] as const;
export type QueryType = (typeof queryTypes)[number];

/** Statuses of a query. `running` is the first; the others are final. */
export const queryStatuses = ["running", "finished", "canceled", "error"] as const;
export type QueryStatus = (typeof queryStatuses)[number];

/** Statuses of a cluster. It accepts queries in `norm` and `ptfailed`. */
export const clusterStatuses = [
  "init",
  "reserved",
  "stopped",
  "starting",
  "restarting",
  "norm",
  "failed",
  "ptfailed",
  "error",
] as const;
export type ClusterStatus = (typeof clusterStatuses)[number];

/**
 * The cluster statuses that allow each group of operations. In any other status the service returns
 * InvalidClusterState.
 */
export const allowedClusterStatuses = {
  submit: ["norm", "ptfailed"],
  restart: ["norm", "failed", "ptfailed"],
  inspect: ["norm", "ptfailed"],
} as const satisfies Record<string, readonly ClusterStatus[]>;

/** Formats of a split's input; `json` means one object per line. */
export const inputFormats = ["csv", "tsv", "json"] as const;
export type InputFormat = (typeof inputFormats)[number];

/** Formats of a table's objects. */
export const tableFormats = [...inputFormats, "parquet"] as const;
export type TableFormat = (typeof tableFormats)[number];

/** Formats of a select's result. */
export const outputFormats = ["csv", "tsv"] as const;
export type OutputFormat = (typeof outputFormats)[number];

/** List orders; `desc` is newest first for queries, and from Z to A for clusters. */
export const listOrders = ["asc", "desc"] as const;
export type ListOrder = (typeof listOrders)[number];

/** Defaults of optional fields. */
export const defaults = { inputFormat: "csv", outputFormat: "csv", order: "desc", max: 100 } as const;

/** Limits of the API. */
export const limits = {
  /** Maximum length of a label, in characters. */
  label: 255,
  /** Maximum number of records in a list response (specification §8). */
  listPage: 100,
  /** Maximum number of characters of a statement in a list response. */
  listedStatement: 1000,
  /** Maximum number of input objects of a split. */
  inputObjectKeys: 10_000,
  /** Maximum size of an object that a split writes: 100 MB (specification §8). */
  splitObjectBytes: 100_000_000,
  /** Maximum size of a request body, in bytes. */
  requestBodyBytes: 1_048_576,
} as const;

/** Database of a table name without a database. */
export const defaultDatabase = "default";
