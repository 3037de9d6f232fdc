/** The class SplitTable. */
import * as pulumi from "@pulumi/pulumi";
import { programResources } from "./program-resources";
import { qualifiedName } from "../lifecycles/schema/table-name";
import { DagResource, isKind, setNamed } from "./resource";
import type { SplitTableArgs, SplitTableOutputs } from "./types";

/**
 * Cuts input objects into objects of 100 MB and writes them as a table (specification §4.2). It resolves when the table
 * is complete. A changed input makes a new table; deleting the resource leaves the table unless `deletionPolicy` is
 * `purge`.
 *
 * @example
 * ```ts
 * const events = new dag.SplitTable("events", {
 *   clusterName: "demo",
 *   inputObjectKeys: ["dag://landing/events.csv"],
 *   outputDatabase: "analytics",
 *   outputTable: "events",
 *   schema: "timestamp at, string kind, double amount",
 * });
 * const kinds = new dag.SelectQuery("kinds", {
 *   clusterName: "demo",
 *   query: pulumi.interpolate`SELECT kind, count(*) FROM ${events.qualifiedName} GROUP BY kind`,
 *   outputResourcePath: "dag://results/kinds/",
 * });
 * ```
 */
// oxlint-disable-next-line no-unsafe-declaration-merging -- the properties are generated, and set by CustomResource
export class SplitTable extends DagResource {
  /**
   * @param name unique among the resources of its kind in the program.
   * @param args the inputs.
   * @param options those of every resource; `customTimeouts` says how long to wait (default 60 minutes).
   */
  constructor(name: string, args: SplitTableArgs, options: pulumi.CustomResourceOptions = {}) {
    const looked = options.id !== undefined;
    super("SplitTable", name, looked ? undefined : programResources().split(name, args), options);
    // Known at preview, so that the statements that use it can be checked before anything is made.
    const names = pulumi.all([this.outputDatabase, this.outputTable]);
    setNamed(this, {
      qualifiedName: names.apply(([database, table]) => qualifiedName(database, table)),
      location: names.apply(([database, table]) => `dag://${database}/${table}/`),
    });
    if (!looked) programResources().table(this, args);
  }

  /**
   * Refers to a table that a split made, without managing it.
   * @param id identifier of the split's query.
   */
  static get(name: string, id: pulumi.Input<pulumi.ID>, options: pulumi.CustomResourceOptions = {}): SplitTable {
    return new SplitTable(name, {} as SplitTableArgs, { ...options, id });
  }

  /** Whether a value is a SplitTable. */
  static override isInstance(value: unknown): value is SplitTable {
    return isKind("SplitTable", value);
  }
}

export interface SplitTable extends SplitTableOutputs {}
