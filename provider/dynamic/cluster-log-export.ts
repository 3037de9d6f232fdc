/** The resource class ClusterLogExport. */
import type * as pulumi from "@pulumi/pulumi";
import { programResources } from "./program-resources";
import { DagResource, givenArgs, withTrailingSlash, isKind, setOutputsFromInputs } from "./dag-resource";
import type { ClusterLogExportArgs, ClusterLogExportOutputs } from "./types";

/**
 * Exports a cluster's log files to storage. A cluster runs one export at a time; further exports
 * wait. Changed `triggers` export again. Deleting the resource keeps the files.
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
// oxlint-disable-next-line no-unsafe-declaration-merging -- the properties are generated and set by CustomResource
export class ClusterLogExport extends DagResource {
  /**
   * @param name name of the resource; unique among the program's resources of this type.
   * @param args inputs of the resource.
   * @param options Pulumi's resource options. `customTimeouts` limits the wait (default 60 minutes).
   */
  constructor(name: string, args: ClusterLogExportArgs, options: pulumi.CustomResourceOptions = {}) {
    const isLookup = options.id !== undefined;
    super(
      "ClusterLogExport",
      name,
      isLookup ? undefined : programResources(options).addClusterLogExport(name, givenArgs(args), options),
      options,
    );
    setOutputsFromInputs(this, { location: this.outputLogPath.apply(withTrailingSlash) });
  }

  /**
   * Reads exported log files without managing them.
   * @param id `<clusterName>/<outputLogPath>`.
   */
  static get(name: string, id: pulumi.Input<pulumi.ID>, options: pulumi.CustomResourceOptions = {}): ClusterLogExport {
    return new ClusterLogExport(name, {} as ClusterLogExportArgs, { ...options, id });
  }

  /** Returns true when the value is a ClusterLogExport. */
  static override isInstance(value: unknown): value is ClusterLogExport {
    return isKind("ClusterLogExport", value);
  }
}

export interface ClusterLogExport extends ClusterLogExportOutputs {}
