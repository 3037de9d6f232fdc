/** The core of the service: it recovers queries, starts the clusters and holds the context of the operations. */
import { defaultDatabase, type Location } from "../../contract";
import type { Storage } from "../../storage/storage";
import { TableCatalog, tableFolder, type DeclaredTable } from "./queries/catalog";
import { Cluster, type ClusterOptions } from "./clusters/cluster";
import type { Platform } from "./ports/platform";
import type { EngineFamily, ViewDefinition } from "./ports/engine";
import { LineageSender } from "./openlineage/sender";
import type { EventSource } from "./openlineage/events";
import type { LineageReceiver } from "./ports/lineage-receiver";
import { Retention, type RetentionLimits } from "./retention";
import type { QueryContext } from "./queries/query-context";
import { deleteOrphans } from "./queries/orphans";
import { JobEnds } from "./queries/job-ends";
import { Executions } from "./queries/executions";
import { SubmissionLimits } from "./queries/submission-limits";
import { beginRestart } from "./clusters/cluster-operations";
import { outputFolder } from "./queries/output-folder";
import type { State, StateListener, StoredQuery, WrittenTable } from "./ports/state";
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
  /** Where OpenLineage events are sent. @default nowhere */
  readonly lineage?: { readonly source: EventSource; readonly receiver: LineageReceiver } | undefined;
}

/**
 * Milliseconds for which the start of the service waits for its clusters: the server of one may hang, and the others'
 * users do not wait for it.
 */
const firstStartsLimit = 20_000;

export class Service {
  /** The dependencies of the operations. */
  readonly context: ServiceContext;
  readonly #retention: Retention | undefined;

  constructor({ platform, state, storage, families, clusters, tables, views, retention, lineage }: ServiceOptions) {
    const byType = new Map(families.map((family) => [family.type, family]));
    const { clock, log, logs } = platform;
    const sorted = [...clusters].sort((a, b) => (a.name < b.name ? -1 : 1));
    const all = sorted.map((cluster) => new Cluster({ ...cluster, families: byType, clock, log, logs }));
    const byName = new Map(all.map((cluster) => [cluster.name, cluster]));
    const queryContext: QueryContext = {
      platform,
      state,
      storage,
      clusters: byName,
      jobEnds: new JobEnds({ platform, jobsToEnd: state.jobsToEnd, clusters: byName }),
      catalog: new TableCatalog(state.catalog, storage, tables, views),
      lineageSender: lineage && new LineageSender({ ...lineage, state, platform }),
    };
    this.context = {
      ...queryContext,
      families: byType,
      executions: new Executions(queryContext),
      submissionLimits: new SubmissionLimits(clock),
    };
    this.#retention = retention && new Retention(queryContext, retention);
  }

  /**
   * Resumes the queries of an earlier run of the service and starts the clusters. Resolves when the first start of
   * each cluster has succeeded or failed, or after {@link firstStartsLimit}.
   */
  async start(): Promise<void> {
    const { clusters, platform, state } = this.context;
    await platform.outputs.ensureBucket(defaultDatabase);
    for (const cluster of clusters.values()) {
      const { type, debug } = cluster.settings;
      cluster.configure(await state.admission.registerCluster(cluster.name, { type, debug }));
    }
    state.leases.listen(this.#listener());
    await deleteOrphans(platform, state.queries);
    for (const query of await state.leases.takeOver()) this.#resume(query);
    this.#retention?.start();
    this.context.jobEnds.start();
    this.context.lineageSender?.start();
    const firstStarts = Promise.all([...clusters.values()].map((cluster) => cluster.start()));
    const started = new AbortController();
    await Promise.race([firstStarts, platform.clock.sleep(firstStartsLimit, started.signal)]);
    started.abort();
  }

  /** Ends the engines. The next start, or another process, resumes the running queries. */
  async stop(): Promise<void> {
    const { executions, clusters, state, jobEnds, lineageSender } = this.context;
    state.leases.beginShutdown();
    jobEnds.stop();
    const stopped = executions.stop();
    await this.#retention?.stop();
    await Promise.all([...clusters.values()].map((cluster) => cluster.close()));
    await stopped;
    await jobEnds.stopped();
    await lineageSender?.stop();
    await this.context.platform.logs.flush();
    await state.close();
  }

  /**
   * Deletes every query, the catalog, the tables of splits and the results of selects. For tests of users.
   */
  async reset(): Promise<void> {
    const { executions, state, storage, clusters, platform } = this.context;
    await Promise.all((await state.queries.listRunning()).map((id) => executions.cancel(id)));
    for await (const folder of this.#writtenFolders()) {
      if (await storage.bucketExists(folder.bucket)) await storage.deleteFolder(folder);
    }
    await state.reset();
    for (const name of clusters.keys()) platform.logs.dropQueries(name);
  }

  async *#writtenFolders(): AsyncGenerator<Location> {
    const { state } = this.context;
    for (let after: WrittenTable | undefined; ;) {
      const tables = await state.catalog.listTables({ limit: 100, ...(after && { after }) });
      if (tables.length === 0) break;
      for (const table of tables) yield tableFolder(table);
      after = tables.at(-1);
    }
    for (let marker: number | undefined; ;) {
      const page = await state.queries.list({
        statuses: ["finished"],
        type: "select",
        order: "desc",
        limit: 100,
        ...(marker === undefined ? {} : { marker }),
      });
      if (page.length === 0) return;
      for (const { id } of page) {
        const record = await state.queries.get(id);
        // The retention may have deleted it since: a test has advanced the clock.
        if (record) yield outputFolder(record);
      }
      marker = page.at(-1)!.id;
    }
  }

  /** Runs an interrupted query again; one whose result was complete only publishes it (design §3). */
  #resume(query: StoredQuery): void {
    const { platform, executions } = this.context;
    platform.logs.query(query.clusterName, query.id, "resumed after its service process has ended");
    platform.log.info({ queryId: query.id, epoch: query.epoch }, "query resumed");
    executions.start(query);
    // A forced restart of its cluster has cancelled it, and the process ended before the query did.
    if (query.clusterRebooted && !query.publishing) executions.onCancelled(query.id);
  }

  #listener(): StateListener {
    const { executions, clusters, platform } = this.context;
    return {
      cancelled: (id) => executions.onCancelled(id),
      lost: (attempt) => executions.onLost(attempt),
      takenOver: (query) => this.#resume(query),
      takeoverFailed: (error) => {
        platform.log.error({ err: error }, "queries of other processes could not be taken over");
      },
      restarted: (name, settings) => {
        const cluster = clusters.get(name);
        if (!cluster || settings.generation <= cluster.generation) return;
        const own = executions.idsOn(name);
        beginRestart(cluster, settings, Promise.all(own.map((id) => executions.finishCancel(id))));
      },
    };
  }
}
