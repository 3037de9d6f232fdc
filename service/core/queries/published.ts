/**
 * Recognises folders that queries published (design §2, "Data"), where they are and where they were moved or copied to,
 * by what they hold. Nothing is added to users' folders for it.
 */
import { createHash } from "node:crypto";
import { buffer } from "node:stream/consumers";
import {
  type Column,
  formatLocation,
  isHiddenObject,
  isWrittenObject,
  type Location,
  partitionFolders,
} from "../../../contract";
import { Pauses } from "../../../storage/pauses";
import type { Storage, StoredObject } from "../../../storage/storage";
import type { CatalogRecords, PublishedFolder } from "../ports/state";
import { readableColumns } from "./result-columns";

/** Bytes of the first object that {@link PublishedFolder.content} covers. */
const headBytes = 65_536;
/** Folders whose content is kept in memory, so that it is not read for each statement. */
const maxKnownContents = 10_000;

/** What is known of a folder, from the queries that published what is in it. */
export interface KnownFolder {
  readonly type: PublishedFolder["type"];
  readonly format: PublishedFolder["format"];
  /** Undefined when they are not known. */
  readonly columns?: readonly Column[];
  /** The partition columns that the folders name. */
  readonly partitions: readonly Column[];
  /** The other queries that may have written it, as a part of a sentence. */
  readonly doubt?: string;
}

/** An ordinary folder. */
interface OrdinaryFolder {
  readonly type?: never;
  /** Why it is one although queries have published to it. */
  readonly reason?: string;
  /** The format that all its objects have; undefined when it is not known. */
  readonly format?: PublishedFolder["format"];
}

/** Whose objects a folder has to which a query has published. */
export interface PresentObjects {
  /** The publication that wrote them; undefined when none is known. */
  readonly publication?: PublishedFolder;
  /** Which of them are not as the last publication wrote them; undefined when all are. */
  readonly change?: string;
}

/** A publication that wrote the objects of a folder; or why it is not known which one did. */
interface RecognisedPublication {
  readonly publication?: PublishedFolder;
  /** The other queries that may have written them, as a part of a sentence. */
  readonly doubt?: string;
}

/** How many objects a folder has, with all that are not read as rows. */
interface Counted {
  readonly objects: number;
  readonly bytes: number;
}

/** The objects directly in one folder. */
interface Objects {
  readonly folder: Location;
  readonly objects: StoredObject[];
}

export class PublishedFolders {
  /** By {@link fingerprintOf} with the location. */
  readonly #contents = new Map<string, string | null>();

  constructor(
    private readonly records: Pick<CatalogRecords, "listPublished" | "listPublishedAs">,
    private readonly storage: Storage,
  ) {}

  /** Returns what identifies the objects of a folder that was published just now, with their number and size. */
  async identify(folder: Location): Promise<Pick<PublishedFolder, "fingerprint" | "content"> & Counted> {
    let [objects, bytes] = [0, 0];
    const all: Objects = { folder, objects: [] };
    for await (const object of this.storage.list(folder)) {
      objects += 1;
      bytes += object.size;
      if (hasRows(folder, object)) all.objects.push(object);
    }
    return { objects, bytes, fingerprint: await fingerprintOf(all), content: await this.#contentOf(all) };
  }

  /**
   * Returns what is known of a table's folder when every object in it is as some query published it, all with the same
   * columns and format; otherwise that it is an ordinary folder.
   * @param first the first object that has rows
   */
  async find(folder: Location, first: StoredObject): Promise<KnownFolder | OrdinaryFolder> {
    const published = new Map((await this.records.listPublished(folder)).map((each) => [each.folder.key, each]));
    if (published.size === 0 && !isWritten(first)) return {};
    if (published.size === 0) {
      const { publication, doubt } = await this.#recognise(await this.#beside(first), undefined);
      if (!publication) return doubt === undefined ? {} : { reason: doubt };
    }
    const found: PublishedFolder[] = [];
    let anyDoubt: string | undefined;
    for (const objects of await this.#groups(folder)) {
      const last = published.get(objects.folder.key);
      const { publication, doubt } = await this.#recognise(objects, last);
      anyDoubt ??= doubt;
      if (publication) found.push(publication);
      else if (doubt !== undefined) return { reason: doubt };
      else return published.size === 0 ? {} : { reason: changed(objects, last ?? [...published.values()].at(-1)!) };
    }
    const all = await together(folder, found);
    return all.type === undefined || anyDoubt === undefined ? all : { ...all, doubt: anyDoubt };
  }

  /** Says which objects of a folder are not as the last query that published it wrote them; undefined when all are. */
  async changeOf(folder: Location): Promise<string | undefined> {
    const last = (await this.records.listPublished(folder)).find((each) => each.folder.key === folder.key);
    return last && (await this.presentIn(last)).change;
  }

  /** Returns whose objects the folder of a publication has now. @param last the last one to its folder */
  async presentIn(last: PublishedFolder): Promise<PresentObjects> {
    if (last.fingerprint === null) return { publication: last };
    const objects: Objects = { folder: last.folder, objects: await this.#objectsIn(last.folder) };
    const { publication } = await this.#recognise(objects, last);
    // Those of another query are not what the last one wrote here, such as a part of it that another has written elsewhere.
    return publication?.queryId === last.queryId
      ? { publication: last }
      : { ...(publication && { publication }), change: changed(objects, last) };
  }

  /**
   * Returns why the objects in the folder of a query's result are not the result; undefined when they are, or when it is
   * not known. `queryId` is the query that wrote its own result there.
   */
  async replacementOf(folder: Location, queryId: number): Promise<{ queryId?: number; reason: string } | undefined> {
    const last = (await this.records.listPublished(folder)).find((each) => each.folder.key === folder.key);
    if (!last || last.queryId < queryId) return undefined;
    if (last.queryId > queryId) {
      const reason = `query ${last.queryId} has written its result to ${formatLocation(folder)} since`;
      return { queryId: last.queryId, reason };
    }
    if (last.fingerprint === null) return undefined;
    const objects: Objects = { folder, objects: await this.#objectsIn(folder) };
    if ((await fingerprintOf(objects)) === last.fingerprint) return undefined;
    // Other times, as in a copy of the buckets; what is compared is all there is of a small result.
    const isAlike = (await this.#contentOf(objects)) === last.content;
    if (isAlike && isAllInHead(objects)) return undefined;
    return { reason: `${changed(objects, last)}${isAlike ? ", or copied without their times" : ""}` };
  }

  /**
   * Returns the publication that wrote the objects of one folder. Of several queries that wrote the same to other folders,
   * it is the first one, because a query that reads a result may write the same objects with other names.
   * @param last the last publication to this folder
   */
  async #recognise(objects: Objects, last: PublishedFolder | undefined): Promise<RecognisedPublication> {
    if (last?.fingerprint === null)
      return (await isComplete(objects)) ? { publication: { ...last, folder: objects.folder } } : {};
    if (last !== undefined && last.fingerprint === (await fingerprintOf(objects))) return { publication: last };
    const content = (await inSteps(objects.objects, isWritten)) ? await this.#contentOf(objects) : null;
    if (content === null) return {};
    // Other times, as after a restore, but still what the last query wrote here.
    if (last?.content === content) return { publication: last };
    const [first, ...others] = await this.records.listPublishedAs(content);
    if (first === undefined) return {};
    const publication = { ...first, folder: objects.folder };
    const other = others.find((each) => !isAlike(first, each));
    if (!other) return { publication };
    const folder = formatLocation(objects.folder);
    const doubt = `query ${first.queryId} (${shown(first)}) and query ${other.queryId} (${shown(other)}) wrote the objects that ${folder} has`;
    return hasSameTypes(first, other) ? { publication, doubt } : { doubt };
  }

  /** Returns the objects in a folder and below. */
  async #objectsIn(folder: Location): Promise<StoredObject[]> {
    const objects: StoredObject[] = [];
    for await (const object of this.storage.list(folder)) if (hasRows(folder, object)) objects.push(object);
    return objects;
  }

  /** Returns the objects in the folder of an object. */
  async #beside({ location: { bucket, key } }: StoredObject): Promise<Objects> {
    const folder = { bucket, key: key.slice(0, key.lastIndexOf("/") + 1) };
    const objects: StoredObject[] = [];
    for await (const object of this.storage.list(folder)) {
      if (folderOf(object).key !== folder.key || !hasRows(folder, object)) continue;
      objects.push(object);
      if (!isWritten(object)) break;
    }
    return { folder, objects };
  }

  /** Returns the objects of a table, by the folders that they lie in directly. */
  async #groups(folder: Location): Promise<Iterable<Objects>> {
    const groups = new Map<string, Objects>();
    for await (const object of this.storage.list(folder)) {
      if (!hasRows(folder, object)) continue;
      const own = folderOf(object);
      const group = groups.get(own.key);
      if (group) group.objects.push(object);
      else groups.set(own.key, { folder: own, objects: [object] });
    }
    return groups.values();
  }

  /** Returns a hash over the names and sizes of objects and the beginning of the first; null when they are empty. */
  async #contentOf(objects: Objects): Promise<string | null> {
    const first = objects.objects.find(({ size }) => size > 0);
    if (!first) return null;
    const key = `${formatLocation(objects.folder)} ${await fingerprintOf(objects)}`;
    const known = this.#contents.get(key);
    if (known !== undefined) return known;
    const hash = createHash("sha256");
    await inSteps(objects.objects, ({ location, size }) => {
      hash.update(`${nameIn(objects.folder, location)}\n${size}\n`);
      return true;
    });
    hash.update(await buffer(await this.storage.read(first.location, { end: headBytes })));
    const content = hash.digest("base64url");
    this.#contents.set(key, content);
    if (this.#contents.size > maxKnownContents) this.#contents.delete(this.#contents.keys().next().value!);
    return content;
  }
}

/** Returns true when an object has the name that this service or Hive gives: such an object of no known split has no header. */
export function isWritten({ location }: Pick<StoredObject, "location">): boolean {
  return isWrittenObject(location.key);
}

/** Returns true when a test holds for every item; other work is done in between, because a folder may have very many. */
async function inSteps<Item>(items: readonly Item[], test: (item: Item, index: number) => boolean): Promise<boolean> {
  const pauses = new Pauses();
  for (const [index, item] of items.entries()) {
    if (!test(item, index)) return false;
    if (index % 100 === 99) await pauses.pause();
  }
  return true;
}

/** Returns a hash over the names, sizes and etags, or else modification times, of objects: no change of them leaves it. */
async function fingerprintOf({ folder, objects }: Objects): Promise<string> {
  const hash = createHash("sha256");
  await inSteps(objects, ({ location, size, lastModified, etag }) => {
    hash.update(`${nameIn(folder, location)}\n${size}\n${etag ?? lastModified.getTime()}\n`);
    return true;
  });
  return hash.digest("base64url");
}

/** Returns true when nothing is behind the first {@link headBytes} bytes of the first object that has any. */
function isAllInHead({ objects }: Objects): boolean {
  const filled = objects.filter(({ size }) => size > 0);
  return filled.length === 0 || (filled.length === 1 && filled[0]!.size <= headBytes);
}

/** Returns true when objects are named as those of a whole result, of which more is not known. */
const isComplete = ({ folder, objects }: Objects) =>
  inSteps(objects, ({ location }, index) => nameIn(folder, location) === `${String(index).padStart(6, "0")}_0`);

const nameIn = (folder: Location, { key }: Location) => key.slice(folder.key.length);

const folderOf = ({ location: { bucket, key } }: StoredObject): Location => ({
  bucket,
  key: key.slice(0, key.lastIndexOf("/") + 1),
});

/** Returns true for an object of a table: not for a marker such as `_SUCCESS`, or one that stands for a folder. */
export function hasRows(folder: Location, { location, size }: StoredObject): boolean {
  const name = nameIn(folder, location);
  return !isHiddenObject(name) && !(size === 0 && (/(?:^|\/)$/.test(name) || name.endsWith("_$folder$")));
}

/** Returns true when both are read in the same way. */
const isAlike = (one: PublishedFolder, other: PublishedFolder) => readAs(one) === readAs(other);

function readAs({ type, format, columns }: PublishedFolder): string {
  return JSON.stringify([type, format, type === "select" && columns !== null ? readableColumns(columns) : columns]);
}

/** Returns true for results with columns of the same types, whatever their names: the cells have the same values. */
function hasSameTypes(one: PublishedFolder, other: PublishedFolder): boolean {
  const types = ({ columns }: PublishedFolder) => columns && readableColumns(columns).map(({ type }) => type);
  return one.type === "select" && other.type === "select" && String(types(one)) === String(types(other));
}

const shown = ({ format, columns }: PublishedFolder) =>
  columns === null ? format : `${format}: ${columns.map(({ name, type }) => `${type} ${name}`).join(", ")}`;

/** Returns what several folders are together, as one table. */
async function together(folder: Location, found: readonly PublishedFolder[]): Promise<KnownFolder | OrdinaryFolder> {
  const [first] = found;
  if (!first) return {};
  let other: PublishedFolder | undefined;
  await inSteps(found, (each) => {
    if (!isAlike(first, each)) other = each;
    return other === undefined;
  });
  if (other) {
    const reason = `queries ${first.queryId} and ${other.queryId} wrote results with different columns or formats to it`;
    return found.every(({ format }) => format === first.format) ? { reason, format: first.format } : { reason };
  }
  const namesOf = (each: PublishedFolder) => partitionFolders(nameIn(folder, each.folder)).map(({ name }) => name);
  const names = namesOf(first);
  // The engine says which objects lie in different partition folders.
  const isOneLayout = await inSteps(found, (each) => namesOf(each).join("/") === names.join("/"));
  if (new Set(names).size < names.length || !isOneLayout) return {};
  const { type, format, columns } = first;
  const known = columns === null ? {} : { columns: type === "select" ? readableColumns(columns) : columns };
  return { type, format, ...known, partitions: names.map((name) => ({ name, type: "string" })) };
}

/** Says which object is not as it was published. */
function changed({ folder, objects }: Objects, { queryId, folder: published }: PublishedFolder): string {
  const foreign =
    objects.find((object) => !isWritten(object)) ?? (folder.key === published.key ? undefined : objects[0]);
  return foreign
    ? `query ${queryId} wrote its result to ${formatLocation(published)}, and not ${formatLocation(foreign.location)}`
    : `objects of ${formatLocation(folder)} were changed, removed or added since query ${queryId} wrote its result there`;
}
