/** Written by "npm run generate" from provider/lifecycles: change the declarations there. */
import type { Input, Output } from "@pulumi/pulumi";

/** Inputs of a ClusterRestart. */
export interface ClusterRestartArgs {
  /** Name of the cluster. 1 to 64 characters of letters, digits, `.`, `_` and `-`, starting with a letter or digit. */
  readonly clusterName: Input<string>;
  /** Engine family of the cluster after the restart, such as `duckdb`. Default: unchanged. */
  readonly type?: Input<string> | undefined;
  /** Set to `true` to make the engine write verbose logs after the restart. Default: unchanged. */
  readonly debug?: Input<boolean> | undefined;
  /**
   * Set to `true` to cancel running queries first. If `false`, the restart fails while queries are running.
   * Default `false`.
   */
  readonly force?: Input<boolean> | undefined;
  /** Set to `true` to wait for running queries to end before the restart. Default `false`. */
  readonly drain?: Input<boolean> | undefined;
  /** Any value, such as a list of strings. The cluster is restarted again when the value changes. */
  readonly triggers?: unknown;
}

/** Properties of a ClusterRestart. */
export interface ClusterRestartOutputs {
  /** Name of the cluster. 1 to 64 characters of letters, digits, `.`, `_` and `-`, starting with a letter or digit. */
  readonly clusterName: Output<string>;
  /**
   * Set to `true` to cancel running queries first. If `false`, the restart fails while queries are running.
   * Default `false`.
   */
  readonly force: Output<boolean | undefined>;
  /** Set to `true` to wait for running queries to end before the restart. Default `false`. */
  readonly drain: Output<boolean | undefined>;
  /** Any value, such as a list of strings. The cluster is restarted again when the value changes. */
  readonly triggers: Output<unknown>;
  /** Engine family of the cluster. */
  readonly type: Output<string>;
  /** True when the engine of the cluster writes verbose logs. */
  readonly debug: Output<boolean>;
  /** Status of the cluster when the wait for its restart ended: `norm` or `ptfailed`. */
  readonly status: Output<
    "init" | "reserved" | "stopped" | "starting" | "restarting" | "norm" | "failed" | "ptfailed" | "error"
  >;
  /** Time at which the resource began the restart, before it waited for running queries, in ISO 8601, UTC. */
  readonly restartedAt: Output<string>;
}
