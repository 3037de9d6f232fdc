/** The class ClusterLogExport. */
import type * as pulumi from "@pulumi/pulumi";
import { programResources } from "./program-resources";
import { DagResource, folderText, isKind, setNamed } from "./resource";
import type { ClusterLogExportArgs, ClusterLogExportOutputs } from "./types";

/**
 * Exports a cluster's log files to storage (specification §4.11). One export runs at a time on a cluster: others wait
 * their turn. Other `triggers` export again; deleting the resource leaves the files.
 *
 * @example
 * ```ts
 * new dag.ClusterLogExport("logs", {
 *   clusterName: "demo",
 *   outputLogPath: "dag://logs/demo/",
 *   compress: true,
 *   triggers: [new Date().toISOString().slice(0, 10)],
 * });
 * ```
 */
// oxlint-disable-next-line no-unsafe-declaration-merging -- the properties are generated, and set by CustomResource
export class ClusterLogExport extends DagResource {
  /**
   * @param name unique among the resources of its kind in the program.
   * @param args the inputs.
   * @param options those of every resource; `customTimeouts` says how long to wait (default 60 minutes).
   */
  constructor(name: string, args: ClusterLogExportArgs, options: pulumi.CustomResourceOptions = {}) {
    const looked = options.id !== undefined;
    super("ClusterLogExport", name, looked ? undefined : programResources().logExport(name, args), options);
    setNamed(this, { location: this.outputLogPath.apply(folderText) });
  }

  /**
   * Refers to log files that were exported, without managing them.
   * @param id `<clusterName>/<outputLogPath>`.
   */
  static get(name: string, id: pulumi.Input<pulumi.ID>, options: pulumi.CustomResourceOptions = {}): ClusterLogExport {
    return new ClusterLogExport(name, {} as ClusterLogExportArgs, { ...options, id });
  }

  /** Whether a value is a ClusterLogExport. */
  static override isInstance(value: unknown): value is ClusterLogExport {
    return isKind("ClusterLogExport", value);
  }
}

export interface ClusterLogExport extends ClusterLogExportOutputs {}
