/** The service without its edges: what HTTP calls, over what `compose.ts` provides. */
import { defaultDatabase, type Location } from "../../provider/api";
import type { Storage } from "../../provider/storage/storage";
import { Catalog, tableFolder, type DeclaredTable } from "./catalog";
import { Cluster, type ClusterOptions } from "./cluster";
import type { Machine } from "./environment";
import type { EngineFamily, TableName } from "./ports";
import { Reservations } from "./reservations";
import { QueryRuns } from "./runs";
import type { State } from "./state";
import { outputOf } from "./work";
import type { World } from "./world";

export interface ServiceOptions {
  readonly machine: Machine;
  readonly state: State;
  readonly storage: Storage;
  readonly families: readonly EngineFamily[];
  /** Reads a statement without an engine. @throws InvalidDMLStatement, InvalidDatabaseName, InvalidTableName */
  readonly tablesRead: (statement: string) => readonly TableName[];
  readonly clusters: readonly Omit<ClusterOptions, "families" | "clock" | "log" | "logs">[];
  readonly tables: readonly DeclaredTable[];
}

export class Service {
  /** What the operations are given. */
  readonly world: World;

  constructor({ machine, state, storage, families, tablesRead, clusters, tables }: ServiceOptions) {
    const byType = new Map(families.map((family) => [family.type, family]));
    const { clock, log, logs } = machine;
    const sorted = [...clusters].sort((a, b) => (a.name < b.name ? -1 : 1));
    const all = sorted.map((cluster) => {
      const settings = state.registerCluster(cluster.name, { type: cluster.type, debug: cluster.debug });
      // A family that this service was started without cannot be what a restart before chose.
      const type = byType.has(settings.type) ? settings.type : cluster.type;
      return new Cluster({ ...cluster, ...settings, type, families: byType, clock, log, logs });
    });
    this.world = {
      machine,
      state,
      storage,
      families: byType,
      tablesRead,
      clusters: new Map(all.map((cluster) => [cluster.name, cluster])),
      catalog: new Catalog(state, storage, tables),
      reservations: new Reservations(),
      runs: new QueryRuns(() => this.world),
    };
  }

  /**
   * Takes up what an earlier run of the service left, and starts the clusters. Resolves when each of them has come
   * up or failed for the first time.
   */
  async start(): Promise<void> {
    await this.world.machine.outputs.makeBucket(defaultDatabase);
    await this.#recover();
    await Promise.all([...this.world.clusters.values()].map((cluster) => cluster.start()));
  }

  /** Ends the engines; queries that run are left to the next start. */
  async stop(): Promise<void> {
    const { runs, clusters, state } = this.world;
    const stopped = runs.stop();
    await Promise.all([...clusters.values()].map((cluster) => cluster.close()));
    await stopped;
    state.close();
  }

  /**
   * Forgets every query and the catalog, and deletes what queries wrote: tables of splits and results of selects. For
   * tests of users' own.
   */
  async reset(): Promise<void> {
    const { runs, state, storage, clusters, machine } = this.world;
    await Promise.all(state.running().map(({ id }) => runs.cancel(id)));
    for (const folder of this.#written()) {
      if (await storage.bucketExists(folder.bucket)) await storage.deleteFolder(folder);
    }
    state.reset();
    for (const name of clusters.keys()) machine.logs.dropQueries(name);
  }

  *#written(): Generator<Location> {
    const { state } = this.world;
    for (const table of state.tables()) yield tableFolder(table);
    for (let marker: number | undefined; ;) {
      const page = state.queries({
        statuses: ["finished"],
        type: "select",
        order: "desc",
        limit: 100,
        ...(marker === undefined ? {} : { marker }),
      });
      if (page.length === 0) return;
      yield* page.map(outputOf);
      marker = page.at(-1)!.id;
    }
  }

  /** Queries that were running run again; those whose result was complete only move it (design §3). */
  async #recover(): Promise<void> {
    const { state, machine, reservations, runs } = this.world;
    const running = state.running();
    await machine.outputs.sweep(new Set(running.filter(({ publishing }) => publishing).map(({ id }) => id)));
    for (const query of running) {
      machine.logs.query(query.clusterName, query.id, "taken up again after a stop of the service");
      runs.start(query, reservations.take(outputOf(query), `query ${query.id}`));
    }
  }
}
