/** Prometheus metrics of the service. */
import { collectDefaultMetrics, Counter, Gauge, Histogram, Registry } from "prom-client";
import type { LineageOutcome } from "../core/ports/platform";
import type { QueryStatus, QueryType } from "../../contract";
import type { ServiceContext } from "../core/service-context";

/** Collects the metrics and renders them for `/metrics`. */
export class Metrics {
  readonly #registry = new Registry();
  readonly #requests: Histogram<"operation" | "status" | "code">;
  readonly #ended: Counter<"type" | "status">;
  readonly #lineage: Counter<"outcome">;

  constructor() {
    const registers = [this.#registry];
    collectDefaultMetrics({ register: this.#registry });
    this.#requests = new Histogram({
      name: "dag_request_duration_seconds",
      help: "Time in seconds from the headers of a request to its response",
      labelNames: ["operation", "status", "code"],
      buckets: [0.001, 0.005, 0.02, 0.1, 0.5, 2, 10, 60],
      registers,
    });
    this.#ended = new Counter({
      name: "dag_queries_ended_total",
      help: "Queries that ended since the service started",
      labelNames: ["type", "status"],
      registers,
    });
    this.#lineage = new Counter({
      name: "dag_openlineage_events_total",
      help: "OpenLineage events that were received or refused, and runs whose events were dropped, since the service started",
      labelNames: ["outcome"],
      registers,
    });
  }

  request(operation: string, status: number, code: string, seconds: number): void {
    this.#requests.observe({ operation, status: String(status), code }, seconds);
  }

  queryEnded(type: QueryType, status: QueryStatus): void {
    this.#ended.inc({ type, status });
  }

  lineageEvents(outcome: LineageOutcome, count: number): void {
    this.#lineage.inc({ outcome }, count);
  }

  /** Registers the gauges that read the service's current state. */
  registerGauges({ clusters, state, storage, jobEnds, lineageSender }: ServiceContext): void {
    const registers = [this.#registry];
    new Gauge({
      name: "dag_state_available",
      help: "1, or 0 while the state can store nothing: its disk is full, its files are gone or its database does not answer; also 0 while the folder of the buckets is gone",
      registers,
      collect() {
        this.set((state.problem() ?? storage.problem?.()) === undefined ? 1 : 0);
      },
    });
    new Gauge({
      name: "dag_queries_running",
      help: "Queries that are running",
      labelNames: ["cluster"],
      registers,
      async collect() {
        // Without the state, the other metrics are still of use.
        this.reset();
        for (const name of clusters.keys()) {
          const running = await state.queries.listRunning(name).catch(() => undefined);
          if (running) this.set({ cluster: name }, running.length);
        }
      },
    });
    new Gauge({
      name: "dag_jobs_to_end",
      help: "Jobs of cancelled, failed and repeated queries whose server has not said yet that they have ended",
      labelNames: ["cluster"],
      registers,
      collect() {
        for (const name of clusters.keys()) this.set({ cluster: name }, jobEnds.count(name));
      },
    });
    if (lineageSender) {
      new Gauge({
        name: "dag_openlineage_runs",
        help: "Queries whose OpenLineage events were not all received yet",
        registers,
        async collect() {
          this.reset();
          const runs = await state.lineageRuns.count().catch(() => undefined);
          if (runs !== undefined) this.set(runs);
        },
      });
    }
    new Gauge({
      name: "dag_query_slots",
      help: "Maximum number of queries that run at the same time",
      labelNames: ["cluster"],
      registers,
      collect() {
        for (const { name, slots } of clusters.values()) this.set({ cluster: name }, slots);
      },
    });
    new Gauge({
      name: "dag_cluster_status",
      help: "1 for the current status of the cluster",
      labelNames: ["cluster", "status"],
      registers,
      collect() {
        this.reset();
        for (const { name, status } of clusters.values()) this.set({ cluster: name, status }, 1);
      },
    });
  }

  get contentType(): string {
    return this.#registry.contentType;
  }

  text(): Promise<string> {
    return this.#registry.metrics();
  }
}
