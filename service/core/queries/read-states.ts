/** The state of what a query reads: by which a later change is recognised. */
import { createHash } from "node:crypto";
import { formatLocation, isHiddenObject, parseLocation, type Location } from "../../../contract";
import { Pauses } from "../../../storage/pauses";
import type { Storage, StoredObject } from "../../../storage/storage";
import type { ViewDefinition } from "../ports/engine";
import type { ReadInput } from "../ports/read-records";
import { tableFolder } from "./catalog";
import type { StatementReads } from "./reads";

/** The objects of a table, or those that a split reads of a folder. */
export interface ObjectsState {
  readonly objects: number;
  readonly bytes: number;
  /** A hash over their names, sizes and etags, or else modification times. */
  readonly fingerprint: string;
}

/** What identifies each object that was seen, by its location as a text. */
export type SeenObjects = Map<string, string>;

/** Objects of a table that its state covers: the first ones by name. */
const maxObjects = 10_000;
/** Objects of a split whose state is taken. */
const maxInputs = 1000;
/** Requests for single objects at a time. */
const batchSize = 16;

/** Returns what a select reads, with its state. @param seen gets the objects */
export async function statementInputs(
  storage: Storage,
  { tables, views, direct }: StatementReads,
  seen?: SeenObjects,
): Promise<readonly ReadInput[]> {
  const named = new Set(direct.map(({ database, table }) => `${database}.${table}`));
  const inputs: ReadInput[] = views.map((view) => ({
    kind: "view",
    folder: viewFolder(view),
    isDirect: named.has(`${view.database}.${view.view}`),
    objects: null,
    bytes: null,
    fingerprint: viewFingerprint(view),
  }));
  for (const name of tables) {
    const folder = tableFolder(name);
    const state = await stateOf(storage, folder, seen).catch(() => unknown);
    inputs.push({ kind: "table", folder, isDirect: named.has(`${name.database}.${name.table}`), ...state });
  }
  return inputs;
}

/** Returns the folders of the objects that a split reads, with the state of these objects. @param seen gets the objects */
export async function splitInputs(
  storage: Storage,
  keys: readonly string[],
  seen?: SeenObjects,
): Promise<readonly ReadInput[]> {
  const inputs: ReadInput[] = [];
  for (const [folder, names] of byFolder(keys)) {
    const state = await namedState(storage, names, seen).catch(() => unknown);
    inputs.push({ kind: "objects", folder: parseLocation(folder), isDirect: true, ...state });
  }
  return inputs;
}

/** The objects of a split, by the folders that they lie in directly. */
export function byFolder(keys: readonly string[]): ReadonlyMap<string, Location[]> {
  const folders = new Map<string, Location[]>();
  for (const key of [...new Set(keys)].slice(0, maxInputs)) {
    const folder = key.slice(0, key.lastIndexOf("/") + 1);
    const names = folders.get(folder) ?? [];
    names.push(parseLocation(key));
    folders.set(folder, names);
  }
  return folders;
}

const unknown = { objects: null, bytes: null, fingerprint: null };

/** Returns the state of a table's folder. @throws StorageAccessError */
export async function stateOf(storage: Storage, folder: Location, seen?: SeenObjects): Promise<ObjectsState> {
  const sum = new StateSum(seen);
  const pauses = new Pauses();
  for await (const object of storage.list(folder)) {
    if (isHiddenObject(object.location.key.slice(folder.key.length))) continue;
    sum.add(object);
    if (sum.objects === maxObjects) break;
    await pauses.pause();
  }
  return sum.state();
}

/** Returns the state of some objects; those that are gone are not counted. @throws StorageAccessError */
export async function namedState(
  storage: Storage,
  names: readonly Location[],
  seen?: SeenObjects,
): Promise<ObjectsState> {
  const sum = new StateSum(seen);
  for (let start = 0; start < names.length; start += batchSize) {
    const found = await Promise.all(names.slice(start, start + batchSize).map((name) => storage.head(name)));
    for (const object of found) if (object) sum.add(object);
  }
  return sum.state();
}

/** The folder that a table of a view's name would have. */
export function viewFolder({ database, view }: Pick<ViewDefinition, "database" | "view">): Location {
  return tableFolder({ database, table: view });
}

export function viewFingerprint({ query }: Pick<ViewDefinition, "query">): string {
  return createHash("sha256").update(query).digest("base64url");
}

class StateSum {
  objects = 0;
  #bytes = 0;
  readonly #hash = createHash("sha256");

  constructor(private readonly seen: SeenObjects | undefined) {}

  add({ location, size, etag, lastModified }: StoredObject): void {
    this.objects += 1;
    this.#bytes += size;
    const identity = `${size}\n${etag ?? lastModified.getTime()}\n`;
    this.#hash.update(`${location.key}\n${identity}`);
    this.seen?.set(formatLocation(location), identity);
  }

  state(): ObjectsState {
    return { objects: this.objects, bytes: this.#bytes, fingerprint: this.#hash.digest("base64url") };
  }
}
