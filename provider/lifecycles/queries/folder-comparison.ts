/** Compares folders of dag:storage with what the service lists. */
import { ApiError, formatLocation, type Location } from "../../../contract";
import type { Storage } from "../../../storage";
import type { StoredObject } from "../../../storage/storage";
import type { Client } from "../../client";
import { keyName, settingName } from "../configuration";
import type { LifecycleContext } from "../lifecycle";
import { redacted } from "../redaction";
import { isTemporary } from "./results";

/** Number of objects of a folder that are compared. */
const compared = 100;
/** Timeout of a preview's question, in milliseconds. */
const timeout = 10_000;
/** Milliseconds before the second comparison: a query may have replaced the objects between the two lists of the first. */
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
  /** Whether the service accepts the key pair, which only its API tells where it lists no objects. */
  accepted?: Promise<void>;
  /** Why the service did not answer a preview, which then asks nothing more. */
  silence?: { readonly error: unknown };
}

const foundOf = new WeakMap<Client, Found>();

/** What a comparison needs of an operation. */
export type Asking = Pick<LifecycleContext, "client" | "secret" | "sleep" | "signal">;

/** The number of objects in each of the two, none of which is in both. */
interface DifferentCounts {
  readonly own: number;
  readonly theirs: number;
}

/**
 * A folder is the same when an object is the same in both, by name, size and second of its time, or when both have none.
 * Nothing is known from a service that lists no objects, as one that has only the API.
 */
export class FolderComparison {
  readonly #found: Found;

  /** @param isPlan true to ask once, and nothing more in the run when the service does not answer. */
  constructor(
    private readonly storage: Storage,
    private readonly context: Asking,
    private readonly isPlan: boolean,
  ) {
    this.#found = foundOf.get(context.client) ?? { same: new Set() };
    foundOf.set(context.client, this.#found);
  }

  /** Returns true when the folder was the same in this run. */
  isSame(folder: Location): boolean {
    return this.#found.same.has(formatLocation(folder));
  }

  /** Notes that a query has written there since. */
  forget(folder: Location): void {
    this.#found.same.delete(formatLocation(folder));
  }

  /** @throws {OtherStorageError}, or the error of the service or the storage when they cannot be compared */
  async requireSame(folder: Location): Promise<void> {
    const { secret, sleep, signal } = this.context;
    const first = await this.#difference(folder);
    if (first === undefined) return;
    await sleep(pause, signal);
    const second = await this.#difference(folder).catch(() => first);
    if (second === undefined && this.isSame(folder)) return;
    const where = redacted(formatLocation(folder), { secret });
    throw new OtherStorageError(`${problemText(where, second ?? first)}: ${storageCorrection()}`);
  }

  /** Returns how a folder differs; undefined if it does not, or when the service lists no objects. */
  async #difference(folder: Location): Promise<DifferentCounts | undefined> {
    const listed = await this.#ask(folder);
    if (!listed) {
      await (this.#found.accepted ??= this.#requireAccepted());
      return undefined;
    }
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

  /** @throws ApiError when the service refuses the key pair: it may be that of another environment */
  async #requireAccepted(): Promise<void> {
    const { client, signal } = this.context;
    try {
      await client.listClusters({ max: 1 }, { signal, ...(this.isPlan && { timeout, maxRetries: 0 }) });
    } catch (error) {
      if (error instanceof ApiError && error.status === 403) throw error;
    }
  }

  #same(folder: Location): undefined {
    this.#found.same.add(formatLocation(folder));
  }

  async #ask(folder: Location): ReturnType<Client["listObjects"]> {
    const { client, signal } = this.context;
    const request = { folder: formatLocation(folder), max: compared };
    if (!this.isPlan) return client.listObjects(request, { signal });
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

const storageCorrection = () => `correct ${keyName("storage")}, or ${keyName("endpoint")}`;

function problemText(folder: string, { own, theirs }: DifferentCounts): string {
  const there = theirs === 0 ? "no objects" : theirs === 1 ? "1 object" : `${theirs} objects`;
  const here = own === 0 ? "none" : theirs === 0 ? `${own}` : "other ones";
  const storage = settingName("storage");
  return `${storage} is not the storage of the service: in ${folder} the service has ${there}, ${storage} has ${here}`;
}
