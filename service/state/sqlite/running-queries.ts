/**
 * What the queries and writers of the one process of a state file hold: slots, folders, exports and cancellations. Every
 * method checks and changes in one step, because none waits. After a start, only the running queries are there again.
 */
import { overlaps, type Location } from "../../../contract";
import { outputFolder } from "../../core/queries/output-folder";
import type { AcceptConditions, AcceptedQuery, Overlap, QueryProgress, Reservation } from "../../core/ports/state";

interface RunningQuery {
  readonly clusterName: string;
  readonly folder: Location;
  readonly ended: PromiseWithResolvers<void>;
  isCancelled: boolean;
  isPublishing: boolean;
  progress?: QueryProgress;
}

/** A reservation, with what it reserves. */
interface HeldFolder {
  readonly folder: Location;
  readonly owner: string;
}

/** The reason for which a query cannot be accepted. */
export type Refusal =
  | { readonly refused: "slots"; readonly running: number }
  | { readonly refused: "restarted" }
  | Overlap;

export class RunningQueries {
  /** In the order of their IDs. */
  readonly #queries = new Map<number, RunningQuery>();
  readonly #folders = new Map<Reservation, HeldFolder>();
  readonly #exports = new Set<string>();
  readonly #generations = new Map<string, number>();

  /** Checks the conditions of an acceptance; undefined when they hold. */
  refusal(query: AcceptedQuery, { slots, generation, reservation }: AcceptConditions): Refusal | undefined {
    const running = this.ids(query.clusterName).length;
    if (running >= slots) return { refused: "slots", running };
    if (generation !== this.generation(query.clusterName)) return { refused: "restarted" };
    return this.#overlap(outputFolder(query), reservation);
  }

  /** Adds a query that runs. It takes over the reservation. */
  add(
    id: number,
    query: AcceptedQuery,
    options: { readonly isPublishing?: boolean; readonly reservation?: Reservation | undefined } = {},
  ): void {
    if (options.reservation) this.#folders.delete(options.reservation);
    this.#queries.set(id, {
      clusterName: query.clusterName,
      folder: outputFolder(query),
      ended: Promise.withResolvers(),
      isCancelled: false,
      isPublishing: options.isPublishing ?? false,
    });
  }

  get(id: number): RunningQuery | undefined {
    return this.#queries.get(id);
  }

  remove(id: number): void {
    const query = this.#queries.get(id);
    this.#queries.delete(id);
    query?.ended.resolve();
  }

  /** Returns the IDs of a cluster's queries, or of all, in their order. */
  ids(clusterName?: string): number[] {
    const found: number[] = [];
    for (const [id, query] of this.#queries) {
      if (clusterName === undefined || query.clusterName === clusterName) found.push(id);
    }
    return found;
  }

  /** Reserves a folder. */
  reserve(folder: Location, owner: string): Reservation | Overlap {
    const overlap = this.#overlap(folder);
    if (overlap) return overlap;
    const reservation: Reservation = { release: async () => void this.#folders.delete(reservation) };
    this.#folders.set(reservation, { folder, owner });
    return reservation;
  }

  /** Begins an export of a cluster's log; undefined while one runs. */
  beginExport(clusterName: string): Reservation | undefined {
    if (this.#exports.has(clusterName)) return undefined;
    this.#exports.add(clusterName);
    return { release: async () => void this.#exports.delete(clusterName) };
  }

  /** The number of the cluster's restarts since the start. */
  generation(clusterName: string): number {
    return this.#generations.get(clusterName) ?? 0;
  }

  /** Counts a restart. */
  restart(clusterName: string): number {
    const generation = this.generation(clusterName) + 1;
    this.#generations.set(clusterName, generation);
    return generation;
  }

  #overlap(folder: Location, own?: Reservation): Overlap | undefined {
    for (const [id, query] of this.#queries) {
      if (overlaps(query.folder, folder)) return { refused: "overlap", folder: query.folder, owner: `query ${id}` };
    }
    for (const [reservation, held] of this.#folders) {
      if (reservation !== own && overlaps(held.folder, folder)) return { refused: "overlap", ...held };
    }
    return undefined;
  }
}
