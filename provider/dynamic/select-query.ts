/** The resource class SelectQuery. */
import * as pulumi from "@pulumi/pulumi";
import { programResources } from "./program-resources";
import {
  completeProgress,
  DagResource,
  givenArgs,
  withTrailingSlash,
  isKind,
  setOutputsFromInputs,
} from "./dag-resource";
import type { SelectQueryArgs, SelectQueryOutputs } from "./types";

/**
 * Runs a HiveQL SELECT on a cluster and writes the result to `outputResourcePath`. Its creation
 * completes when the query has finished. A query that fails or is cancelled fails the deployment with the end of its
 * log. A changed input runs the query again. A query that reads the table of a {@link SplitTable} of the same program
 * waits for that table.
 *
 * @example
 * ```ts
 * const strikes = new dag.SelectQuery("strikes", {
 *   clusterName: "demo",
 *   query: "SELECT state, count(*) AS strikes FROM wildlife.strikes GROUP BY state",
 *   outputResourcePath: "dag://results/strikes-by-state/",
 *   resultRows: 10,
 * });
 * export const rows = strikes.result.apply((result) => result?.rows);
 * ```
 */
// oxlint-disable-next-line no-unsafe-declaration-merging -- the properties are generated and set by CustomResource
export class SelectQuery extends DagResource {
  /**
   * @param name name of the resource; unique among the program's resources of this type.
   * @param args inputs of the resource.
   * @param options Pulumi's resource options. `customTimeouts` limits the wait (default 60 minutes).
   */
  constructor(name: string, args: SelectQueryArgs, options: pulumi.CustomResourceOptions = {}) {
    const isLookup = options.id !== undefined;
    const given = givenArgs(args);
    const checked = isLookup
      ? { args: undefined, options }
      : programResources(options).addSelectQuery(name, given, options);
    super("SelectQuery", name, checked.args, checked.options);
    if (!isLookup) programResources(options).addResult(name, this, given);
    setOutputsFromInputs(this, {
      progress: completeProgress(this),
      location: this.outputResourcePath.apply(withTrailingSlash),
    });
  }

  /**
   * Reads an existing query without managing it.
   * @param id identifier of the query.
   */
  static get(name: string, id: pulumi.Input<pulumi.ID>, options: pulumi.CustomResourceOptions = {}): SelectQuery {
    return new SelectQuery(name, {} as SelectQueryArgs, { ...options, id });
  }

  /** Returns true when the value is a SelectQuery. */
  static override isInstance(value: unknown): value is SelectQuery {
    return isKind("SelectQuery", value);
  }
}

export interface SelectQuery extends SelectQueryOutputs {}
