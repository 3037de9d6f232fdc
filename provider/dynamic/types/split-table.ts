/** Written by "npm run generate" from provider/lifecycles: change the declarations there. */
import type { Input, Output } from "@pulumi/pulumi";
import type { Expectation, ObjectList } from "./objects";

/** Inputs of a SplitTable. */
export interface SplitTableArgs {
  /** Name of the cluster. 1 to 64 characters of letters, digits, `.`, `_` and `-`, starting with a letter or digit. */
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
  /**
   * Columns of the table as `<type> <name>, …`, with Hive types. Every row is then data, also the first: remove a
   * header row from the inputs, or omit `schema`. With `dag:storage`, a preview warns of one. Default: inferred
   * from the data.
   */
  readonly schema?: Input<string> | undefined;
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
  /**
   * Set to `true` to rebuild the table when its input objects changed: `pulumi refresh` and `pulumi up --refresh`
   * compare their names, sizes and etags (times of modification for files). Requires `dag:storage`. Default
   * `false`.
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

/** Properties of a SplitTable. */
export interface SplitTableOutputs {
  /** Name of the cluster. 1 to 64 characters of letters, digits, `.`, `_` and `-`, starting with a letter or digit. */
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
  /**
   * Set to `true` to rebuild the table when its input objects changed: `pulumi refresh` and `pulumi up --refresh`
   * compare their names, sizes and etags (times of modification for files). Requires `dag:storage`. Default
   * `false`.
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
  /** Columns of the table as `<type> <name>, …`, if given or imported. */
  readonly schema: Output<string | undefined>;
  /** Folder of the table, `dag://<outputDatabase>/<outputTable>/`. */
  readonly location: Output<string>;
  /** Name of the table for HiveQL statements, `<outputDatabase>.<outputTable>`. */
  readonly qualifiedName: Output<string>;
  /** The first 100 objects of the table; if there are more, `count` and `size` of all. Requires `dag:storage`. */
  readonly result: Output<ObjectList | undefined>;
  /**
   * True when a split of a resource of another name or stack, with identical inputs, made the table. A purge keeps
   * its objects.
   */
  readonly adopted: Output<boolean | undefined>;
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
