/** The values that enumerated fields take, and the limits of the others (specification §2, §8; the rest design §2). */

/** Kinds of query (specification §1). */
export const queryTypes = ["select", "split"] as const;
export type QueryType = (typeof queryTypes)[number];

/** A query is `running` until it is one of the others, for good. */
export const queryStatuses = ["running", "finished", "canceled", "error"] as const;
export type QueryStatus = (typeof queryStatuses)[number];

/** A cluster takes queries in `norm` and `ptfailed`. */
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

/** The cluster statuses in which each group of operations is allowed; all others answer InvalidClusterState. */
export const allowedClusterStatuses = {
  submit: ["norm", "ptfailed"],
  restart: ["norm", "failed", "ptfailed"],
  inspect: ["norm", "ptfailed"],
} as const satisfies Record<string, readonly ClusterStatus[]>;

/** Formats of a split's input; `json` is one object a line. */
export const inputFormats = ["csv", "tsv", "json"] as const;
export type InputFormat = (typeof inputFormats)[number];

/** Formats of a select's result. */
export const outputFormats = ["csv", "tsv"] as const;
export type OutputFormat = (typeof outputFormats)[number];

/** List orders; `desc` is newest first. */
export const listOrders = ["asc", "desc"] as const;
export type ListOrder = (typeof listOrders)[number];

/** Values that stand where a field is left out. */
export const defaults = { inputFormat: "csv", outputFormat: "csv", order: "desc", max: 100 } as const;

export const limits = {
  /** Characters of a label. */
  label: 255,
  /** Records of a list answer (specification §8). */
  listPage: 100,
  /** Bytes of an object that a split writes: 100 MB (specification §8). */
  splitObjectBytes: 100_000_000,
  /** Bytes of a request body. */
  requestBodyBytes: 1_048_576,
} as const;

/** The database of a table that is named without one. */
export const defaultDatabase = "default";
