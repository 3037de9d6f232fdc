/** Written by "npm run generate" from provider/lifecycles: change the declarations there. */
import type { Input, Output } from "@pulumi/pulumi";

/** How many rows the result must have. */
export interface ExpectedRows {
  /** Least number of rows. */
  readonly min?: number | undefined;
  /** Greatest number of rows; 0 for a query that looks for bad rows. */
  readonly max?: number | undefined;
}

/** What a result must fulfil. */
export interface Expectation {
  /** How many rows the result must have. */
  readonly rows?: ExpectedRows | undefined;
  /** Names of the columns, all of them and in order; upper and lower case are the same. */
  readonly columns?: readonly string[] | undefined;
}

/** An object in storage. */
export interface ResultObject {
  /** Location of the object, `dag://<bucket>/<path>`. */
  readonly location: string;
  /** Size in bytes. */
  readonly size: number;
}

/** The objects in a folder. */
export interface ObjectList {
  /** The first 100 objects, sorted by name. */
  readonly objects: readonly ResultObject[];
  /** Total number of objects; set only when not all objects are listed. */
  readonly count?: number | undefined;
  /** Total size of all objects in bytes; set only when not all objects are listed. */
  readonly size?: number | undefined;
}

/** The result of a query. */
export interface QueryResult {
  /** The first 100 objects, sorted by name. */
  readonly objects: readonly ResultObject[];
  /** Total number of objects; set only when not all objects are listed. */
  readonly count?: number | undefined;
  /** Total size of all objects in bytes; set only when not all objects are listed. */
  readonly size?: number | undefined;
  /** The first `resultRows` rows. Each value is a string; NULL is null. */
  readonly rows?: readonly (readonly (string | null)[])[] | undefined;
}

/** Inputs of a SplitTable. */
export interface SplitTableArgs {
  /** Name of the cluster. 1 to 64 characters of letters, digits, `.`, `_` and `-`. */
  readonly clusterName: Input<string>;
  /**
   * Objects to split, each `dag://<bucket>/<path>`, uncompressed or compressed with gzip. With `dag:storage`, `*`
   * in a path stands for any text without `/`: `dag://raw/2026/*.csv` is expanded, sorted by name, when the table
   * is made.
   */
  readonly inputObjectKeys: Input<readonly Input<string>[]>;
  /** Database that receives the table. A database is a bucket. */
  readonly outputDatabase: Input<string>;
  /**
   * Name of the table to create. Its objects are in the folder `dag://<outputDatabase>/<outputTable>/`. Default:
   * the resource's name and 7 random characters.
   */
  readonly outputTable?: Input<string> | undefined;
  /** Format of the input objects: `csv`, `tsv` or `json` (one object per line). Default `csv`. */
  readonly inputFormat?: Input<"csv" | "tsv" | "json"> | undefined;
  /** Columns of the table as `<type> <name>, …`, with Hive types. Default: inferred from the data. */
  readonly schema?: Input<string> | undefined;
  /** Label of the query, at most 242 characters, because `#` and a token of 12 characters are added. */
  readonly label?: Input<string> | undefined;
  /**
   * What happens to the objects when the resource is deleted or replaced: `keep` keeps them, `purge` deletes them
   * and requires `dag:storage`. Default `keep`.
   */
  readonly deletionPolicy?: Input<"keep" | "purge"> | undefined;
  /** Any value, such as a list of strings. The query runs again when the value changes. */
  readonly triggers?: unknown;
  /**
   * Set to `true` to make the table anew when its input objects changed: `pulumi refresh` and `pulumi up
   * --refresh` compare their names, sizes and etags (times of modification for files). Requires `dag:storage`.
   * Default `false`.
   */
  readonly rerunOnInputChange?: Input<boolean> | undefined;
  /**
   * What the result must fulfil when the query has finished: a number of rows, names of columns. Otherwise the
   * deployment fails with what was found and the first rows, the result is kept, and the next `pulumi up` runs the
   * query again. Requires `dag:storage`.
   */
  readonly expect?: Input<Expectation> | undefined;
}

/** Properties of a SplitTable. */
export interface SplitTableOutputs {
  /** Name of the cluster. 1 to 64 characters of letters, digits, `.`, `_` and `-`. */
  readonly clusterName: Output<string>;
  /**
   * Objects to split, each `dag://<bucket>/<path>`, uncompressed or compressed with gzip. With `dag:storage`, `*`
   * in a path stands for any text without `/`: `dag://raw/2026/*.csv` is expanded, sorted by name, when the table
   * is made.
   */
  readonly inputObjectKeys: Output<readonly string[]>;
  /** Database that receives the table. A database is a bucket. */
  readonly outputDatabase: Output<string>;
  /**
   * Name of the table to create. Its objects are in the folder `dag://<outputDatabase>/<outputTable>/`. Default:
   * the resource's name and 7 random characters.
   */
  readonly outputTable: Output<string>;
  /** Format of the input objects: `csv`, `tsv` or `json` (one object per line). Default `csv`. */
  readonly inputFormat: Output<"csv" | "tsv" | "json" | undefined>;
  /** Label of the query, at most 242 characters, because `#` and a token of 12 characters are added. */
  readonly label: Output<string | undefined>;
  /**
   * What happens to the objects when the resource is deleted or replaced: `keep` keeps them, `purge` deletes them
   * and requires `dag:storage`. Default `keep`.
   */
  readonly deletionPolicy: Output<"keep" | "purge" | undefined>;
  /** Any value, such as a list of strings. The query runs again when the value changes. */
  readonly triggers: Output<unknown>;
  /**
   * Set to `true` to make the table anew when its input objects changed: `pulumi refresh` and `pulumi up
   * --refresh` compare their names, sizes and etags (times of modification for files). Requires `dag:storage`.
   * Default `false`.
   */
  readonly rerunOnInputChange: Output<boolean | undefined>;
  /**
   * What the result must fulfil when the query has finished: a number of rows, names of columns. Otherwise the
   * deployment fails with what was found and the first rows, the result is kept, and the next `pulumi up` runs the
   * query again. Requires `dag:storage`.
   */
  readonly expect: Output<Expectation | undefined>;
  /** Identifier of the query. */
  readonly queryId: Output<number>;
  /** Status of the query: `finished`, unless the wait for it was interrupted or it failed. */
  readonly status: Output<"running" | "finished" | "canceled" | "error">;
  /** Last observed progress of the query, such as `40%`. The state does not contain `100%`. */
  readonly progress: Output<string>;
  /** Time at which the service accepted the query, `YYYY-MM-DD HH:MM:SS`, UTC. */
  readonly startTime: Output<string>;
  /** Access key identifier of the submitter. */
  readonly accessKeyId: Output<string>;
  /** True when the service no longer has the record of the query. The result is not affected. */
  readonly recordExpired: Output<boolean | undefined>;
  /** Columns of the table as `<type> <name>, …`. */
  readonly schema: Output<string | undefined>;
  /** Folder of the table, `dag://<outputDatabase>/<outputTable>/`. */
  readonly location: Output<string>;
  /** Name of the table for HiveQL statements, `<outputDatabase>.<outputTable>`. */
  readonly qualifiedName: Output<string>;
  /** Objects of the table. Requires `dag:storage`. */
  readonly result: Output<ObjectList | undefined>;
  /**
   * Fingerprint of the names, sizes and etags of the input objects when the query was submitted. Requires
   * `rerunOnInputChange`.
   */
  readonly inputFingerprint: Output<string | undefined>;
  /** Input objects that the last refresh found changed. The next `pulumi up` runs the query again. */
  readonly inputsChanged: Output<readonly string[] | undefined>;
  /** How the result differs from `expect`. The next `pulumi up` runs the query again. */
  readonly unmetExpectation: Output<string | undefined>;
}

/** Inputs of a SelectQuery. */
export interface SelectQueryArgs {
  /** Name of the cluster. 1 to 64 characters of letters, digits, `.`, `_` and `-`. */
  readonly clusterName: Input<string>;
  /** HiveQL SELECT statement to run. */
  readonly query: Input<string>;
  /**
   * Folder `dag://<bucket>/<path>` that receives the result. Existing objects in the folder are deleted when the
   * result is complete.
   */
  readonly outputResourcePath: Input<string>;
  /** Format of the result objects: `csv` or `tsv`. Default `csv`. */
  readonly outputFormat?: Input<"csv" | "tsv"> | undefined;
  /** Label of the query, at most 242 characters, because `#` and a token of 12 characters are added. */
  readonly label?: Input<string> | undefined;
  /**
   * What happens to the objects when the resource is deleted or replaced: `keep` keeps them, `purge` deletes them
   * and requires `dag:storage`. Default `keep`.
   */
  readonly deletionPolicy?: Input<"keep" | "purge"> | undefined;
  /** Any value, such as a list of strings. The query runs again when the value changes. */
  readonly triggers?: unknown;
  /** Number of the result's first rows to store in `result.rows`, 0 to 1000. Requires `dag:storage`. Default 0. */
  readonly resultRows?: Input<number> | undefined;
  /**
   * Set to `false` to keep the result when a table that the query reads was made anew by a SplitTable or a
   * SelectQuery of the program. By default the query runs again. Default `true`.
   */
  readonly rerunWithTables?: Input<boolean> | undefined;
  /**
   * Set to `true` to run the query again when the objects changed of a table that it reads and that no resource of
   * the program makes: `pulumi refresh` and `pulumi up --refresh` compare their names, sizes and etags (times of
   * modification for files). Requires `dag:storage`. Default `false`.
   */
  readonly rerunOnInputChange?: Input<boolean> | undefined;
  /**
   * What the result must fulfil when the query has finished: a number of rows, names of columns. Otherwise the
   * deployment fails with what was found and the first rows, the result is kept, and the next `pulumi up` runs the
   * query again. Requires `dag:storage`.
   */
  readonly expect?: Input<Expectation> | undefined;
}

/** Properties of a SelectQuery. */
export interface SelectQueryOutputs {
  /** Name of the cluster. 1 to 64 characters of letters, digits, `.`, `_` and `-`. */
  readonly clusterName: Output<string>;
  /** HiveQL SELECT statement to run. */
  readonly query: Output<string>;
  /**
   * Folder `dag://<bucket>/<path>` that receives the result. Existing objects in the folder are deleted when the
   * result is complete.
   */
  readonly outputResourcePath: Output<string>;
  /** Format of the result objects: `csv` or `tsv`. Default `csv`. */
  readonly outputFormat: Output<"csv" | "tsv" | undefined>;
  /** Label of the query, at most 242 characters, because `#` and a token of 12 characters are added. */
  readonly label: Output<string | undefined>;
  /**
   * What happens to the objects when the resource is deleted or replaced: `keep` keeps them, `purge` deletes them
   * and requires `dag:storage`. Default `keep`.
   */
  readonly deletionPolicy: Output<"keep" | "purge" | undefined>;
  /** Any value, such as a list of strings. The query runs again when the value changes. */
  readonly triggers: Output<unknown>;
  /** Number of the result's first rows to store in `result.rows`, 0 to 1000. Requires `dag:storage`. Default 0. */
  readonly resultRows: Output<number | undefined>;
  /**
   * Set to `false` to keep the result when a table that the query reads was made anew by a SplitTable or a
   * SelectQuery of the program. By default the query runs again. Default `true`.
   */
  readonly rerunWithTables: Output<boolean | undefined>;
  /**
   * Set to `true` to run the query again when the objects changed of a table that it reads and that no resource of
   * the program makes: `pulumi refresh` and `pulumi up --refresh` compare their names, sizes and etags (times of
   * modification for files). Requires `dag:storage`. Default `false`.
   */
  readonly rerunOnInputChange: Output<boolean | undefined>;
  /**
   * What the result must fulfil when the query has finished: a number of rows, names of columns. Otherwise the
   * deployment fails with what was found and the first rows, the result is kept, and the next `pulumi up` runs the
   * query again. Requires `dag:storage`.
   */
  readonly expect: Output<Expectation | undefined>;
  /** Identifier of the query. */
  readonly queryId: Output<number>;
  /** Status of the query: `finished`, unless the wait for it was interrupted or it failed. */
  readonly status: Output<"running" | "finished" | "canceled" | "error">;
  /** Last observed progress of the query, such as `40%`. The state does not contain `100%`. */
  readonly progress: Output<string>;
  /** Time at which the service accepted the query, `YYYY-MM-DD HH:MM:SS`, UTC. */
  readonly startTime: Output<string>;
  /** Access key identifier of the submitter. */
  readonly accessKeyId: Output<string>;
  /** True when the service no longer has the record of the query. The result is not affected. */
  readonly recordExpired: Output<boolean | undefined>;
  /** Number of the last stage that ran. */
  readonly stage: Output<number>;
  /** Folder of the result, ending in `/`. */
  readonly location: Output<string>;
  /** Last 64 KiB of the log, stored when the query finished, because a restart of the cluster deletes the log. */
  readonly log: Output<string | undefined>;
  /** Objects of the result and its first rows. Requires `dag:storage`. */
  readonly result: Output<QueryResult | undefined>;
  /**
   * Fingerprint of the names, sizes and etags of the input objects when the query was submitted. Requires
   * `rerunOnInputChange`.
   */
  readonly inputFingerprint: Output<string | undefined>;
  /** Input objects that the last refresh found changed. The next `pulumi up` runs the query again. */
  readonly inputsChanged: Output<readonly string[] | undefined>;
  /** How the result differs from `expect`. The next `pulumi up` runs the query again. */
  readonly unmetExpectation: Output<string | undefined>;
}

/** Inputs of a ClusterRestart. */
export interface ClusterRestartArgs {
  /** Name of the cluster. 1 to 64 characters of letters, digits, `.`, `_` and `-`. */
  readonly clusterName: Input<string>;
  /** Engine family of the cluster after the restart, such as `duckdb`. Default: unchanged. */
  readonly type?: Input<string> | undefined;
  /** Set to `true` to make the engine write verbose logs after the restart. Default: unchanged. */
  readonly debug?: Input<boolean> | undefined;
  /**
   * Set to `true` to cancel running queries first. If `false`, the restart fails while queries are running.
   * Default `false`.
   */
  readonly force?: Input<boolean> | undefined;
  /** Set to `true` to wait for running queries to end before the restart. Default `false`. */
  readonly drain?: Input<boolean> | undefined;
  /** Any value, such as a list of strings. The cluster is restarted again when the value changes. */
  readonly triggers?: unknown;
}

/** Properties of a ClusterRestart. */
export interface ClusterRestartOutputs {
  /** Name of the cluster. 1 to 64 characters of letters, digits, `.`, `_` and `-`. */
  readonly clusterName: Output<string>;
  /**
   * Set to `true` to cancel running queries first. If `false`, the restart fails while queries are running.
   * Default `false`.
   */
  readonly force: Output<boolean | undefined>;
  /** Set to `true` to wait for running queries to end before the restart. Default `false`. */
  readonly drain: Output<boolean | undefined>;
  /** Any value, such as a list of strings. The cluster is restarted again when the value changes. */
  readonly triggers: Output<unknown>;
  /** Engine family of the cluster. */
  readonly type: Output<string>;
  /** True when the engine of the cluster writes verbose logs. */
  readonly debug: Output<boolean>;
  /** Last observed status of the cluster; `norm` after a restart. */
  readonly status: Output<
    "init" | "reserved" | "stopped" | "starting" | "restarting" | "norm" | "failed" | "ptfailed" | "error"
  >;
  /** Time at which the restart was requested, in ISO 8601, UTC. */
  readonly restartedAt: Output<string>;
}

/** Inputs of a ClusterLogExport. */
export interface ClusterLogExportArgs {
  /** Name of the cluster. 1 to 64 characters of letters, digits, `.`, `_` and `-`. */
  readonly clusterName: Input<string>;
  /** Folder `dag://<bucket>/<path>/` that receives the log files. */
  readonly outputLogPath: Input<string>;
  /** Set to `true` to compress the exported log files with gzip. Default `false`. */
  readonly compress?: Input<boolean> | undefined;
  /** Any value, such as a list of strings. The logs are exported again when the value changes. */
  readonly triggers?: unknown;
}

/** Properties of a ClusterLogExport. */
export interface ClusterLogExportOutputs {
  /** Name of the cluster. 1 to 64 characters of letters, digits, `.`, `_` and `-`. */
  readonly clusterName: Output<string>;
  /** Folder `dag://<bucket>/<path>/` that receives the log files. */
  readonly outputLogPath: Output<string>;
  /** Set to `true` to compress the exported log files with gzip. Default `false`. */
  readonly compress: Output<boolean | undefined>;
  /** Any value, such as a list of strings. The logs are exported again when the value changes. */
  readonly triggers: Output<unknown>;
  /** Folder of the log files, ending in `/`. */
  readonly location: Output<string>;
  /** Time at which the export ended, in ISO 8601, UTC. */
  readonly exportedAt: Output<string>;
  /** Objects in `location` after the export. Requires `dag:storage`. */
  readonly result: Output<ObjectList | undefined>;
}

/** The names of all properties of each resource. */
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
    "rerunOnInputChange",
    "expect",
    "queryId",
    "status",
    "progress",
    "startTime",
    "accessKeyId",
    "recordExpired",
    "location",
    "qualifiedName",
    "result",
    "inputFingerprint",
    "inputsChanged",
    "unmetExpectation",
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
    "rerunWithTables",
    "rerunOnInputChange",
    "expect",
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
    "inputFingerprint",
    "inputsChanged",
    "unmetExpectation",
  ],
  ClusterRestart: ["clusterName", "type", "debug", "force", "drain", "triggers", "status", "restartedAt"],
  ClusterLogExport: ["clusterName", "outputLogPath", "compress", "triggers", "location", "exportedAt", "result"],
} as const;
