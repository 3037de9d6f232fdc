/**
 * The interface to object storage that both packages use. A location whose key ends in `/` is a folder.
 * Adapters: a local directory (`file.ts`) and S3 (`s3.ts`). The same contract tests run against both.
 */
import type { Readable } from "node:stream";
import type { Location } from "../contract";

/** An object and its metadata. */
export interface StoredObject {
  readonly location: Location;
  /** Size in bytes. */
  readonly size: number;
  readonly lastModified: Date;
  /** Identifies the content, as S3 reports it; absent for storage that has no etags. */
  readonly etag?: string | undefined;
}

/**
 * A range of an object's bytes: from `start` up to but not including `end`. Bytes beyond the object's end are ignored.
 */
export interface ByteRange {
  /** @default 0 */
  readonly start?: number | undefined;
  /** @default the size of the object */
  readonly end?: number | undefined;
}

/** What to read of an object. */
export interface ReadOptions extends ByteRange {
  /** The content that the object must still have; without effect on storage that has no etags. @default any */
  readonly etag?: string | undefined;
}

/** Object storage. Every method throws StorageAccessError when the storage denies access or cannot be reached. */
export interface Storage {
  /** Description for messages, such as `file:/data/buckets`; contains no secret. */
  readonly description: string;

  /** Returns why nothing in it can be read or written now; undefined as far as is known at once. */
  problem?(): string | undefined;

  /** Returns the names of the buckets, sorted. Other folders of a local directory are not buckets. */
  buckets(): Promise<string[]>;

  /** @throws ServiceUnavailable while the folder of all buckets is gone */
  bucketExists(bucket: string): Promise<boolean>;

  /** Returns the metadata of one object; undefined if it does not exist. */
  head(location: Location): Promise<StoredObject | undefined>;

  /**
   * Yields the objects whose key starts with the folder's key, in the byte order of their keys.
   * @param after yields only those behind this key, which need not exist
   */
  list(folder: Location, after?: string): AsyncIterable<StoredObject>;

  /** Yields the names of the folders directly in a folder, in the byte order of their keys. */
  folders(folder: Location): AsyncIterable<string>;

  /** Reads the bytes of an object. Throws InputObjectNotFound when it does not exist. */
  read(location: Location, options?: ReadOptions): Promise<Readable>;

  /** Writes an object atomically: readers see either the old or the new bytes. */
  write(location: Location, body: Readable | Uint8Array | string): Promise<void>;

  /**
   * Writes an object that has the bytes of another one, or a range of them, atomically. Where the storage has etags, the
   * copy fails when the source has another content than the given one. S3 copies by itself: the bytes stay there.
   */
  copy(source: StoredObject, target: Location, range?: ByteRange): Promise<void>;

  /** Deletes one object. Does nothing if it does not exist. */
  delete(location: Location): Promise<void>;

  /** Deletes every object in a folder, and the folder itself if the storage has folders. */
  deleteFolder(folder: Location): Promise<void>;
}
