/** What must hold at every step: the guarantees of docs/guarantees.md, checked where the world is changed. */
import type { Location } from "../../../contract";
import type { AcceptedQuery, StoredQuery } from "../../../service/core/ports/state";
import type { CommittedQuery } from "../actors/postgres-tables";
import type { Records } from "../records";
import { world, type Actor } from "../world/world";
import { Acceptances } from "./acceptances";
import { Ends } from "./ends";
import { Publications } from "./publications";
import { folderOfRow, KnownQueries, pathOf, type Known } from "./queries";
import { requireList, requireRest } from "./rest";

/** Is told what happens, and passes it to the checks. */
export class Oracle {
  readonly #known: KnownQueries;
  readonly #acceptances: Acceptances;
  readonly #ends: Ends;
  readonly #publications: Publications;

  constructor(records: Records) {
    this.#known = new KnownQueries(records);
    this.#acceptances = new Acceptances(this.#known);
    this.#ends = new Ends(this.#known);
    this.#publications = new Publications(this.#known);
    world().files.onFailure = () => this.faultHits();
    world().files.onRename = (from, to) => this.#publications.renamed(from, to);
  }

  get queries(): ReadonlyMap<number, Known> {
    return this.#known.all;
  }

  /** A query was accepted just now. */
  accepted(query: AcceptedQuery & Pick<StoredQuery, "id">, slots: number, caller: string): void {
    this.#acceptances.accepted(query, slots, caller);
  }

  /** PostgreSQL has committed changes just now. @param slots of each cluster */
  committed(
    before: ReadonlyMap<number, CommittedQuery>,
    now: ReadonlyMap<number, CommittedQuery>,
    slots: Readonly<Record<string, number>>,
  ): void {
    for (const row of now.values()) {
      const { id, status, label, caller, cluster_name: clusterName } = row;
      const query = { type: row.type, ...(JSON.parse(row.request) as object), id, label, clusterName };
      if (!before.has(id)) this.accepted(query as AcceptedQuery & { readonly id: number }, slots[clusterName]!, caller);
      if (row.cancelling) this.cancelled(id);
      if (status !== (before.get(id)?.status ?? "running")) this.ended(id, status, row.recorded);
    }
    for (const id of before.keys()) if (!now.has(id)) this.forgotten(id);
  }

  /** Returns the status of a query in the database; undefined without one. */
  status(id: number): string | undefined {
    return this.#known.status(id);
  }

  /** Returns true when a query that runs writes to a folder of the disk. */
  isWritten(path: string): boolean {
    return this.#known.records.running().some((row) => pathOf(folderOfRow(row)) === path);
  }

  /** An old query is about to be deleted, unless it runs. */
  forgets(id: number): void {
    if (this.status(id) !== "running") return;
    world().violate("old queries are deleted, and none that runs", `query ${id} runs, and is deleted`);
  }

  /** An old query was deleted. */
  forgotten(id: number): void {
    this.queries.get(id)!.isForgotten = true;
  }

  /** The end of a query was stored just now. */
  ended(id: number, status: string, isRecorded: boolean): void {
    this.#ends.ended(id, status, isRecorded);
  }

  /** A process has decided that a query ends as cancelled. */
  cancelled(id: number): void {
    this.#ends.cancelled(id);
  }

  /** The only process of the service has ended. */
  processEnded(): void {
    this.#ends.processEnded();
  }

  /** The cancel of a query was answered with success. */
  cancelAnswered(id: number): void {
    this.#ends.cancelAnswered(id);
  }

  /** The power failed. */
  powerFailed(): void {
    this.#ends.powerFailed();
  }

  /** A process begins to publish the result of a query. @param epoch of the attempt that publishes */
  publishes(process: Actor, id: number, epoch: number): void {
    this.#publications.publishes(process, id, epoch);
  }

  /** S3 copies an object of an attempt just now. */
  copied(from: Location, to: Location, process: Actor): void {
    this.#publications.copied(from, to, process);
  }

  /** A fault of an engine hits a query, or all that run. */
  faultHits(id?: number): void {
    for (const known of this.#known.all.values()) {
      if (known.id === id || (id === undefined && known.status === "running")) this.#known.faultHits(known.id);
    }
  }

  /** Checks what holds when nothing happens any more. @param hasRestarted true when the service was started again since */
  atRest(hasRestarted: boolean): void {
    requireRest(this.#known, hasRestarted);
  }

  /** Checks that a list has each query once, in order, with its status. */
  listed(list: readonly { readonly id: number; readonly status: string }[], isAscending: boolean): void {
    requireList(this.#known, list, isAscending);
  }
}
