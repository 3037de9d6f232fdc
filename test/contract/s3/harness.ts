/** Starts the service on a real S3 server. */
import { mkdir, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { afterAll, beforeAll, beforeEach } from "vitest";
import { parseLocation } from "../../../contract";
import { S3Storage } from "../../../storage";
import { useServiceFolder, type ServiceFolder } from "../service/service-process";
import { s3Credentials, startS3Server, type S3Server } from "../storage/s3-server";

type Service = Awaited<ReturnType<ServiceFolder["start"]>>;

/** The key pair of the server as the service takes it. */
export const s3Environment = {
  AWS_ACCESS_KEY_ID: s3Credentials.accessKeyId,
  AWS_SECRET_ACCESS_KEY: s3Credentials.secretAccessKey,
};

/** Minutes in which the server is built, once. */
const buildTime = 10 * 60_000;

export interface S3Fixture {
  readonly folder: ServiceFolder;
  readonly storage: S3Storage;
  readonly server: S3Server;
  /** Value of `storage` in the config. */
  readonly specification: string;
  /** Starts a service on the server. */
  start(args?: readonly string[]): Promise<Service>;
  /** Writes objects, by location; their buckets are created. */
  put(objects: Readonly<Record<string, string | Uint8Array>>): Promise<void>;
  /** Creates buckets. */
  makeBuckets(...names: readonly string[]): Promise<void>;
  /** Returns the keys in a bucket or folder. */
  keys(location: string): Promise<string[]>;
  /** Returns the text of the objects of a folder, in the order of their keys. */
  content(location: string): Promise<string>;
}

/** Starts an S3 server for the tests of a file, with empty buckets for each; skips them where it cannot be had. */
export function useS3(): S3Fixture {
  const folder = useServiceFolder();
  let server: S3Server | undefined;
  let storage: S3Storage;
  let directory = "";
  let unavailable: string | undefined;
  beforeAll(async () => {
    directory = await mkdtemp(join(tmpdir(), "dag-s3-"));
    try {
      server = await startS3Server(directory);
      storage = new S3Storage({ endpoint: server.endpoint, credentials: s3Credentials });
    } catch (error) {
      unavailable = (error as Error).message;
      console.warn(`skipped: ${unavailable}`);
    }
  }, buildTime);
  afterAll(async () => {
    await server?.close();
    await rm(directory, { recursive: true, force: true });
  });
  beforeEach(async ({ skip }) => {
    if (unavailable !== undefined) skip(unavailable);
    for (const bucket of await storage.buckets()) await rm(join(directory, bucket), { recursive: true });
  });
  const makeBuckets = async (...names: readonly string[]) => {
    for (const name of names) await mkdir(join(directory, name), { recursive: true });
  };
  const list = async (location: string) => (await Array.fromAsync(storage.list(parseLocation(location)))).values();
  const fixture: S3Fixture = {
    folder,
    get storage() {
      return storage;
    },
    get server() {
      return server!;
    },
    get specification() {
      return `s3:${server!.endpoint}?region=us-east-1`;
    },
    start: (args = []) => folder.start(["--storage", fixture.specification, ...args], s3Environment),
    makeBuckets,
    put: async (objects) => {
      for (const [name, bytes] of Object.entries(objects)) {
        const location = parseLocation(name);
        await makeBuckets(location.bucket);
        await storage.write(location, bytes);
      }
    },
    keys: async (location) => (await list(location)).map(({ location: { key } }) => key).toArray(),
    content: async (location) => {
      let all = "";
      for (const object of await list(location)) all += await text(await storage.read(object.location));
      return all;
    },
  };
  return fixture;
}
