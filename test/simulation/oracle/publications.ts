/** Checks of publications: once, whole, to its folder, by the last attempt of a query that runs. */
import type { Location } from "../../../contract";
import { partsIn, whyNotWhole } from "../actors/content";
import { bucketsFolder } from "../actors/storage";
import { world, type Actor } from "../world/world";
import { pathOf, shown, type Known, type KnownQueries } from "./queries";

export class Publications {
  /** The last attempts that processes publish, by the IDs of their queries. */
  readonly #publishing = new WeakMap<Actor, Map<number, number>>();

  constructor(private readonly queries: KnownQueries) {}

  /** A process begins to publish the result of a query. @param epoch of the attempt that publishes */
  publishes(process: Actor, id: number, epoch: number): void {
    const attempts = this.#publishing.get(process) ?? new Map<number, number>();
    this.#publishing.set(process, attempts.set(id, Math.max(epoch, attempts.get(id) ?? 0)));
  }

  /** S3 copies an object of an attempt just now. */
  copied(from: Location, to: Location, process: Actor): void {
    const [, id, epoch] = /^tmp\/(\d+)\/(\d+)-/.exec(from.key) ?? [];
    const known = this.queries.all.get(Number(id));
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
  renamed(from: string, to: string): void {
    const process = world().current;
    const [, replacedBy] = /\/tmp\/(\d+)\.old$/.exec(to) ?? [];
    const replacing = this.queries.all.get(Number(replacedBy));
    if (replacing) this.#requireIsLast(replacing, process);
    const [, bucket, id, epoch] = /^\/buckets\/([^/]+)\/tmp\/(\d+)\/(\d+)$/.exec(from) ?? [];
    if (bucket === undefined || to.startsWith(`${bucketsFolder}/${bucket}/tmp/`)) return;
    const queryId = Number(id);
    const known = this.queries.all.get(queryId);
    world().tell(`publishes attempt ${epoch} of query ${queryId} to ${to}`);
    world().count("publication");
    if (known === undefined) {
      return world().violate("published by its query", `query ${queryId} is published and not known`);
    }
    this.#requireMayPublish(known, Number(epoch), process);
    if (pathOf(known.folder) !== to)
      world().violate("published to its folder", `query ${queryId} is published to ${to}`);
    known.published.push(Number(epoch));
    for (const folder of this.queries.publishers.keys()) {
      if (folder === to || folder.startsWith(`${to}/`) || to.startsWith(`${folder}/`))
        this.queries.publishers.delete(folder);
    }
    this.queries.publishers.set(to, known);
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

  /** Only the marked attempt of a query that runs and was not cancelled may be published. */
  #requireMayPublish(known: Known, epoch: number, process: Actor): void {
    const row = this.queries.records.get(known.id);
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
    const row = this.queries.records.get(id);
    const epoch = this.#publishing.get(process)?.get(id);
    if (row?.status === "running" && row.epoch === epoch) return;
    world().violate(
      "published by the last attempt",
      `attempt ${epoch} of query ${id} publishes; the last one is ${row?.epoch}, and the query ${row?.status ?? "deleted"}`,
    );
  }
}
