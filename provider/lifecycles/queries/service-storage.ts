/**
 * dag:storage, as the provider uses it. A setting of another environment has the same names, and other objects: what is
 * read, compared or deleted there is not what the queries of this service made. So each folder is compared with what the
 * service lists before anything in it is read or deleted.
 */
import type { Readable } from "node:stream";
import { formatLocation, type Location } from "../../../contract";
import type { Storage } from "../../../storage";
import type { ReadOptions, StoredObject } from "../../../storage/storage";
import type { Client } from "../../client";
import { describeError } from "../describe-error";
import type { CheckFailure, LifecycleContext } from "../lifecycle";
import { redacted } from "../redaction";
import { folderOf, isTemporary } from "./results";

/** Number of objects of a folder that are compared. */
const compared = 100;
/** Timeout of a preview's question, in milliseconds. */
const timeout = 10_000;
/** Milliseconds before the second look: a query may have replaced the objects between the two lists of the first. */
const pause = 1_000;

/** dag:storage is not the storage of the service. */
export class OtherStorageError extends Error {
  override readonly name = "OtherStorageError";
  readonly code = "OtherStorage";
}

/** What a run has found out about the storage of a service. */
interface Found {
  /** The folders that have the same objects in both, or none in both. */
  readonly same: Set<string>;
  /** Why the service did not answer a preview, which then asks nothing more. */
  silence?: { readonly error: unknown };
}

const foundOf = new WeakMap<Client, Found>();

type Asking = Pick<LifecycleContext, "client" | "secret" | "sleep" | "signal">;

/** Numbers of objects where none is the same. */
interface Differing {
  readonly own: number;
  readonly theirs: number;
}

/**
 * Storage that compares a folder before the first access to it: it is that of the service when an object is the same in
 * both, by name, size and second of its time, or when both have none. A service that lists no objects, as one that has only
 * the API, tells nothing.
 * @throws {OtherStorageError} in each method that is given a location
 */
export class ServiceStorage implements Storage {
  readonly #found: Found;
  /** The comparisons of this operation. */
  readonly #comparisons = new Map<string, Promise<void>>();

  /**
   * @param options `isPlan` is true for a check or a comparison, which may be of a preview: it asks once, and goes on when
   * the service does not answer.
   */
  constructor(
    private readonly storage: Storage,
    private readonly context: Asking,
    private readonly options: { readonly isPlan?: boolean } = {},
  ) {
    this.#found = foundOf.get(context.client) ?? { same: new Set() };
    foundOf.set(context.client, this.#found);
  }

  get description(): string {
    return this.storage.description;
  }

  buckets(): Promise<string[]> {
    return this.storage.buckets();
  }

  bucketExists(bucket: string): Promise<boolean> {
    return this.storage.bucketExists(bucket);
  }

  async head(location: Location): Promise<StoredObject | undefined> {
    await this.#open(parentOf(location));
    return this.storage.head(location);
  }

  async *list(folder: Location, after?: string): AsyncGenerator<StoredObject, void, undefined> {
    await this.#open(folder);
    yield* this.storage.list(folder, after);
  }

  async *folders(folder: Location): AsyncGenerator<string, void, undefined> {
    await this.#open(folder);
    yield* this.storage.folders(folder);
  }

  async read(location: Location, options?: ReadOptions): Promise<Readable> {
    await this.#open(parentOf(location));
    return this.storage.read(location, options);
  }

  async write(location: Location, body: Readable | Uint8Array | string): Promise<void> {
    await this.#open(parentOf(location));
    await this.storage.write(location, body);
  }

  async copy(...[source, target, range]: Parameters<Storage["copy"]>): Promise<void> {
    await this.#open(parentOf(target));
    await this.storage.copy(source, target, range);
  }

  async delete(location: Location): Promise<void> {
    await this.#open(parentOf(location));
    await this.storage.delete(location);
  }

  async deleteFolder(folder: Location): Promise<void> {
    await this.#open(folder);
    await this.storage.deleteFolder(folder);
  }

  /**
   * Compares a folder.
   * @param again true when a query has written there since the last comparison.
   * @throws {OtherStorageError}, or the error of the service or the storage when they cannot be compared
   */
  requireSame(folder: Location, again = false): Promise<void> {
    const key = formatLocation(folder);
    if (again) {
      this.#found.same.delete(key);
      this.#comparisons.delete(key);
    }
    if (this.#found.same.has(key)) return Promise.resolve();
    const comparison = this.#comparisons.get(key) ?? this.#compare(folder);
    this.#comparisons.set(key, comparison);
    comparison.catch((error: unknown) => {
      if (!(error instanceof OtherStorageError)) this.#comparisons.delete(key);
    });
    return comparison;
  }

  /** Compares a folder before an access. A plan goes on without an answer: what it plans is compared before it is done. */
  async #open(folder: Location): Promise<void> {
    try {
      await this.requireSame(folder);
    } catch (error) {
      if (error instanceof OtherStorageError || !this.options.isPlan) throw error;
    }
  }

  async #compare(folder: Location): Promise<void> {
    const { secret, sleep, signal } = this.context;
    const first = await this.#look(folder);
    if (first === undefined) return;
    await sleep(pause, signal);
    const second = await this.#look(folder).catch(() => first);
    if (second === undefined && this.#found.same.has(formatLocation(folder))) return;
    const where = redacted(formatLocation(folder), { secret });
    throw new OtherStorageError(`${problemText(where, second ?? first)}: ${storageCorrection}`);
  }

  /** Returns how a folder differs; undefined if it does not, or when the service lists no objects. */
  async #look(folder: Location): Promise<Differing | undefined> {
    const listed = await this.#ask(folder);
    if (!listed) return undefined;
    const start = formatLocation({ ...folder, key: "" }).length;
    const objects = listed.objects.filter(({ location }) => !isTemporary({ ...folder, key: location.slice(start) }));
    // What follows is not known.
    if (objects.length === 0 && listed.isTruncated) return undefined;
    const theirs = new Set(objects.map((each) => keyOf({ ...each, lastModified: new Date(each.lastModified) })));
    let own = 0;
    for await (const { location, size, lastModified } of this.#ownObjects(folder)) {
      if (theirs.has(keyOf({ location: formatLocation(location), size, lastModified }))) return this.#same(folder);
      if (++own === compared) break;
    }
    return own === 0 && theirs.size === 0 ? this.#same(folder) : { own, theirs: theirs.size };
  }

  #same(folder: Location): undefined {
    this.#found.same.add(formatLocation(folder));
  }

  async #ask(folder: Location): ReturnType<Client["listObjects"]> {
    const { client, signal } = this.context;
    const request = { folder: formatLocation(folder), max: compared };
    if (!this.options.isPlan) return client.listObjects(request, { signal });
    if (this.#found.silence) throw this.#found.silence.error;
    try {
      return await client.listObjects(request, { signal, timeout, maxRetries: 0 });
    } catch (error) {
      if (!signal.aborted) this.#found.silence = { error };
      throw error;
    }
  }

  async *#ownObjects(folder: Location): AsyncGenerator<StoredObject, void, undefined> {
    try {
      for await (const object of this.storage.list(folder)) if (!isTemporary(object.location)) yield object;
    } catch (error) {
      // A bucket that does not exist cannot be listed.
      if (await this.storage.bucketExists(folder.bucket)) throw error;
    }
  }
}

function keyOf(object: { readonly location: string; readonly size: number; readonly lastModified: Date }): string {
  return `${object.location} ${object.size} ${Math.floor(object.lastModified.getTime() / 1000)}`;
}

function parentOf({ bucket, key }: Location): Location {
  return { bucket, key: key.slice(0, key.lastIndexOf("/") + 1) };
}

const storageCorrection = "correct dag:storage (DAG_STORAGE), or dag:endpoint (DAG_ENDPOINT)";

function problemText(folder: string, { own, theirs }: Differing): string {
  const there = theirs === 0 ? "no objects" : theirs === 1 ? "1 object" : `${theirs} objects`;
  const here = own === 0 ? "none" : theirs === 0 ? `${own}` : "other ones";
  return `dag:storage is not the storage of the service: in ${folder} the service has ${there}, dag:storage has ${here}`;
}

type StorageContext = Pick<LifecycleContext, "storage">;

/**
 * Compares a folder with that of the service.
 * @param options `isWritten` is true when a query has written there since the last comparison.
 * @throws {OtherStorageError}, or the error of the service or the storage when they cannot be compared
 */
export async function requireServiceStorage(
  folder: string,
  { storage }: StorageContext,
  { isWritten = false }: { readonly isWritten?: boolean } = {},
): Promise<void> {
  if (storage instanceof ServiceStorage) await storage.requireSame(folderOf(folder), isWritten);
}

/** Returns the failure of a dag:storage that is not that of the service; none when that cannot be told. */
export async function storageFailures(folder: string, context: StorageContext): Promise<CheckFailure[]> {
  try {
    await requireServiceStorage(folder, context);
  } catch (error) {
    if (error instanceof OtherStorageError) return [{ property: "", reason: error.message }];
  }
  return [];
}

/**
 * Returns the context of a refresh or a comparison: without the storage, after a warning, when a folder is not that of the
 * service or cannot be compared with it, so that no object counts as deleted or changed.
 */
export async function withServiceStorage(
  folder: string | undefined,
  context: LifecycleContext,
): Promise<LifecycleContext> {
  if (folder === undefined) return context;
  try {
    await requireServiceStorage(folder, context);
    return context;
  } catch (error) {
    context.signal.throwIfAborted();
    const reason =
      error instanceof OtherStorageError
        ? error.message
        : `cannot see whether dag:storage is the storage of the service${context.secret ? "" : `: ${describeError(error)}`}`;
    context.warn(`nothing is compared in ${redacted(folder, context)}: ${reason}`);
    return { ...context, storage: undefined };
  }
}
