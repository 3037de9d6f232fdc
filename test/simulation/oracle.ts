/** What must hold at every step: the guarantees of docs/guarantees.md, checked where the world is changed. */
import { overlaps, parseLocation, type Location } from "../../contract";
import { outputFolder } from "../../service/core/queries/output-folder";
import type { AcceptedQuery, StoredQuery } from "../../service/core/ports/state";
import type { CommittedQuery } from "./actors/postgres-tables";
import { partsIn, whyNotWhole } from "./actors/content";
import { bucketsFolder } from "./actors/storage";
import type { QueryRow, Records } from "./records";
import { world, type Actor } from "./world/world";

/** A query that the service has accepted. */
interface Known {
  readonly id: number;
  readonly folder: Location;
  readonly label: string | null;
  /** The run of a deployment, or another caller, that has submitted it. */
  readonly caller: string;
  status: string;
  /** True when its record was deleted as an old one. */
  isForgotten: boolean;
  /** True when a cancel was answered with 204. */
  isCancelAnswered: boolean;
  /** True when a process has decided that its result will not be published; the process forgets that when it ends. */
  isCancelled: boolean;
  /** Attempts whose result was moved to its place. */
  readonly published: number[];
}

export class Oracle {
  readonly queries = new Map<number, Known>();
  /** The queries that a fault of an engine has hit: they may fail. */
  readonly #hit = new Set<number>();
  /** The last query that published to a folder. */
  readonly #publishers = new Map<string, Known>();
  /** The last attempts that processes publish, by the IDs of their queries. */
  readonly #publishing = new WeakMap<Actor, Map<number, number>>();

  constructor(private readonly records: Records) {
    world().files.onFailure = () => this.faultHits();
    world().files.onRename = (from, to) => this.#renamed(from, to);
  }

  /** A query was accepted just now. */
  accepted(query: AcceptedQuery & Pick<StoredQuery, "id">, slots: number, caller: string): void {
    const { id, label, clusterName } = query;
    const folder = outputFolder(query);
    const known: Known = {
      id,
      folder,
      label,
      caller,
      status: "running",
      isForgotten: false,
      isCancelAnswered: false,
      isCancelled: false,
      published: [],
    };
    if (this.queries.has(id)) world().violate("no query ID is given twice", `query ${id} was accepted before`);
    this.queries.set(id, known);
    world().tell(`accepts query ${id} of ${caller}, ${describe(query)}`);
    const all = this.records.running();
    const running = all.filter((row) => row.cluster_name === clusterName);
    if (running.length > slots) {
      world().violate("slots are exclusive", `cluster ${clusterName} runs ${running.length} queries in ${slots} slots`);
    }
    for (const row of all) {
      if (row.id === id) continue;
      const other = folderOfRow(row);
      if (overlaps(other, folder)) {
        world().violate(
          "folders are exclusive",
          `queries ${row.id} and ${id} write to ${shown(other)} and ${shown(folder)}`,
        );
      }
    }
    this.#requireOnce(known);
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
      if (status !== (before.get(id)?.status ?? "running")) this.ended(id, status, row.recorded);
    }
    for (const id of before.keys()) if (!now.has(id)) this.forgotten(id);
  }

  /** A deployment never has two queries of one resource run, and never submits one twice. */
  #requireOnce({ id, label, caller }: Known): void {
    if (label === null || !label.startsWith("urn:")) return;
    const resource = label.slice(0, label.lastIndexOf("#"));
    for (const other of this.queries.values()) {
      if (other.id === id || other.label?.startsWith(`${resource}#`) !== true) continue;
      const status = this.status(other.id);
      if (status === "running") {
        world().violate(
          "one query of a resource runs",
          `queries ${other.id} and ${id} of ${resource} run at the same time`,
        );
      }
      if (other.label === label && other.caller === caller && status === "finished") {
        world().violate(
          "no query is submitted twice",
          `queries ${other.id} and ${id} of ${resource} are of one run, and ${other.id} is finished`,
        );
      }
    }
  }

  /** Returns the status of a query in the database; undefined without one. */
  status(id: number): string | undefined {
    return this.records.get(id)?.status;
  }

  /** Returns true when a query that runs writes to a folder of the disk. */
  isWritten(path: string): boolean {
    return this.records.running().some((row) => pathOf(folderOfRow(row)) === path);
  }

  /** An old query is deleted, unless it runs. */
  forgotten(id: number): void {
    const known = this.queries.get(id)!;
    known.isForgotten = true;
    if (this.status(id) === "running")
      world().violate("old queries are deleted, and none that runs", `query ${id} runs, and is deleted`);
  }

  /** The end of a query was stored just now. */
  ended(id: number, status: string, isRecorded: boolean): void {
    const known = this.queries.get(id);
    world().tell(`query ${id} ends as ${status}`);
    if (known === undefined)
      return world().violate("accepted is never lost", `query ${id} ends and was never accepted`);
    if (known.status !== "running") {
      world().violate("a query ends once", `query ${id} ends as ${status}, and was ${known.status}`);
    }
    known.status = status;
    if (known.isCancelAnswered && status !== "canceled") {
      world().violate(
        "a cancelled query is never published",
        `query ${id} ends as ${status}, and its cancel was answered`,
      );
    }
    if (status === "error" && known.label === null && !this.#hit.has(id)) {
      world().violate("an accepted query survives", `query ${id} ends as error, and nothing has hit it`);
    }
    if (known.isCancelled && status === "finished") {
      world().violate("a cancelled query is never published", `query ${id} ends as finished, and was cancelled`);
    }
    if (status !== "finished") {
      this.#requireEarlierResult(known);
      if (known.published.length > 0) {
        world().violate(
          "a failed or cancelled query leaves the old output",
          `query ${id} ends as ${status}, and its result was published`,
        );
      }
      return;
    }
    const why = whyNotWhole(partsIn(pathOf(known.folder)), id);
    if (why !== undefined)
      world().violate("a result is whole", `query ${id} is finished, but in ${shown(known.folder)} ${why}`);
    if (!isRecorded) world().violate("a result is recorded", `query ${id} is finished and not recorded`);
  }

  /** A folder has what its last query has published, also when a later one failed to. */
  #requireEarlierResult({ id, folder }: Known): void {
    const earlier = this.#publishers.get(pathOf(folder));
    // Others delete the results of deployments.
    if (earlier === undefined || earlier.id === id || earlier.status !== "finished" || earlier.label !== null) return;
    // When the rename that puts it back fails too, the next start puts it back.
    if ((world().coverage.get("fault: a rename fails") ?? 0) > 1) return;
    const why = whyNotWhole(partsIn(pathOf(folder)), earlier.id);
    if (why !== undefined)
      world().violate(
        "a failed or cancelled query leaves the old output",
        `query ${id} has failed, and of query ${earlier.id} in ${shown(folder)} ${why}`,
      );
  }

  /** A process has decided that a query ends as cancelled. */
  cancelled(id: number): void {
    const known = this.queries.get(id);
    if (known) known.isCancelled = true;
  }

  /** The only process of the service has ended. */
  processEnded(): void {
    for (const known of this.queries.values()) known.isCancelled = false;
  }

  /** The cancel of a query was answered with success. */
  cancelAnswered(id: number): void {
    const known = this.queries.get(id);
    if (known === undefined) return;
    known.isCancelAnswered = true;
    const status = this.status(id);
    if (status !== "canceled" && status !== undefined) {
      world().violate(
        "a cancelled query is never published",
        `the cancel of query ${id} is answered, and it is ${status}`,
      );
    }
  }

  /** A process begins to publish the result of a query. @param epoch of the attempt that publishes */
  publishes(process: Actor, id: number, epoch: number): void {
    const attempts = this.#publishing.get(process) ?? new Map<number, number>();
    this.#publishing.set(process, attempts.set(id, Math.max(epoch, attempts.get(id) ?? 0)));
  }

  /** S3 copies an object of an attempt just now. */
  copied(from: Location, to: Location, process: Actor): void {
    const [, id, epoch] = /^tmp\/(\d+)\/(\d+)-/.exec(from.key) ?? [];
    const known = this.queries.get(Number(id));
    if (id === undefined || known === undefined) return;
    const target = pathOf(known.folder);
    if (!pathOf(to).startsWith(`${target}/`))
      world().violate("published to its folder", `query ${id} is published to ${shown(to)}`);
    this.#requireMayPublish(known, Number(epoch), process);
    if (known.published.at(-1) !== Number(epoch)) {
      world().tell(`publishes attempt ${epoch} of query ${id} to ${target}`);
      known.published.push(Number(epoch));
    }
  }

  /** A folder or file is moved just now. */
  #renamed(from: string, to: string): void {
    const process = world().current;
    const [, replacedBy] = /\/tmp\/(\d+)\.old$/.exec(to) ?? [];
    const replacing = this.queries.get(Number(replacedBy));
    if (replacing) this.#requireIsLast(replacing, process);
    const [, bucket, id, epoch] = /^\/buckets\/([^/]+)\/tmp\/(\d+)\/(\d+)$/.exec(from) ?? [];
    if (bucket === undefined || to.startsWith(`${bucketsFolder}/${bucket}/tmp/`)) return;
    const queryId = Number(id);
    const known = this.queries.get(queryId);
    world().tell(`publishes attempt ${epoch} of query ${queryId} to ${to}`);
    world().count("publication");
    if (known === undefined) {
      return world().violate("published by its query", `query ${queryId} is published and not known`);
    }
    this.#requireMayPublish(known, Number(epoch), process);
    if (pathOf(known.folder) !== to)
      world().violate("published to its folder", `query ${queryId} is published to ${to}`);
    known.published.push(Number(epoch));
    for (const folder of this.#publishers.keys()) {
      if (folder === to || folder.startsWith(`${to}/`) || to.startsWith(`${folder}/`)) this.#publishers.delete(folder);
    }
    this.#publishers.set(to, known);
    const parts = partsIn(from);
    const why = whyNotWhole(parts, queryId);
    if (why !== undefined) world().violate("a result is whole", `query ${queryId} publishes a folder: ${why}`);
    else if (parts[0]!.epoch !== Number(epoch)) {
      world().violate(
        "published by the attempt that is marked",
        `attempt ${epoch} of query ${queryId} publishes objects of attempt ${parts[0]!.epoch}`,
      );
    }
  }

  /** A fault of an engine hits a query, or all that run. */
  faultHits(id?: number): void {
    for (const known of this.queries.values()) {
      if (known.id === id || (id === undefined && known.status === "running")) this.#hit.add(known.id);
    }
  }

  /** Only the marked attempt of a query that runs and was not cancelled may be published. */
  #requireMayPublish(known: Known, epoch: number, process: Actor): void {
    const row = this.records.get(known.id);
    if (row === undefined) return world().violate("published by its query", `query ${known.id} has no record`);
    if (known.isCancelAnswered) {
      world().violate(
        "a cancelled query is never published",
        `query ${known.id} is published after its cancel was answered`,
      );
    }
    if (row.status !== "running" || row.publishing !== 1) {
      world().violate(
        "published when marked",
        `query ${known.id} is published, and the state says ${row.status}, publishing ${row.publishing}`,
      );
    }
    if (row.published_epoch !== epoch) {
      world().violate(
        "published by the attempt that is marked",
        `attempt ${epoch} of query ${known.id} is published, and ${row.published_epoch} is marked`,
      );
    }
    this.#requireIsLast(known, process);
  }

  /** Only the last attempt of a query that runs may move or copy its result, also when an earlier one has written it. */
  #requireIsLast({ id }: Known, process: Actor): void {
    const row = this.records.get(id);
    const epoch = this.#publishing.get(process)?.get(id);
    if (row?.status === "running" && row.epoch === epoch) return;
    world().violate(
      "published by the last attempt",
      `attempt ${epoch} of query ${id} publishes; the last one is ${row?.epoch}, and the query ${row?.status ?? "deleted"}`,
    );
  }

  /** The power failed: what was published and not flushed may be away again, unless its query was finished. */
  powerFailed(): void {
    for (const { id, folder, status, label } of this.#publishers.values()) {
      // Others delete the results of deployments.
      if (status !== "finished" || label !== null) continue;
      const why = whyNotWhole(partsIn(pathOf(folder)), id);
      if (why !== undefined)
        world().violate(
          "a finished result is on the disk",
          `query ${id} was finished when the power failed, and in ${shown(folder)} ${why}`,
        );
    }
    for (const known of this.queries.values()) {
      if (known.status === "running") known.published.length = 0;
    }
  }

  /** Checks what holds when nothing happens any more. @param hasRestarted true when the service was started again since */
  atRest(hasRestarted: boolean): void {
    for (const known of this.queries.values()) {
      const status = this.status(known.id);
      if (known.isForgotten) continue;
      if (status === undefined) world().violate("accepted is never lost", `query ${known.id} has no record`);
      else if (status === "running") world().violate("every operation ends", `query ${known.id} still runs`);
      else if (status !== known.status)
        world().violate("a query ends once", `query ${known.id} is ${status}, and ended as ${known.status}`);
    }
    for (const path of world().files.below(bucketsFolder)) {
      const [, , , key = ""] = /^\/([^/]+)\/([^/]+)\/(.*)$/.exec(path) ?? [];
      // The next start puts an earlier result back that a failed rename has left.
      const hasFailed = world().coverage.has("fault: a rename fails");
      if (!hasRestarted && hasFailed && /^tmp\/\d+\.old\//.test(key)) continue;
      if (key.startsWith("tmp/") || key === "tmp_$folder$") {
        world().violate("nothing temporary is left", `${path} is left`);
      }
    }
  }

  /** Checks that a list has each query once, in order, with its status. */
  listed(list: readonly { readonly id: number; readonly status: string }[], isAscending: boolean): void {
    const kept = [...this.queries.values()].filter(({ isForgotten }) => !isForgotten).map(({ id }) => id);
    const ids = kept.sort((a, b) => (isAscending ? a - b : b - a));
    const found = list.map(({ id }) => id);
    if (String(ids) !== String(found)) world().violate("lists are exact", `the queries ${ids} are listed as ${found}`);
    for (const { id, status } of list) {
      const known = this.queries.get(id)!;
      if (known.status !== status)
        world().violate("lists are exact", `query ${id} is ${known.status}, and listed as ${status}`);
    }
  }
}

function pathOf({ bucket, key }: Location): string {
  return `${bucketsFolder}/${bucket}/${key}`.replace(/\/$/, "");
}

function folderOfRow({ type, request }: QueryRow): Location {
  return outputFolder({ type, ...JSON.parse(request) } as AcceptedQuery);
}

const shown = ({ bucket, key }: Location) => `dag://${bucket}/${key}`;

function describe(query: AcceptedQuery): string {
  return query.type === "select"
    ? `${query.query} to ${shown(parseLocation(query.outputResourcePath))}`
    : `a split to ${query.outputDatabase}.${query.outputTable}`;
}
