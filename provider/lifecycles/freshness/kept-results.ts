/** The results and tables that a run keeps, for the queries that read them. */
import { asFolder, LocationError, parseLocation } from "../../../contract";
import type { ObjectList } from "../queries/results";
import type { TableName } from "./program-tables";

/** A result or a table of a resource that this run does not make again. */
export interface KeptResult {
  readonly urn: string;
  readonly queryId: number;
  /** Location of the folder. */
  readonly folder: string;
  /** The objects that the query published, with an etag. */
  readonly objects: ObjectList;
}

/** Collects the kept results of one run. The engine compares a resource before the resources that depend on it. */
export class KeptResults {
  readonly #results = new Map<string, KeptResult>();
  /** The keys of the results, by URN. */
  readonly #keys = new Map<string, string>();

  add(result: KeptResult): void {
    try {
      const { bucket, key } = asFolder(parseLocation(result.folder));
      this.#results.set(keyOf(bucket, key), result);
      this.#keys.set(result.urn, keyOf(bucket, key));
    } catch (error) {
      // The resource's own check reports the invalid location.
      if (!(error instanceof LocationError)) throw error;
    }
  }

  /** Notes that the run makes a result again. A refresh has compared its resource before, without a difference. */
  remove(urn: string): void {
    const key = this.#keys.get(urn);
    if (key !== undefined && this.#results.get(key)?.urn === urn) this.#results.delete(key);
  }

  /** Returns the kept result that a statement reads as a table. */
  get({ database, table }: TableName): KeptResult | undefined {
    return this.#results.get(keyOf(database, `${table}/`));
  }
}

/** HiveQL ignores the upper case of a table's name. */
function keyOf(bucket: string, key: string): string {
  return `${bucket}/${key}`.toLowerCase();
}
