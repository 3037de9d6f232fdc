/** What tables, results and views are made of, and who reads them, for the console: `GET /lineage/…`. */
import {
  asFolder,
  errors,
  formatLocation,
  type LineageEdge,
  type LineageGraph,
  type LineageNode,
  type Location,
} from "../../../contract";
import { Pauses } from "../../../storage/pauses";
import type { ReadRecord } from "../ports/read-records";
import type { PublishedFolder } from "../ports/state";
import { tableContaining, tableFolder } from "../queries/catalog";
import { viewFolder } from "../queries/read-states";
import type { Caller, ServiceContext } from "../service-context";
import { tablesNamed } from "./check";
import { locationOf } from "./objects";
import { Staleness } from "./staleness";

/** Nodes of a graph. */
const maxNodes = 500;
/** Readers of one folder, and publications in one, that are shown. */
const [maxReaders, maxParts] = [200, 20];
/** Levels in each direction when none are named. */
const allLevels = 1000;

/** A node that was visited. */
interface VisitedNode {
  readonly id: string;
  readonly folder: Location;
  readonly isView: boolean;
  /** The query whose objects it has, or else the last one that wrote to it. */
  published?: PublishedFolder;
  /** How its objects differ from what `published` wrote. */
  change?: string;
}

/**
 * Returns the graph around a table, a result folder or a view.
 * @param path `<bucket>/<folder>`, such as a database and a table
 * @param levels upstream and downstream. @default all
 * @throws InvalidParameter, InputObjectNotFound when there is nothing in the folder and nothing is known of it
 */
export async function lineageOf(
  context: ServiceContext,
  { path, levels = allLevels }: { readonly path: string; readonly levels?: number | undefined },
  caller: Caller,
): Promise<LineageGraph> {
  const folder = rootFolder(path);
  const graph = new Graph(context, caller);
  const root = graph.add(folder)!;
  await graph.upstream([root], levels);
  await graph.downstream([root], levels);
  const answer = await graph.answer(root);
  const [{ kind, queryId }] = answer.nodes as [LineageNode];
  const isKnown = kind !== "folder" || queryId !== undefined || answer.edges.length > 0;
  if (!isKnown && !(await hasObject(context, folder))) {
    throw new errors.InputObjectNotFound(
      `${root.id} does not exist: it has no object, and no table, view or result of this service is there`,
      { field: "path" },
    );
  }
  return answer;
}

async function hasObject({ storage }: ServiceContext, folder: Location): Promise<boolean> {
  if (!(await storage.bucketExists(folder.bucket))) return false;
  for await (const _ of storage.list(folder)) return true;
  return false;
}

class Graph {
  readonly #nodes = new Map<string, VisitedNode>();
  readonly #edges = new Map<string, LineageEdge>();
  readonly #staleness: Staleness;
  readonly #viewReads = new Map<string, readonly Location[]>();
  readonly #pauses = new Pauses();
  #isCut = false;

  constructor(
    private readonly context: ServiceContext,
    private readonly caller: Caller,
  ) {
    this.#staleness = new Staleness(context);
  }

  /** Adds a node, or returns the one that is there; undefined when there are too many. */
  add(folder: Location): VisitedNode | undefined {
    const id = formatLocation(folder);
    const known = this.#nodes.get(id);
    if (known) return known;
    if (this.#nodes.size === maxNodes) {
      this.#isCut = true;
      return undefined;
    }
    const node: VisitedNode = { id, folder, isView: this.#viewOf(folder) !== undefined };
    this.#nodes.set(id, node);
    return node;
  }

  /** Adds what the nodes are made of, level by level. */
  async upstream(first: readonly VisitedNode[], levels: number): Promise<void> {
    const seen = new Set(first);
    for (let level = first, left = levels; level.length > 0; left -= 1) {
      await this.#findMakers(level);
      if (left === 0) return;
      const next: VisitedNode[] = [];
      for (const node of level) {
        await this.#pauses.pause();
        for (const { folder, queryId } of await this.#sources(node)) {
          const source = this.add(folder);
          if (!source) continue;
          this.#connect(source, node, queryId);
          if (!seen.has(source)) next.push(source);
          seen.add(source);
        }
      }
      level = next;
    }
  }

  /** Adds who reads the nodes, level by level. */
  async downstream(first: readonly VisitedNode[], levels: number): Promise<void> {
    const seen = new Set(first);
    for (let level = first, left = levels; level.length > 0 && left > 0; left -= 1) {
      const next: VisitedNode[] = [];
      const visit = (from: VisitedNode, folder: Location, queryId?: number) => {
        const reader = this.add(folder);
        if (!reader) return;
        this.#connect(from, reader, queryId);
        if (!seen.has(reader)) next.push(reader);
        seen.add(reader);
      };
      for (const node of level) {
        await this.#pauses.pause();
        await this.#visitReaders(node, visit);
      }
      await this.#findMakers(next);
      level = next;
    }
  }

  async answer(root: VisitedNode): Promise<LineageGraph> {
    const nodes: LineageNode[] = [];
    const made = [...this.#nodes.values()].flatMap(({ published }) => (published ? [published] : []));
    await this.#staleness.readAhead(made.map(({ queryId }) => queryId));
    const deleted = await this.#staleness.deletedOf(made);
    for (const node of this.#nodes.values()) nodes.push(await this.#describe(node, deleted));
    return { root: root.id, nodes, edges: [...this.#edges.values()], isCut: this.#isCut };
  }

  async #describe(node: VisitedNode, deleted: ReadonlySet<number>): Promise<LineageNode> {
    const { id, folder, isView, published, change } = node;
    const name = nameOf(folder);
    if (isView) return { id, name, kind: "view" };
    if (!published) {
      const { catalog } = this.context;
      const isDeclared = catalog.declares(tableContaining(folder)) && isTable(folder);
      return { id, name, kind: isDeclared ? "table" : "folder" };
    }
    const { queryId } = published;
    const kind = published.type === "split" ? "table" : "result";
    if (deleted.has(queryId)) return { id, name, kind, queryId, isDeleted: true };
    if (change !== undefined && kind === "result") return { id, name, kind: "folder", queryId, note: change };
    const note = change === undefined ? {} : { note: change };
    const stale = await this.#staleness.reasonOf(published);
    return { id, name, kind, queryId, ...note, ...(stale === undefined ? {} : { stale }) };
  }

  #connect({ id: from }: VisitedNode, { id: to }: VisitedNode, queryId: number | undefined): void {
    if (from === to) return;
    this.#edges.set(`${from} ${to}`, { from, to, ...(queryId === undefined ? {} : { queryId }) });
  }

  async #findMakers(nodes: readonly VisitedNode[]): Promise<void> {
    const folders = nodes.filter(({ isView }) => !isView).map(({ folder }) => folder);
    const found = await this.context.state.reads.lastTo(folders);
    const byFolder = new Map(found.map((published) => [formatLocation(published.folder), published]));
    const present = await this.#staleness.presentIn(found);
    const makers: number[] = [];
    for (const node of nodes) {
      const last = byFolder.get(node.id);
      if (!last) continue;
      const { publication, change } = present.get(last) ?? { publication: last };
      // The catalog keeps the format and schema of a split; another select's result is as that one wrote it.
      const isOther = last.type === "select" && publication !== undefined;
      node.published = isOther ? publication : last;
      if (change !== undefined && !isOther) node.change = change;
      makers.push(node.published.queryId);
    }
    await this.#staleness.readAhead(makers);
  }

  /** What a node is made of: what its query read, the parts of a table, or the tables of a view. */
  async #sources(node: VisitedNode): Promise<readonly { readonly folder: Location; readonly queryId?: number }[]> {
    if (node.isView) return (await this.#readsOfView(node.folder)).map((folder) => ({ folder }));
    if (!node.published) {
      if (!isTable(node.folder)) return [];
      const parts = await this.context.state.catalog.listPublished(node.folder, maxParts);
      return parts.map(({ folder }) => ({ folder }));
    }
    const { queryId } = node.published;
    const reads = await this.#staleness.readsOf(queryId);
    const behindViews = await this.#behindViews(reads);
    return reads.filter((read) => !behindViews.has(read)).map(({ folder }) => ({ folder, queryId }));
  }

  async #visitReaders(
    node: VisitedNode,
    visit: (from: VisitedNode, folder: Location, queryId?: number) => void,
  ): Promise<void> {
    const { reads } = this.context.state;
    for (const view of await this.#viewsReading(node.folder)) visit(node, view);
    for (const { read, published } of await reads.readersOf([node.folder], maxReaders)) {
      const all = read.isDirect ? [] : await this.#staleness.readsOf(read.queryId);
      if ((await this.#behindViews(all)).size === 0 || read.isDirect) visit(node, published.folder, read.queryId);
    }
    // Who reads the table that a folder is a part of, reads the folder too.
    const table = tableFolder(tableContaining(node.folder));
    if (formatLocation(table) === node.id || this.#viewOf(table)) return;
    const isRead = (await reads.readersOf([table], 1)).length > 0;
    if (isRead || (await this.#viewsReading(table)).length > 0) visit(node, table);
  }

  /** The tables and views that a query reads only through views that are still in the config. */
  async #behindViews(reads: readonly ReadRecord[]): Promise<ReadonlySet<ReadRecord>> {
    const views = reads.filter(({ kind, folder }) => kind === "view" && this.#viewOf(folder));
    const read = new Set<string>();
    for (const { folder } of views) for (const each of await this.#readsOfView(folder)) read.add(formatLocation(each));
    return new Set(reads.filter(({ isDirect, folder }) => !isDirect && read.has(formatLocation(folder))));
  }

  async #viewsReading(folder: Location): Promise<Location[]> {
    const id = formatLocation(folder);
    const found: Location[] = [];
    for (const view of this.context.catalog.views()) {
      const location = viewFolder(view);
      const reads = await this.#readsOfView(location);
      if (reads.some((each) => formatLocation(each) === id)) found.push(location);
    }
    return found;
  }

  /** The folders of the tables and views that a view names; none when they are not known. */
  async #readsOfView(folder: Location): Promise<readonly Location[]> {
    const view = this.#viewOf(folder);
    if (!view) return [];
    const key = `${folder.bucket}/${folder.key}`;
    const known = this.#viewReads.get(key);
    if (known) return known;
    const named = knownViews.get(view) ?? (await tablesNamed(this.context, view.query, this.caller));
    if (named) knownViews.set(view, named);
    const folders = (named ?? []).map(tableFolder);
    this.#viewReads.set(key, folders);
    return folders;
  }

  #viewOf(folder: Location) {
    return isTable(folder) ? this.context.catalog.view(tableContaining(folder)) : undefined;
  }
}

/** What the views of the config name, which does not change while the service runs. */
const knownViews = new WeakMap<object, readonly { readonly database: string; readonly table: string }[]>();

const isTable = ({ key }: Location) => /^[^/]+\/$/.test(key);

function nameOf(folder: Location): string {
  if (!isTable(folder)) return formatLocation(folder);
  const { database, table } = tableContaining(folder);
  return `${database}.${table}`;
}

function rootFolder(path: string): Location {
  const folder = asFolder(locationOf("path", `dag://${path}`));
  if (folder.key !== "") return folder;
  throw new errors.InvalidParameter("the path is not valid: it must be a database and a table, or a folder", {
    field: "path",
  });
}
