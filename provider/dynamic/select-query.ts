/** The class SelectQuery. */
import * as pulumi from "@pulumi/pulumi";
import { programResources } from "./program-resources";
import { DagResource, folderText, isKind, setNamed } from "./resource";
import type { SelectQueryArgs, SelectQueryOutputs } from "./types";

/**
 * Runs a HiveQL SELECT on a cluster and writes the result to `outputResourcePath` (specification §4.1). It resolves when
 * the query has finished; a query that fails or is cancelled fails the deployment with the end of its log. A changed
 * input runs the query anew. A query that reads the table of a {@link SplitTable} of the same program waits for it.
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
// oxlint-disable-next-line no-unsafe-declaration-merging -- the properties are generated, and set by CustomResource
export class SelectQuery extends DagResource {
  /**
   * @param name unique among the resources of its kind in the program.
   * @param args the inputs.
   * @param options those of every resource; `customTimeouts` says how long to wait (default 60 minutes).
   */
  constructor(name: string, args: SelectQueryArgs, options: pulumi.CustomResourceOptions = {}) {
    const looked = options.id !== undefined;
    const guarded = looked ? { args: undefined, options } : programResources().select(name, args, options);
    super("SelectQuery", name, guarded.args, guarded.options);
    setNamed(this, { location: this.outputResourcePath.apply(folderText) });
  }

  /**
   * Refers to a query that exists, without managing it.
   * @param id the query's identifier.
   */
  static get(name: string, id: pulumi.Input<pulumi.ID>, options: pulumi.CustomResourceOptions = {}): SelectQuery {
    return new SelectQuery(name, {} as SelectQueryArgs, { ...options, id });
  }

  /** Whether a value is a SelectQuery. */
  static override isInstance(value: unknown): value is SelectQuery {
    return isKind("SelectQuery", value);
  }
}

export interface SelectQuery extends SelectQueryOutputs {}
