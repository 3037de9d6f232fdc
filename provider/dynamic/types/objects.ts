/** Written by "npm run generate" from provider/lifecycles: change the declarations there. */

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
  /** Changes with every name, size, time or etag of the objects. A purge deletes only what still has it. */
  readonly etag?: string | undefined;
}

/** The result of a query. */
export interface QueryResult {
  /** The first 100 objects, sorted by name. */
  readonly objects: readonly ResultObject[];
  /** Total number of objects; set only when not all objects are listed. */
  readonly count?: number | undefined;
  /** Total size of all objects in bytes; set only when not all objects are listed. */
  readonly size?: number | undefined;
  /** Changes with every name, size, time or etag of the objects. A purge deletes only what still has it. */
  readonly etag?: string | undefined;
  /**
   * The first `resultRows` rows. Each value is a string; NULL is null, but in Go, whose lists have no null, an
   * empty string.
   */
  readonly rows?: readonly (readonly (string | null)[])[] | undefined;
}
