/** Written by "npm run generate" from provider/lifecycles: change the declarations there. */
import type { Input, Output } from "@pulumi/pulumi";
import type { ObjectList } from "./objects";

/** Inputs of a ClusterLogExport. */
export interface ClusterLogExportArgs {
  /** Name of the cluster. 1 to 64 characters of letters, digits, `.`, `_` and `-`, starting with a letter or digit. */
  readonly clusterName: Input<string>;
  /** Folder `dag://<bucket>/<path>/` that receives the log files. */
  readonly outputLogPath: Input<string>;
  /** Set to `true` to compress the exported log files with gzip. Default `false`. */
  readonly compress?: Input<boolean> | undefined;
  /** Any value, such as a list of strings. The logs are exported again when the value changes. */
  readonly triggers?: unknown;
}

/** Properties of a ClusterLogExport. */
export interface ClusterLogExportOutputs {
  /** Name of the cluster. 1 to 64 characters of letters, digits, `.`, `_` and `-`, starting with a letter or digit. */
  readonly clusterName: Output<string>;
  /** Folder `dag://<bucket>/<path>/` that receives the log files. */
  readonly outputLogPath: Output<string>;
  /** Set to `true` to compress the exported log files with gzip. Default `false`. */
  readonly compress: Output<boolean | undefined>;
  /** Any value, such as a list of strings. The logs are exported again when the value changes. */
  readonly triggers: Output<unknown>;
  /** Folder of the log files, ending in `/`. */
  readonly location: Output<string>;
  /** Time at which the export ended, in ISO 8601, UTC; empty after an import. */
  readonly exportedAt: Output<string>;
  /** Objects in `location` after the export. Requires `dag:storage`. */
  readonly result: Output<ObjectList | undefined>;
}
