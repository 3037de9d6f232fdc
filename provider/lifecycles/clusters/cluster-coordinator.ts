/** State that all operations of this process on the same cluster share. */
import type { Client } from "../../client";
import { SlotQueue } from "./slots";

/** The queries of a cluster at a point in time. */
export interface Snapshot {
  /** Identifiers of the running queries of this access key, by submitted label. */
  readonly running: ReadonlyMap<string, number>;
  /** Identifier of the newest query. Queries with a greater identifier were submitted later. */
  readonly newestId: number;
}

/** Maximum age at which a snapshot is reused, in milliseconds. */
const maxSnapshotAge = 5_000;

/** Coordinates operations on one cluster of one service. */
export class ClusterCoordinator {
  /** Queue of submissions that wait for a free slot. */
  readonly slots = new SlotQueue();
  /** Queue of log exports. */
  readonly logExports = new SlotQueue();
  /** Queries that must not be adopted, because this process has deleted their resource or cancelled them; and by which URN. */
  readonly relinquished = new Map<number, string>();
  #snapshot: { readonly takenAt: number; readonly content: Promise<Snapshot> } | undefined;

  constructor(
    private readonly client: Client,
    private readonly clusterName: string,
  ) {}

  /** Returns a current or recent snapshot, so that many concurrent operations share one. */
  snapshot(now: number, signal: AbortSignal): Promise<Snapshot> {
    if (this.#snapshot && now - this.#snapshot.takenAt <= maxSnapshotAge) return this.#snapshot.content;
    const content = this.#fetchSnapshot(signal);
    this.#snapshot = { takenAt: now, content };
    content.catch(() => (this.#snapshot = undefined));
    return content;
  }

  async #fetchSnapshot(signal: AbortSignal): Promise<Snapshot> {
    const [newest, running] = await Promise.all([
      this.client.listQueries({ max: 1, order: "desc" }, { signal }),
      this.#fetchRunning(signal),
    ]);
    return { running, newestId: newest.queries[0]?.id ?? 0 };
  }

  async #fetchRunning(signal: AbortSignal): Promise<ReadonlyMap<string, number>> {
    const { client, clusterName } = this;
    const running = new Map<string, number>();
    for await (const { id, label, accessKeyId } of client.queries({ clusterName, status: ["running"] }, { signal })) {
      // Another user may have a project, a stack and a resource of the same names.
      if (label && accessKeyId === client.accessKeyId) running.set(label, id);
    }
    return running;
  }
}

const coordinators = new WeakMap<Client, Map<string, ClusterCoordinator>>();

/** Returns the coordinator of a cluster, the same one for every user of a client. */
export function clusterCoordinator(client: Client, clusterName: string): ClusterCoordinator {
  const ofClient = coordinators.get(client) ?? new Map<string, ClusterCoordinator>();
  coordinators.set(client, ofClient);
  const coordinator = ofClient.get(clusterName) ?? new ClusterCoordinator(client, clusterName);
  ofClient.set(clusterName, coordinator);
  return coordinator;
}
