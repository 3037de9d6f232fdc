/** The class ClusterRestart. */
import type * as pulumi from "@pulumi/pulumi";
import { DagResource, isKind } from "./resource";
import type { ClusterRestartArgs, ClusterRestartOutputs } from "./types";

/**
 * Restarts a cluster, with another engine family or verbose logs if asked, and waits until it is `norm` again
 * (specification §4.7). Another `type`, `debug` or `triggers` restarts it again; deleting the resource does nothing. A
 * restart destroys the logs of the cluster's queries, so let it depend on what reads them.
 *
 * @example
 * ```ts
 * new dag.ClusterRestart("verbose", { clusterName: "demo", debug: true, drain: true }, { dependsOn: [strikes] });
 * ```
 */
// oxlint-disable-next-line no-unsafe-declaration-merging -- the properties are generated, and set by CustomResource
export class ClusterRestart extends DagResource {
  /**
   * @param name unique among the resources of its kind in the program.
   * @param args the inputs.
   * @param options those of every resource; `customTimeouts` says how long to wait (default 60 minutes).
   */
  constructor(name: string, args: ClusterRestartArgs, options: pulumi.CustomResourceOptions = {}) {
    super("ClusterRestart", name, options.id === undefined ? args : undefined, options);
  }

  /**
   * Refers to a cluster as a restart would have left it, without managing it.
   * @param id the cluster's name.
   */
  static get(name: string, id: pulumi.Input<pulumi.ID>, options: pulumi.CustomResourceOptions = {}): ClusterRestart {
    return new ClusterRestart(name, {} as ClusterRestartArgs, { ...options, id });
  }

  /** Whether a value is a ClusterRestart. */
  static override isInstance(value: unknown): value is ClusterRestart {
    return isKind("ClusterRestart", value);
  }
}

export interface ClusterRestart extends ClusterRestartOutputs {}
