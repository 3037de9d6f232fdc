/** The resource class SplitTable. */
import * as pulumi from "@pulumi/pulumi";
import { programResources } from "./program-resources";
import { qualifiedName } from "../lifecycles/schema/table-names";
import { completeProgress, DagResource, givenArgs, isKind, setOutputsFromInputs } from "./dag-resource";
import type { SplitTableArgs, SplitTableOutputs } from "./types";

/**
 * Splits input objects into objects of at most 100 MB and writes them as a table. Its creation
 * completes when the table is complete. A changed input creates a new table. Deleting the resource keeps the table
 * unless `deletionPolicy` is `purge`. A table whose input objects a resource of the same program makes waits for it.
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
// oxlint-disable-next-line no-unsafe-declaration-merging -- the properties are generated and set by CustomResource
export class SplitTable extends DagResource {
  /**
   * @param name name of the resource; unique among the program's resources of this type.
   * @param args inputs of the resource.
   * @param options Pulumi's resource options. `customTimeouts` limits the wait (default 60 minutes).
   */
  constructor(name: string, args: SplitTableArgs, options: pulumi.CustomResourceOptions = {}) {
    const isLookup = options.id !== undefined;
    const checked = isLookup
      ? { args: undefined, options }
      : programResources(options).addSplitTable(name, givenArgs(args), options);
    super("SplitTable", name, checked.args, checked.options);
    // Known during preview, so that statements that contain the name are checked before any resource is created.
    const names = pulumi.all([this.outputDatabase, this.outputTable as pulumi.Output<string | undefined>]);
    setOutputsFromInputs(this, {
      progress: completeProgress(this),
      qualifiedName: names.apply(([database, table]) => qualifiedName(database, table ?? mockedTable(name))),
      location: names.apply(([database, table]) => `dag://${database}/${table ?? mockedTable(name)}/`),
    });
    if (!isLookup) programResources(options).addTable(name, this, givenArgs(args));
  }

  /**
   * Reads the table of an existing split without managing it.
   * @param id identifier of the split query.
   */
  static get(name: string, id: pulumi.Input<pulumi.ID>, options: pulumi.CustomResourceOptions = {}): SplitTable {
    return new SplitTable(name, {} as SplitTableArgs, { ...options, id });
  }

  /** Returns true when the value is a SplitTable. */
  static override isInstance(value: unknown): value is SplitTable {
    return isKind("SplitTable", value);
  }
}

/** The name of a table to which the mocks of a test give none: the provider generates it, and they do not call it. */
function mockedTable(name: string): string {
  return `${name.toLowerCase().replace(/[^a-z0-9_]/g, "_")}_0000000`;
}

export interface SplitTable extends SplitTableOutputs {}
