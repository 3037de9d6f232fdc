/** Written by "npm run generate" from provider/lifecycles: change the declarations there. */
import type { Input, Output } from "@pulumi/pulumi";
import type { Expectation, QueryResult } from "./objects";

/** Inputs of a SelectQuery. */
export interface SelectQueryArgs {
  /** Name of the cluster. 1 to 64 characters of letters, digits, `.`, `_` and `-`, starting with a letter or digit. */
  readonly clusterName: Input<string>;
  /** HiveQL SELECT statement to run. */
  readonly query: Input<string>;
  /**
   * Folder `dag://<bucket>/<path>` that receives the result. The earlier objects of the folder are deleted when
   * the result is complete. With `dag:storage` and dag-service, objects that are not the result of a select are
   * refused in a new folder, and named before they are deleted in the query's own.
   */
  readonly outputResourcePath: Input<string>;
  /** Format of the result objects: `csv` or `tsv`. Default `csv`. */
  readonly outputFormat?: Input<"csv" | "tsv"> | undefined;
  /**
   * Label of the query, at most 242 characters, because `#` and a token of 12 characters are added, unless
   * `dag:submissionToken` is false.
   */
  readonly label?: Input<string> | undefined;
  /**
   * What happens to the objects when the resource is deleted or replaced: `keep` keeps them, `purge` deletes them,
   * unless they are no longer those that its query published, and requires `dag:storage`. The value of the last
   * `up` counts, but a folder that is left for another one while it is `keep` is kept. Default `keep`.
   */
  readonly deletionPolicy?: Input<"keep" | "purge"> | undefined;
  /** Any value, such as a list of strings. The query runs again when the value changes. */
  readonly triggers?: unknown;
  /** Number of the result's first rows to store in `result.rows`, 0 to 1000. Requires `dag:storage`. Default 0. */
  readonly resultRows?: Input<number> | undefined;
  /**
   * Set to `false` to keep the result when a table that the query reads was rebuilt by a SplitTable or a
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
   * deployment fails with what was found and the first rows (with a secret input, without either), the result is
   * kept, and the next `pulumi up` runs the query again; where a table with a given `outputTable` is kept, after
   * its objects are deleted. Requires `dag:storage`.
   */
  readonly expect?: Input<Expectation> | undefined;
}

/** Properties of a SelectQuery. */
export interface SelectQueryOutputs {
  /** Name of the cluster. 1 to 64 characters of letters, digits, `.`, `_` and `-`, starting with a letter or digit. */
  readonly clusterName: Output<string>;
  /** HiveQL SELECT statement to run. */
  readonly query: Output<string>;
  /**
   * Folder `dag://<bucket>/<path>` that receives the result. The earlier objects of the folder are deleted when
   * the result is complete. With `dag:storage` and dag-service, objects that are not the result of a select are
   * refused in a new folder, and named before they are deleted in the query's own.
   */
  readonly outputResourcePath: Output<string>;
  /** Format of the result objects: `csv` or `tsv`. Default `csv`. */
  readonly outputFormat: Output<"csv" | "tsv" | undefined>;
  /**
   * Label of the query, at most 242 characters, because `#` and a token of 12 characters are added, unless
   * `dag:submissionToken` is false.
   */
  readonly label: Output<string | undefined>;
  /**
   * What happens to the objects when the resource is deleted or replaced: `keep` keeps them, `purge` deletes them,
   * unless they are no longer those that its query published, and requires `dag:storage`. The value of the last
   * `up` counts, but a folder that is left for another one while it is `keep` is kept. Default `keep`.
   */
  readonly deletionPolicy: Output<"keep" | "purge" | undefined>;
  /** Any value, such as a list of strings. The query runs again when the value changes. */
  readonly triggers: Output<unknown>;
  /** Number of the result's first rows to store in `result.rows`, 0 to 1000. Requires `dag:storage`. Default 0. */
  readonly resultRows: Output<number | undefined>;
  /**
   * Set to `false` to keep the result when a table that the query reads was rebuilt by a SplitTable or a
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
   * deployment fails with what was found and the first rows (with a secret input, without either), the result is
   * kept, and the next `pulumi up` runs the query again; where a table with a given `outputTable` is kept, after
   * its objects are deleted. Requires `dag:storage`.
   */
  readonly expect: Output<Expectation | undefined>;
  /** Identifier of the query. */
  readonly queryId: Output<number>;
  /**
   * Status of the query: `finished`, unless the wait for it was interrupted, its result could not be read, or it
   * failed or was cancelled.
   */
  readonly status: Output<"running" | "finished" | "canceled" | "error">;
  /**
   * Last observed progress of a query that has not finished, such as `40%`. The state of a finished query has
   * none; the TypeScript classes of `pulumi-dag` return `100%` for it.
   */
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
  /**
   * The last whole lines of the log, at most 64 KiB, stored when the query finished, because a restart of the
   * cluster deletes the log.
   */
  readonly log: Output<string | undefined>;
  /**
   * The first 100 objects of the result; if there are more, `count` and `size` of all; and its first rows.
   * Requires `dag:storage`.
   */
  readonly result: Output<QueryResult | undefined>;
  /**
   * Fingerprint of the names, sizes and etags of the input objects when the query was submitted, or when
   * `rerunOnInputChange` was set later. Requires `rerunOnInputChange`.
   */
  readonly inputFingerprint: Output<string | undefined>;
  /** Input objects that the last refresh found changed. The next `pulumi up` runs the query again. */
  readonly inputsChanged: Output<readonly string[] | undefined>;
  /** How the result differs from `expect`. */
  readonly unmetExpectation: Output<string | undefined>;
}
