/**
 * dag:storage, as the provider uses it. A setting of another environment has the same names, and other objects: what is
 * read, compared or deleted there is not what the queries of this service made. So each folder is compared with what the
 * service lists before anything in it is read or deleted.
 */
import type { Readable } from "node:stream";
import { formatLocation, type Location } from "../../../contract";
import type { Storage } from "../../../storage";
import type { ReadOptions, StoredObject } from "../../../storage/storage";
import { settingName } from "../configuration";
import { describeError } from "../describe-error";
import type { CheckFailure, LifecycleContext } from "../lifecycle";
import { redacted } from "../redaction";
import { FolderComparison, OtherStorageError, type Asking } from "./folder-comparison";
import { folderOf } from "./results";

/**
 * Storage that compares a folder before the first access to it.
 * @throws {OtherStorageError} in each method that is given a location
 */
export class ServiceStorage implements Storage {
  readonly #comparison: FolderComparison;
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
    this.#comparison = new FolderComparison(storage, context, options.isPlan === true);
  }

  /** Returns the same storage as a plan has it. */
  askingOnce(): ServiceStorage {
    return new ServiceStorage(this.storage, this.context, { isPlan: true });
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
      this.#comparison.forget(folder);
      this.#comparisons.delete(key);
    }
    if (this.#comparison.isSame(folder)) return Promise.resolve();
    const comparison = this.#comparisons.get(key) ?? this.#comparison.requireSame(folder);
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
}

function parentOf({ bucket, key }: Location): Location {
  return { bucket, key: key.slice(0, key.lastIndexOf("/") + 1) };
}

type StorageContext = Pick<LifecycleContext, "storage">;

/** Returns the storage for a message, which is not worth waiting for a service that does not answer. */
export function forMessage(storage: Storage | undefined): Storage | undefined {
  return storage instanceof ServiceStorage ? storage.askingOnce() : storage;
}

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

/** Returns the failure of a dag:storage that is not that of the service; none when that is not known. */
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
        : `cannot see whether ${settingName("storage")} is the storage of the service${context.secret ? "" : `: ${describeError(error)}`}`;
    context.warn(`nothing is compared in ${redacted(folder, context)}: ${reason}`);
    return { ...context, storage: undefined };
  }
}
