/** What everyone in this process who works with the same cluster shares. */
import type { Client } from "../../client";
import { SlotQueue } from "./slots";

/** The queries of a cluster at some time. */
export interface Snapshot {
  /** Identifiers of the running queries by their submitted labels. */
  readonly running: ReadonlyMap<string, number>;
  /** Identifier of the newest query there was; what has a greater one came later. */
  readonly newestId: number;
}

/** How old a snapshot may be that others look at too, in milliseconds. */
const snapshotAge = 5_000;

/** One cluster of one service. */
export class ClusterCoordinator {
  /** Those who wait to submit a query. */
  readonly slots = new SlotQueue();
  /** Those who wait to export the cluster's logs. */
  readonly exports = new SlotQueue();
  /** Queries whose resource was deleted by this process: nobody adopts them. */
  readonly relinquished = new Set<number>();
  #snapshot: { readonly takenAt: number; readonly content: Promise<Snapshot> } | undefined;

  constructor(
    private readonly client: Client,
    private readonly clusterName: string,
  ) {}

  /** The queries as they are, or were a moment ago, so that many who begin at once cost no more than one. */
  snapshot(now: number, signal: AbortSignal): Promise<Snapshot> {
    if (this.#snapshot && now - this.#snapshot.takenAt <= snapshotAge) return this.#snapshot.content;
    const content = this.#look(signal);
    this.#snapshot = { takenAt: now, content };
    content.catch(() => (this.#snapshot = undefined));
    return content;
  }

  async #look(signal: AbortSignal): Promise<Snapshot> {
    const [newest, running] = await Promise.all([
      this.client.listQueries({ max: 1, order: "desc" }, { signal }),
      this.#running(signal),
    ]);
    return { running, newestId: newest.queries[0]?.id ?? 0 };
  }

  async #running(signal: AbortSignal): Promise<ReadonlyMap<string, number>> {
    const { client, clusterName } = this;
    const running = new Map<string, number>();
    for await (const { id, label } of client.queries({ clusterName, status: ["running"] }, { signal })) {
      if (label) running.set(label, id);
    }
    return running;
  }
}

const desks = new WeakMap<Client, Map<string, ClusterCoordinator>>();

/** The desk of a cluster; the same for everyone who uses the same client. */
export function clusterCoordinator(client: Client, clusterName: string): ClusterCoordinator {
  const ofClient = desks.get(client) ?? new Map<string, ClusterCoordinator>();
  desks.set(client, ofClient);
  const desk = ofClient.get(clusterName) ?? new ClusterCoordinator(client, clusterName);
  ofClient.set(clusterName, desk);
  return desk;
}
