/** The resource class ClusterRestart. */
import type * as pulumi from "@pulumi/pulumi";
import { DagResource, givenArgs, isKind } from "./dag-resource";
import type { ClusterRestartArgs, ClusterRestartOutputs } from "./types";

/**
 * Restarts a cluster, optionally with another engine family or with verbose logs, and waits until it is `norm` again.
 * A changed `type`, `debug` or `triggers` restarts it again. Deleting the resource does nothing. A restart deletes the
 * logs of the cluster's queries, so make it depend on the resources that read them.
 *
 * @example
 * ```ts
 * new dag.ClusterRestart("verbose", { clusterName: "demo", debug: true, drain: true }, { dependsOn: [strikes] });
 * ```
 */
// oxlint-disable-next-line no-unsafe-declaration-merging -- the properties are generated and set by CustomResource
export class ClusterRestart extends DagResource {
  /**
   * @param name name of the resource; unique among the program's resources of this type.
   * @param args inputs of the resource.
   * @param options Pulumi's resource options. `customTimeouts` limits the wait (default 60 minutes).
   */
  constructor(name: string, args: ClusterRestartArgs, options: pulumi.CustomResourceOptions = {}) {
    super("ClusterRestart", name, options.id === undefined ? givenArgs(args) : undefined, options);
  }

  /**
   * Reads the state of a cluster without managing or restarting it.
   * @param id name of the cluster.
   */
  static get(name: string, id: pulumi.Input<pulumi.ID>, options: pulumi.CustomResourceOptions = {}): ClusterRestart {
    return new ClusterRestart(name, {} as ClusterRestartArgs, { ...options, id });
  }

  /** Returns true when the value is a ClusterRestart. */
  static override isInstance(value: unknown): value is ClusterRestart {
    return isKind("ClusterRestart", value);
  }
}

export interface ClusterRestart extends ClusterRestartOutputs {}
