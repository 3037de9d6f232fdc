/** The suite of each storage adapter: starts the adapter, and gives each test a bucket of its own. */
import { mkdir, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { afterAll, beforeAll, beforeEach, describe } from "vitest";
import type { Location } from "../../../contract";
import { FileStorage, S3Storage, type Storage } from "../../../storage";
import { s3Credentials, startS3Server } from "./s3-server";

/** A storage to test, with the local folder whose subfolders are its buckets. */
interface Subject {
  readonly storage: Storage;
  readonly directory: string;
  close(): Promise<void>;
}

/** Starts each adapter. */
const adapters: { readonly name: string; start(): Promise<Subject> }[] = [
  {
    name: "file",
    async start() {
      const directory = await mkdtemp(join(tmpdir(), "dag-storage-"));
      return { storage: new FileStorage(directory), directory, close: () => rm(directory, { recursive: true }) };
    },
  },
  {
    name: "s3",
    async start() {
      const { endpoint, directory, close } = await startS3Server();
      return { storage: new S3Storage({ endpoint, credentials: s3Credentials }), directory, close };
    },
  },
];

const buildMinutes = 10;

/** The storage of a test and its empty bucket. */
export interface Given {
  readonly storage: Storage;
  /** The local folder whose subfolders are the buckets. */
  readonly directory: string;
  readonly bucket: string;
  at(key: string): Location;
  /** Writes objects whose content is their key. */
  put(...keys: string[]): Promise<void[]>;
  read(key: string, range?: { start?: number; end?: number }): Promise<string>;
  /** Returns the keys in a folder, of the test's bucket or of another one. */
  keys(folder: string, from?: string): Promise<string[]>;
}

/** Describes tests of each adapter; those of one that cannot be started here are skipped with the reason. */
export function describeStorages(tests: (given: Given) => void): void {
  describe.each(adapters)("$name", (adapter) => {
    let subject: Subject | undefined;
    let unavailable: string | undefined;
    let bucketNumber = 0;
    let bucket: string;
    const at = (key: string): Location => ({ bucket, key });
    const given: Given = {
      get storage() {
        return subject!.storage;
      },
      get directory() {
        return subject!.directory;
      },
      get bucket() {
        return bucket;
      },
      at,
      put: (...keys) => Promise.all(keys.map((key) => given.storage.write(at(key), key))),
      read: async (key, range) => text(await given.storage.read(at(key), range)),
      async keys(folder, from = bucket) {
        const found: string[] = [];
        for await (const { location } of given.storage.list({ bucket: from, key: folder })) found.push(location.key);
        return found;
      },
    };

    beforeAll(async () => {
      try {
        subject = await adapter.start();
      } catch (error) {
        unavailable = (error as Error).message;
        console.warn(`skipped: ${unavailable}`);
      }
    }, buildMinutes * 60_000);
    afterAll(() => subject?.close());

    beforeEach(async ({ skip }) => {
      if (unavailable !== undefined) skip(unavailable);
      bucketNumber += 1;
      bucket = `bucket-${bucketNumber}`;
      await mkdir(join(subject!.directory, bucket));
    });

    tests(given);
  });
}
