/** The dependencies of a running query: the service's context without the list of running queries. */
import type { Storage } from "../../../storage/storage";
import type { Cluster } from "../clusters/cluster";
import type { Platform } from "../ports/platform";
import type { State } from "../ports/state";
import type { TableCatalog } from "./catalog";
import type { LineageSender } from "../openlineage/sender";
import type { JobEnds } from "./job-ends";

export interface QueryContext {
  readonly platform: Platform;
  readonly state: State;
  readonly storage: Storage;
  /** Clusters by name, in the order of their names. */
  readonly clusters: ReadonlyMap<string, Cluster>;
  readonly catalog: TableCatalog;
  readonly jobEnds: JobEnds;
  /** Undefined when no OpenLineage events are sent. */
  readonly lineageSender?: LineageSender | undefined;
}
