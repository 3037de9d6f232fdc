/**
 * Objects in buckets, as little of it as both packages need. A location's key that ends in `/` is a folder.
 * Adapters: a local directory (`file.ts`), S3 (`s3.ts`); one contract suite runs on both.
 */
import type { Readable } from "node:stream";
import type { Location } from "../contract";

/** An object that a listing found. */
export interface StoredObject {
  readonly location: Location;
  /** Size in bytes. */
  readonly size: number;
  readonly lastModified: Date;
}

/** Bytes of an object, from `start` up to but not including `end`; what lies beyond the object is not there to read. */
export interface ByteRange {
  /** @default 0 */
  readonly start?: number | undefined;
  /** @default the size of the object */
  readonly end?: number | undefined;
}

/** A store of objects. Every method throws StorageAccessError where the store refuses or cannot be reached. */
export interface Storage {
  /** What the store is, for messages, such as `file:/data/buckets`; holds no secret. */
  readonly description: string;

  bucketExists(bucket: string): Promise<boolean>;

  /** Size and time of one object; undefined where there is none. */
  head(location: Location): Promise<StoredObject | undefined>;

  /** The objects whose key starts with the folder's key, in the order of their keys' bytes. */
  list(folder: Location): AsyncIterable<StoredObject>;

  /** The object's bytes, from `start` up to but not including `end`. Throws InputObjectNotFound where there is none. */
  read(location: Location, range?: ByteRange): Promise<Readable>;

  /** Writes an object whole: readers see the old bytes or all the new ones. */
  write(location: Location, body: Readable | Uint8Array | string): Promise<void>;

  /** Deletes one object; no error where there is none. */
  delete(location: Location): Promise<void>;

  /** Deletes every object under a folder, and the folder where the store has such a thing. */
  deleteFolder(folder: Location): Promise<void>;
}
