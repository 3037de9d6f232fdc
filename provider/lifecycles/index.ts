/** The lifecycles of the provider's resources, and their types. */
import { clusterLogExport } from "./resources/cluster-log-export";
import { clusterRestart } from "./resources/cluster-restart";
import type { Lifecycle } from "./lifecycle";
import { selectQuery } from "./resources/select-query";
import { splitTable } from "./resources/split-table";

/**
 * The lifecycle of every resource, by the name of the resource; tools/generate reads it.
 * @public
 */
export const lifecycles = {
  SplitTable: splitTable,
  SelectQuery: selectQuery,
  ClusterRestart: clusterRestart,
  ClusterLogExport: clusterLogExport,
} as const;

type ResourceName = keyof typeof lifecycles;

/** Returns the lifecycle of a resource by name, for front ends with untyped values. */
export function lifecycleOf(name: string): Lifecycle<object, object> | undefined {
  return Object.hasOwn(lifecycles, name)
    ? (lifecycles[name as ResourceName] as unknown as Lifecycle<object, object>)
    : undefined;
}

export { hasUnknown, unknown } from "./schema/check";
export { functionOf } from "./functions";
export {
  PartialCreate,
  type CheckFailure,
  type CheckOptions,
  type DiffResult,
  type Lifecycle,
  type LifecycleContext,
  type PropertyDiff,
} from "./lifecycle";
export type { Properties } from "./schema/properties";
