/** Written by scripts/schema.mts from the declarations in provider/lifecycles: change those, then "npm run schema". */
import type { Input, Output } from "@pulumi/pulumi";

/** An object in storage. */
export interface ResultObject {
  /** Where the object lies, `dag://<bucket>/<path>`. */
  readonly location: string;
  /** Size in bytes. */
  readonly size: number;
}

/** The objects under a folder. */
export interface ObjectList {
  /** The objects in the order of their names, the first 100 of them. */
  readonly objects: readonly ResultObject[];
  /** Number of all objects, where not all are listed. */
  readonly count?: number | undefined;
  /** Size of all objects in bytes, where not all are listed. */
  readonly size?: number | undefined;
}

/** What a query wrote. */
export interface QueryResult {
  /** The objects in the order of their names, the first 100 of them. */
  readonly objects: readonly ResultObject[];
  /** Number of all objects, where not all are listed. */
  readonly count?: number | undefined;
  /** Size of all objects in bytes, where not all are listed. */
  readonly size?: number | undefined;
  /** The first `resultRows` rows, each value as text; NULL is null. */
  readonly rows?: readonly (readonly (string | null)[])[] | undefined;
}

/** Inputs of a SplitTable. */
export interface SplitTableArgs {
  /** Name of the cluster. 1 to 64 characters of letters, digits, `.`, `_` and `-` (specification §2.2). */
  readonly clusterName: Input<string>;
  /** Objects to split, each `dag://<bucket>/<path>`; plain or gzip (specification §4.2). */
  readonly inputObjectKeys: Input<readonly Input<string>[]>;
  /** Database, which is a bucket, that receives the table (specification §4.2). */
  readonly outputDatabase: Input<string>;
  /**
   * Table to make: the folder `dag://<outputDatabase>/<outputTable>/` (specification §4.2). Default: the
   * resource's name and 7 characters of chance.
   */
  readonly outputTable?: Input<string> | undefined;
  /** Format of the input objects: `csv`, `tsv` or `json` (one object a line). Default `csv` (specification §4.2). */
  readonly inputFormat?: Input<"csv" | "tsv" | "json"> | undefined;
  /**
   * Columns of the table as `<type> <name>, …` in Hive types. Read from the data where left out (specification
   * §2.1, §4.2).
   */
  readonly schema?: Input<string> | undefined;
  /** Label of the query, at most 242 characters: `#` and a token of 12 are added (specification §2.1). */
  readonly label?: Input<string> | undefined;
  /**
   * What becomes of the objects when the resource is deleted or replaced: `keep` leaves them, `purge` deletes
   * them, which needs `dag:storage`. Default `keep`.
   */
  readonly deletionPolicy?: Input<"keep" | "purge"> | undefined;
  /** Any value, such as a list of texts: whenever it changes, the query runs anew. */
  readonly triggers?: unknown;
}

/** Properties of a SplitTable. */
export interface SplitTableOutputs {
  /** Name of the cluster. 1 to 64 characters of letters, digits, `.`, `_` and `-` (specification §2.2). */
  readonly clusterName: Output<string>;
  /** Objects to split, each `dag://<bucket>/<path>`; plain or gzip (specification §4.2). */
  readonly inputObjectKeys: Output<readonly string[]>;
  /** Database, which is a bucket, that receives the table (specification §4.2). */
  readonly outputDatabase: Output<string>;
  /**
   * Table to make: the folder `dag://<outputDatabase>/<outputTable>/` (specification §4.2). Default: the
   * resource's name and 7 characters of chance.
   */
  readonly outputTable: Output<string>;
  /** Format of the input objects: `csv`, `tsv` or `json` (one object a line). Default `csv` (specification §4.2). */
  readonly inputFormat: Output<"csv" | "tsv" | "json" | undefined>;
  /** Label of the query, at most 242 characters: `#` and a token of 12 are added (specification §2.1). */
  readonly label: Output<string | undefined>;
  /**
   * What becomes of the objects when the resource is deleted or replaced: `keep` leaves them, `purge` deletes
   * them, which needs `dag:storage`. Default `keep`.
   */
  readonly deletionPolicy: Output<"keep" | "purge" | undefined>;
  /** Any value, such as a list of texts: whenever it changes, the query runs anew. */
  readonly triggers: Output<unknown>;
  /** Identifier of the query (specification §2.1). */
  readonly queryId: Output<number>;
  /** Status of the query: `finished`, unless its resource is not finished (specification §2.1). */
  readonly status: Output<"running" | "finished" | "canceled" | "error">;
  /** Share of the work that was done when it was last seen, such as `100%` (specification §2.1). */
  readonly progress: Output<string>;
  /** When the service accepted the query, `YYYY-MM-DD HH:MM:SS` (specification §2.1). */
  readonly startTime: Output<string>;
  /** Access key identifier of the submitter (specification §2.1). */
  readonly accessKeyId: Output<string>;
  /** True where the service no longer has the query's record; the result is not affected. */
  readonly recordExpired: Output<boolean | undefined>;
  /** Columns of the table as `<type> <name>, …` (specification §2.1). */
  readonly schema: Output<string | undefined>;
  /** Folder of the table, `dag://<outputDatabase>/<outputTable>/`. */
  readonly location: Output<string>;
  /** The table as a statement names it, `<outputDatabase>.<outputTable>`. */
  readonly qualifiedName: Output<string>;
  /** Objects of the table; only where `dag:storage` is set. */
  readonly result: Output<ObjectList | undefined>;
}

/** Inputs of a SelectQuery. */
export interface SelectQueryArgs {
  /** Name of the cluster. 1 to 64 characters of letters, digits, `.`, `_` and `-` (specification §2.2). */
  readonly clusterName: Input<string>;
  /** HiveQL SELECT statement to run (specification §4.1). */
  readonly query: Input<string>;
  /**
   * Folder `dag://<bucket>/<path>` that receives the result. Objects already under it are deleted when the result
   * is complete (specification §1, §4.1).
   */
  readonly outputResourcePath: Input<string>;
  /** Format of the result objects: `csv` or `tsv`. Default `csv` (specification §4.1). */
  readonly outputFormat?: Input<"csv" | "tsv"> | undefined;
  /** Label of the query, at most 242 characters: `#` and a token of 12 are added (specification §2.1). */
  readonly label?: Input<string> | undefined;
  /**
   * What becomes of the objects when the resource is deleted or replaced: `keep` leaves them, `purge` deletes
   * them, which needs `dag:storage`. Default `keep`.
   */
  readonly deletionPolicy?: Input<"keep" | "purge"> | undefined;
  /** Any value, such as a list of texts: whenever it changes, the query runs anew. */
  readonly triggers?: unknown;
  /** How many of the result's first rows are kept in `result.rows`, 0 to 1000; needs `dag:storage`. Default 0. */
  readonly resultRows?: Input<number> | undefined;
}

/** Properties of a SelectQuery. */
export interface SelectQueryOutputs {
  /** Name of the cluster. 1 to 64 characters of letters, digits, `.`, `_` and `-` (specification §2.2). */
  readonly clusterName: Output<string>;
  /** HiveQL SELECT statement to run (specification §4.1). */
  readonly query: Output<string>;
  /**
   * Folder `dag://<bucket>/<path>` that receives the result. Objects already under it are deleted when the result
   * is complete (specification §1, §4.1).
   */
  readonly outputResourcePath: Output<string>;
  /** Format of the result objects: `csv` or `tsv`. Default `csv` (specification §4.1). */
  readonly outputFormat: Output<"csv" | "tsv" | undefined>;
  /** Label of the query, at most 242 characters: `#` and a token of 12 are added (specification §2.1). */
  readonly label: Output<string | undefined>;
  /**
   * What becomes of the objects when the resource is deleted or replaced: `keep` leaves them, `purge` deletes
   * them, which needs `dag:storage`. Default `keep`.
   */
  readonly deletionPolicy: Output<"keep" | "purge" | undefined>;
  /** Any value, such as a list of texts: whenever it changes, the query runs anew. */
  readonly triggers: Output<unknown>;
  /** How many of the result's first rows are kept in `result.rows`, 0 to 1000; needs `dag:storage`. Default 0. */
  readonly resultRows: Output<number | undefined>;
  /** Identifier of the query (specification §2.1). */
  readonly queryId: Output<number>;
  /** Status of the query: `finished`, unless its resource is not finished (specification §2.1). */
  readonly status: Output<"running" | "finished" | "canceled" | "error">;
  /** Share of the work that was done when it was last seen, such as `100%` (specification §2.1). */
  readonly progress: Output<string>;
  /** When the service accepted the query, `YYYY-MM-DD HH:MM:SS` (specification §2.1). */
  readonly startTime: Output<string>;
  /** Access key identifier of the submitter (specification §2.1). */
  readonly accessKeyId: Output<string>;
  /** True where the service no longer has the query's record; the result is not affected. */
  readonly recordExpired: Output<boolean | undefined>;
  /** Number of the stage that ran last (specification §2.1). */
  readonly stage: Output<number>;
  /** Folder of the result, ending in `/`. */
  readonly location: Output<string>;
  /**
   * The log's last 64 KiB, taken when the query finished: a restart of the cluster destroys it (specification
   * §4.6).
   */
  readonly log: Output<string | undefined>;
  /** Objects of the result and its first rows; only where `dag:storage` is set. */
  readonly result: Output<QueryResult | undefined>;
}

/** Inputs of a ClusterRestart. */
export interface ClusterRestartArgs {
  /** Name of the cluster. 1 to 64 characters of letters, digits, `.`, `_` and `-` (specification §2.2). */
  readonly clusterName: Input<string>;
  /**
   * Engine family that the cluster comes back with, such as `duckdb` or `hive`. Default: the one it has
   * (specification §4.7).
   */
  readonly type?: Input<string> | undefined;
  /** Whether the engine writes verbose logs after the restart. Default: as before (specification §4.7). */
  readonly debug?: Input<boolean> | undefined;
  /**
   * Whether running queries are cancelled first; without it they refuse the restart. Default `false`
   * (specification §4.7).
   */
  readonly force?: Input<boolean> | undefined;
  /** Whether to wait until nothing runs on the cluster before it is restarted. Default `false`. */
  readonly drain?: Input<boolean> | undefined;
  /** Any value, such as a list of texts: whenever it changes, the cluster is restarted again. */
  readonly triggers?: unknown;
}

/** Properties of a ClusterRestart. */
export interface ClusterRestartOutputs {
  /** Name of the cluster. 1 to 64 characters of letters, digits, `.`, `_` and `-` (specification §2.2). */
  readonly clusterName: Output<string>;
  /**
   * Whether running queries are cancelled first; without it they refuse the restart. Default `false`
   * (specification §4.7).
   */
  readonly force: Output<boolean | undefined>;
  /** Whether to wait until nothing runs on the cluster before it is restarted. Default `false`. */
  readonly drain: Output<boolean | undefined>;
  /** Any value, such as a list of texts: whenever it changes, the cluster is restarted again. */
  readonly triggers: Output<unknown>;
  /** Engine family that the cluster has (specification §2.2). */
  readonly type: Output<string>;
  /** Whether the cluster's engine writes verbose logs (specification §2.2). */
  readonly debug: Output<boolean>;
  /** Status of the cluster when it was last seen: `norm` after a restart (specification §2.2). */
  readonly status: Output<
    "init" | "reserved" | "stopped" | "starting" | "restarting" | "norm" | "failed" | "ptfailed" | "error"
  >;
  /** When the restart was asked for, ISO 8601, UTC. */
  readonly restartedAt: Output<string>;
}

/** Inputs of a ClusterLogExport. */
export interface ClusterLogExportArgs {
  /** Name of the cluster. 1 to 64 characters of letters, digits, `.`, `_` and `-` (specification §2.2). */
  readonly clusterName: Input<string>;
  /** Folder `dag://<bucket>/<path>/` that receives the log files (specification §4.11). */
  readonly outputLogPath: Input<string>;
  /** Whether the exported log files are compressed with gzip. Default `false` (specification §4.11). */
  readonly compress?: Input<boolean> | undefined;
  /** Any value, such as a list of texts: whenever it changes, the logs are exported again. */
  readonly triggers?: unknown;
}

/** Properties of a ClusterLogExport. */
export interface ClusterLogExportOutputs {
  /** Name of the cluster. 1 to 64 characters of letters, digits, `.`, `_` and `-` (specification §2.2). */
  readonly clusterName: Output<string>;
  /** Folder `dag://<bucket>/<path>/` that receives the log files (specification §4.11). */
  readonly outputLogPath: Output<string>;
  /** Whether the exported log files are compressed with gzip. Default `false` (specification §4.11). */
  readonly compress: Output<boolean | undefined>;
  /** Any value, such as a list of texts: whenever it changes, the logs are exported again. */
  readonly triggers: Output<unknown>;
  /** Folder of the log files, ending in `/`. */
  readonly location: Output<string>;
  /** When the export ended, ISO 8601, UTC. */
  readonly exportedAt: Output<string>;
  /** Objects under `location` after the export; only where `dag:storage` is set. */
  readonly result: Output<ObjectList | undefined>;
}

/** Names of all properties of each resource. */
export const propertyNames = {
  SplitTable: [
    "clusterName",
    "inputObjectKeys",
    "outputDatabase",
    "outputTable",
    "inputFormat",
    "schema",
    "label",
    "deletionPolicy",
    "triggers",
    "queryId",
    "status",
    "progress",
    "startTime",
    "accessKeyId",
    "recordExpired",
    "location",
    "qualifiedName",
    "result",
  ],
  SelectQuery: [
    "clusterName",
    "query",
    "outputResourcePath",
    "outputFormat",
    "label",
    "deletionPolicy",
    "triggers",
    "resultRows",
    "queryId",
    "status",
    "progress",
    "startTime",
    "accessKeyId",
    "recordExpired",
    "stage",
    "location",
    "log",
    "result",
  ],
  ClusterRestart: ["clusterName", "type", "debug", "force", "drain", "triggers", "status", "restartedAt"],
  ClusterLogExport: ["clusterName", "outputLogPath", "compress", "triggers", "location", "exportedAt", "result"],
} as const;
