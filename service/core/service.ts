/** The core of the service: it recovers queries, starts the clusters and holds the context of the operations. */
import { defaultDatabase, type Location } from "../../contract";
import type { Storage } from "../../storage/storage";
import { TableCatalog, tableFolder, type DeclaredTable } from "./queries/catalog";
import { Cluster, type ClusterOptions } from "./clusters/cluster";
import type { Platform } from "./ports/platform";
import type { EngineFamily, ViewDefinition } from "./ports/engine";
import { Retention, type RetentionLimits } from "./retention";
import { Reservations } from "./queries/reservations";
import type { QueryContext } from "./queries/query-context";
import { QueryRuns } from "./queries/runs";
import { SubmissionLimits } from "./queries/submission-limits";
import type { State } from "./ports/state";
import { outputFolder } from "./queries/execution";
import type { ServiceContext } from "./service-context";

export interface ServiceOptions {
  readonly platform: Platform;
  readonly state: State;
  readonly storage: Storage;
  readonly families: readonly EngineFamily[];
  readonly clusters: readonly Omit<ClusterOptions, "families" | "clock" | "log" | "logs">[];
  readonly tables: readonly DeclaredTable[];
  /** The views of the config. @default none */
  readonly views?: readonly ViewDefinition[];
  /** @default queries are kept for ever */
  readonly retention?: RetentionLimits | undefined;
}

export class Service {
  /** The dependencies of the operations. */
  readonly context: ServiceContext;
  readonly #retention: Retention | undefined;

  constructor({ platform, state, storage, families, clusters, tables, views, retention }: ServiceOptions) {
    const byType = new Map(families.map((family) => [family.type, family]));
    const { clock, log, logs } = platform;
    const sorted = [...clusters].sort((a, b) => (a.name < b.name ? -1 : 1));
    const all = sorted.map((cluster) => {
      const settings = state.registerCluster(cluster.name, { type: cluster.type, debug: cluster.debug });
      // An earlier restart may have selected an engine family that this service no longer has.
      const type = byType.has(settings.type) ? settings.type : cluster.type;
      return new Cluster({ ...cluster, ...settings, type, families: byType, clock, log, logs });
    });
    const queryContext: QueryContext = {
      platform,
      state,
      storage,
      clusters: new Map(all.map((cluster) => [cluster.name, cluster])),
      catalog: new TableCatalog(state, storage, tables, views),
    };
    this.context = {
      ...queryContext,
      families: byType,
      reservations: new Reservations(),
      runs: new QueryRuns(queryContext),
      submissionLimits: new SubmissionLimits(),
    };
    this.#retention = retention && new Retention(queryContext, retention);
  }

  /**
   * Resumes the queries of an earlier run of the service and starts the clusters. Resolves when the first start of
   * each cluster has succeeded or failed.
   */
  async start(): Promise<void> {
    await this.context.platform.outputs.ensureBucket(defaultDatabase);
    await this.#recover();
    this.#retention?.start();
    await Promise.all([...this.context.clusters.values()].map((cluster) => cluster.start()));
  }

  /** Ends the engines. The next start resumes the running queries. */
  async stop(): Promise<void> {
    const { runs, clusters, state } = this.context;
    const stopped = runs.stop();
    await this.#retention?.stop();
    await Promise.all([...clusters.values()].map((cluster) => cluster.close()));
    await stopped;
    state.close();
  }

  /**
   * Deletes every query, the catalog, the tables of splits and the results of selects. For tests of users.
   */
  async reset(): Promise<void> {
    const { runs, state, storage, clusters, platform } = this.context;
    await Promise.all(state.running().map(({ id }) => runs.cancel(id)));
    for (const folder of this.#writtenFolders()) {
      if (await storage.bucketExists(folder.bucket)) await storage.deleteFolder(folder);
    }
    state.reset();
    for (const name of clusters.keys()) platform.logs.dropQueries(name);
  }

  *#writtenFolders(): Generator<Location> {
    const { state } = this.context;
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
      yield* page.map(({ id }) => outputFolder(state.query(id)!));
      marker = page.at(-1)!.id;
    }
  }

  /** Runs the interrupted queries again; a query whose result was complete only publishes it (design §3). */
  async #recover(): Promise<void> {
    const { state, platform, reservations, runs } = this.context;
    const running = state.running();
    await platform.outputs.deleteOrphans(new Set(running.filter(({ publishing }) => publishing).map(({ id }) => id)));
    for (const query of running) {
      platform.logs.query(query.clusterName, query.id, "resumed after a restart of the service");
      runs.start(query, reservations.reserve(outputFolder(query), `query ${query.id}`));
    }
  }
}
