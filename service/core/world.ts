/** Everything that the operations work with, put together once by `core/service.ts`. */
import { errors } from "../../provider/api";
import type { Storage } from "../../provider/storage/storage";
import type { Catalog } from "./catalog";
import type { Cluster } from "./cluster";
import type { Machine } from "./environment";
import type { EngineFamily, TableName } from "./ports";
import type { Reservations } from "./reservations";
import type { QueryRuns } from "./runs";
import type { State } from "./state";

export interface World {
  readonly machine: Machine;
  readonly state: State;
  readonly storage: Storage;
  readonly families: ReadonlyMap<string, EngineFamily>;
  /** Reads a statement where no engine is up to do it. @throws InvalidDMLStatement, InvalidDatabaseName, InvalidTableName */
  readonly tablesRead: (statement: string) => readonly TableName[];
  /** In the order of their names. */
  readonly clusters: ReadonlyMap<string, Cluster>;
  readonly catalog: Catalog;
  readonly reservations: Reservations;
  readonly runs: QueryRuns;
}

/** Who calls. */
export interface Caller {
  readonly accessKeyId: string;
}

/** @throws ClusterNotFound */
export function findCluster({ clusters }: Pick<World, "clusters">, name: string): Cluster {
  const cluster = clusters.get(name);
  if (cluster) return cluster;
  throw new errors.ClusterNotFound(
    `cluster "${name}" does not exist; this service has ${[...clusters.keys()].join(", ")}`,
    { field: "clusterName" },
  );
}
