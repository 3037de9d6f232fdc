/** What running a query needs: the part of the service's context that knows nothing of the queries that run. */
import type { Storage } from "../../../storage/storage";
import type { Cluster } from "../clusters/cluster";
import type { Platform } from "../ports/platform";
import type { State } from "../ports/state";
import type { Catalog } from "./catalog";

export interface QueryContext {
  readonly platform: Platform;
  readonly state: State;
  readonly storage: Storage;
  /** In the order of their names. */
  readonly clusters: ReadonlyMap<string, Cluster>;
  readonly catalog: Catalog;
}
