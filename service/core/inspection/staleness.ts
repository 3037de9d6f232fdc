/** Finds out whether what a query read is still as it was. */
import { formatLocation, type Location } from "../../../contract";
import { forEachParallel } from "../../../storage/parallel";
import { Pauses } from "../../../storage/pauses";
import type { PublishedFolder } from "../ports/state";
import type { ReadRecord } from "../ports/read-records";
import type { PresentObjects } from "../queries/published";
import { byFolder, namedState, type ObjectsState, stateOf, viewFingerprint } from "../queries/read-states";
import type { ServiceContext } from "../service-context";

/** Milliseconds for which the storage is read; what is not known then counts as unchanged. */
const longest = 5000;
/** Folders that are read side by side. */
const sideBySide = 8;
/** Queries that are followed upstream. */
const maxQueries = 2000;
/** Publications in the folder of a table that are followed upstream. */
const maxParts = 20;

/** Decides for one request: what it has read once, it does not read again. */
export class Staleness {
  readonly #states = new Map<string, Promise<ObjectsState | undefined>>();
  readonly #decided = new Map<number, string | undefined>();
  readonly #reads = new Map<number, readonly ReadRecord[]>();
  readonly #pauses = new Pauses();
  readonly #until: number;

  constructor(private readonly context: ServiceContext) {
    this.#until = context.platform.clock.now() + longest;
  }

  /** Returns what the queries read, and reads its present state. */
  async readAhead(queryIds: readonly number[]): Promise<void> {
    const missing = queryIds.filter((id) => !this.#reads.has(id));
    for (const id of missing) this.#reads.set(id, []);
    const found = await this.context.state.reads.of(missing);
    for (const [id, reads] of Map.groupBy(found, ({ queryId }) => queryId)) this.#reads.set(id, reads);
    const tables = found.filter(({ kind }) => kind === "table");
    await forEachParallel(tables, sideBySide, async (read) => void (await this.#stateOf(read)));
  }

  /** Returns the ids of the queries whose results were deleted; without those of which that is not known. */
  async deletedOf(results: readonly PublishedFolder[]): Promise<ReadonlySet<number>> {
    const deleted = new Set<number>();
    await forEachParallel(results, sideBySide, async ({ queryId, folder, fingerprint }) => {
      const now = await this.#stateOf({ kind: "table", folder, queryId });
      // One that had no object from the start is as it was.
      if (now?.objects === 0 && now.fingerprint !== fingerprint) deleted.add(queryId);
    });
    return deleted;
  }

  /** Returns whose objects the folders of results have; without the folders of which that is not known. */
  async presentIn(results: readonly PublishedFolder[]): Promise<ReadonlyMap<PublishedFolder, PresentObjects>> {
    const found = new Map<PublishedFolder, PresentObjects>();
    await forEachParallel(results, sideBySide, async (result) => {
      if (this.context.platform.clock.now() > this.#until) return;
      const present = await this.context.catalog.published.presentIn(result).catch(() => undefined);
      if (present) found.set(result, present);
    });
    return found;
  }

  /** Returns what a query read; empty when it is not known. */
  async readsOf(queryId: number): Promise<readonly ReadRecord[]> {
    await this.readAhead([queryId]);
    return this.#reads.get(queryId)!;
  }

  /** Says why a result is stale; undefined when it is not, or that is not known. */
  reasonOf(published: Pick<PublishedFolder, "queryId">): Promise<string | undefined> {
    return this.#reason(published.queryId, new Set());
  }

  /** Says what has happened to a read since; undefined when nothing has, or that is not known. */
  async changeOf(read: ReadRecord): Promise<string | undefined> {
    const name = nameOf(read);
    if (read.kind === "view") {
      const { bucket: database, key } = read.folder;
      const view = this.context.catalog.view({ database, table: key.slice(0, -1) });
      if (!view) return `${name} is no longer in the config`;
      return viewFingerprint(view) === read.fingerprint ? undefined : `the statement of ${name} was changed`;
    }
    if (read.fingerprint === null) return undefined;
    const now = await this.#stateOf(read);
    if (now === undefined || now.fingerprint === read.fingerprint) return undefined;
    if (now.objects === 0) return `${name} was deleted`;
    const [last] = await this.context.state.catalog.listPublished(read.folder, 1);
    return last && last.queryId > read.queryId ? `${name} was rebuilt by query ${last.queryId}` : `${name} was changed`;
  }

  async #reason(queryId: number, path: Set<number>): Promise<string | undefined> {
    if (this.#decided.has(queryId)) return this.#decided.get(queryId);
    if (path.has(queryId) || path.size + this.#decided.size >= maxQueries) return undefined;
    path.add(queryId);
    const reason = await this.#find(queryId, path);
    path.delete(queryId);
    this.#decided.set(queryId, reason);
    return reason;
  }

  async #find(queryId: number, path: Set<number>): Promise<string | undefined> {
    const reads = await this.readsOf(queryId);
    await this.#pauses.pause();
    for (const read of reads) {
      const change = await this.changeOf(read);
      if (change !== undefined) return change;
    }
    for (const read of reads) {
      if (read.kind === "view") continue;
      for (const maker of await this.#makersOf(read.folder)) {
        const above = await this.#reason(maker.queryId, path);
        if (above !== undefined) return `${above.replace(/ \(through .*\)$/, "")} (through ${nameOf(read)})`;
      }
    }
    return undefined;
  }

  /** The last publication to the folder, or those to the folders in it. */
  async #makersOf(folder: Location): Promise<readonly PublishedFolder[]> {
    const exact = await this.context.state.reads.lastTo([folder]);
    return exact.length > 0 ? exact : await this.context.state.catalog.listPublished(folder, maxParts);
  }

  /** Returns the present state of what was read; undefined when it is not known. */
  #stateOf(read: Pick<ReadRecord, "kind" | "folder" | "queryId">): Promise<ObjectsState | undefined> {
    const folder = formatLocation(read.folder);
    const key = read.kind === "table" ? folder : `${read.queryId} ${folder}`;
    let state = this.#states.get(key);
    if (state === undefined) {
      const isLate = this.context.platform.clock.now() > this.#until;
      const takeState =
        read.kind === "table" ? () => stateOf(this.context.storage, read.folder) : () => this.#inputsOf(read);
      state = isLate ? Promise.resolve(undefined) : takeState().catch(() => undefined);
      this.#states.set(key, state);
    }
    return state;
  }

  async #inputsOf({ queryId, folder }: Pick<ReadRecord, "folder" | "queryId">): Promise<ObjectsState | undefined> {
    const { state, storage } = this.context;
    const query = await state.queries.get(queryId);
    if (query?.type !== "split") return undefined;
    const names = byFolder(query.inputObjectKeys).get(formatLocation(folder));
    return names && (await namedState(storage, names));
  }
}

/** The name of what was read: `sales.orders`, or the folder of objects. */
export function nameOf({ kind, folder }: Pick<ReadRecord, "kind" | "folder">): string {
  return kind === "objects" ? formatLocation(folder) : `${folder.bucket}.${folder.key.slice(0, -1)}`;
}
