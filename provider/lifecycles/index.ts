/** The lifecycles of the provider's resources, and the kinds of values that they deal in. */
import { clusterLogExport } from "./resources/cluster-log-export";
import { clusterRestart } from "./resources/cluster-restart";
import type { Lifecycle } from "./lifecycle";
import { selectQuery } from "./resources/select-query";
import { splitTable } from "./resources/split-table";

/** Every resource, by its name. */
export const lifecycles = {
  SplitTable: splitTable,
  SelectQuery: selectQuery,
  ClusterRestart: clusterRestart,
  ClusterLogExport: clusterLogExport,
} as const;

type ResourceName = keyof typeof lifecycles;

/** A resource's lifecycle, by its name, for front ends that do not know the types of its values. */
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
