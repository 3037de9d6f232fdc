import { createHash, randomBytes } from "node:crypto";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Readable } from "node:stream";
import { buffer, text } from "node:stream/consumers";
import fc from "fast-check";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { errors, parseLocation, type Location } from "../../../contract";
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

describe.each(adapters)("$name", (adapter) => {
  let subject: Subject | undefined;
  let unavailable: string | undefined;
  let storage: Storage;
  let bucketNumber = 0;
  let bucket: string;
  const at = (key: string): Location => ({ bucket, key });
  const put = (...keys: string[]) => Promise.all(keys.map((key) => storage.write(at(key), key)));
  const read = async (key: string, range?: { start?: number; end?: number }) =>
    text(await storage.read(at(key), range));
  const keys = async (folder: string, from = bucket) => {
    const found: string[] = [];
    for await (const { location } of storage.list({ bucket: from, key: folder })) found.push(location.key);
    return found;
  };

  beforeAll(async () => {
    try {
      subject = await adapter.start();
      storage = subject.storage;
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

  it("bucketExists: returns whether the bucket exists", async () => {
    expect(await storage.bucketExists(bucket)).toBe(true);
    expect(await storage.bucketExists("no-such-bucket")).toBe(false);
  });

  describe("write and read", () => {
    it.each<[string, string | Uint8Array]>([
      ["text", "grün 😀\n"],
      ["bytes", Uint8Array.of(0, 1, 255, 254)],
      ["nothing", ""],
    ])("%s", async (_, body) => {
      await storage.write(at("folder/object"), body);
      expect(await buffer(await storage.read(at("folder/object")))).toEqual(Buffer.from(body));
    });

    it("a stream of unknown length, in parts", async () => {
      const bytes = randomBytes(12_000_000);
      const parts = Array.from({ length: 12 }, (_, index) =>
        bytes.subarray(index * 1_000_000, (index + 1) * 1_000_000),
      );
      await storage.write(at("large"), Readable.from(parts));
      const sum = (data: Buffer) => createHash("sha256").update(data).digest("hex");
      expect(sum(await buffer(await storage.read(at("large"))))).toBe(sum(bytes));
      expect((await storage.head(at("large")))?.size).toBe(12_000_000);
    });

    it("an empty stream", async () => {
      await storage.write(at("empty"), Readable.from([]));
      expect(await storage.head(at("empty"))).toMatchObject({ size: 0 });
    });

    it.each([
      "blank s/ä ö",
      "tmp_$folder$",
      "a+b&c=d?e#f%20g",
      "per%cent",
      "dots..csv",
      "'quote\"",
      "_hidden/.dot",
      "x".repeat(255),
    ])("the key %j", async (key) => {
      await put(key);
      expect(await read(key)).toBe(key);
      expect(await keys("")).toEqual([key]);
      await storage.delete(at(key));
      expect(await keys("")).toEqual([]);
    });

    it("replaces an object atomically: a reader sees the old bytes or the new ones", async () => {
      const content = (letter: string) => letter.repeat(3_000_000);
      await storage.write(at("object"), content("a"));
      const writing = (async () => {
        for (const letter of "bcdef") await storage.write(at("object"), content(letter));
      })();
      for (let round = 0; round < 10; round += 1) {
        const seen = await text(await storage.read(at("object")));
        expect(seen === content(seen[0]!)).toBe(true);
      }
      await writing;
      expect((await read("object"))[0]).toBe("f");
    });

    it("keeps the old object and writes nothing when the body fails", async () => {
      await storage.write(at("kept"), "old");
      const failing = () =>
        Readable.from(
          (async function* () {
            yield randomBytes(6_000_000);
            throw new Error("the source broke");
          })(),
        );
      await expect(storage.write(at("kept"), failing())).rejects.toMatchObject({
        code: "StorageAccessError",
        message: expect.stringContaining("the source broke"),
      });
      await expect(storage.write(at("fresh"), failing())).rejects.toBeInstanceOf(errors.StorageAccessError);
      expect(await read("kept")).toBe("old");
      expect(await keys("")).toEqual(["kept"]);
    });

    it("closes a body that it cannot write, also one that already failed", async () => {
      const body = Readable.from(["x"]);
      await expect(storage.write({ bucket: "no-such-bucket", key: "object" }, body)).rejects.toBeInstanceOf(
        errors.StorageAccessError,
      );
      expect(body.destroyed).toBe(true);
      const failed = new Readable({ read() {} });
      failed.destroy(new Error("it broke before"));
      await expect(storage.write(at("object"), failed)).rejects.toMatchObject({
        message: expect.stringContaining("it broke before"),
      });
      expect(await keys("")).toEqual([]);
    });

    it("rethrows the error of the body if it is an error of the API", async () => {
      const failure = new errors.InputObjectNotFound("gone");
      const body = new Readable({ read: () => void body.destroy(failure) });
      await expect(storage.write(at("object"), body)).rejects.toBe(failure);
    });

    it.each<[string, { start?: number; end?: number }, string]>([
      ["from the start", { end: 3 }, "012"],
      ["from the middle", { start: 3, end: 5 }, "34"],
      ["to the end", { start: 7 }, "789"],
      ["beyond the end", { start: 8, end: 100 }, "89"],
      ["of nothing", { start: 4, end: 4 }, ""],
      ["behind the end", { start: 10, end: 12 }, ""],
      ["far behind the end", { start: 1_000 }, ""],
    ])("a range %s", async (_, range, expected) => {
      await storage.write(at("digits"), "0123456789");
      expect(await read("digits", range)).toBe(expected);
    });

    it("any range of any object", async () => {
      await fc.assert(
        fc.asyncProperty(fc.string({ maxLength: 20 }), fc.nat(25), fc.nat(25), async (content, start, end) => {
          const bytes = Buffer.from(content);
          await storage.write(at("any"), bytes);
          expect(await buffer(await storage.read(at("any"), { start, end }))).toEqual(
            bytes.subarray(start, Math.max(start, end)),
          );
        }),
        { numRuns: 30 },
      );
    });

    it("can be aborted while reading", async () => {
      await storage.write(at("large"), randomBytes(5_000_000));
      const stream = await storage.read(at("large"));
      for await (const chunk of stream) {
        expect(chunk).toBeInstanceOf(Buffer);
        break;
      }
      expect(stream.destroyed).toBe(true);
    });
  });

  describe("missing objects", () => {
    it("head: is undefined", async () => {
      await put("folder/object");
      expect(await storage.head(at("object"))).toBeUndefined();
      expect(await storage.head(at("folder"))).toBeUndefined();
      expect(await storage.head(at("folder/"))).toBeUndefined();
      expect(await storage.head(at("folder/object/below"))).toBeUndefined();
      expect(await storage.head({ bucket: "no-such-bucket", key: "object" })).toBeUndefined();
    });

    it("read: is InputObjectNotFound with the location", async () => {
      await put("folder/object");
      for (const key of ["object", "folder", "folder/object/below"]) {
        await expect(storage.read(at(key))).rejects.toMatchObject({
          code: "InputObjectNotFound",
          message: `dag://${bucket}/${key} does not exist`,
        });
        await expect(storage.read(at(key), { start: 5, end: 5 })).rejects.toMatchObject({
          code: "InputObjectNotFound",
        });
      }
    });

    it("delete and deleteFolder: do nothing", async () => {
      await put("folder/object");
      await storage.delete(at("object"));
      await storage.delete(at("folder"));
      await storage.deleteFolder(at("other/"));
      await storage.deleteFolder(at("folder/object/"));
      expect(await keys("")).toEqual(["folder/object"]);
    });

    it("list: is empty for a folder", async () => {
      expect(await keys("")).toEqual([]);
      expect(await keys("folder/")).toEqual([]);
    });

    it.each<[string, (at: Location) => Promise<unknown>]>([
      ["read", (location) => storage.read(location)],
      ["write", (location) => storage.write(location, "x")],
      ["write a stream", (location) => storage.write(location, Readable.from(["x"]))],
      ["delete", (location) => storage.delete(location)],
      ["deleteFolder", ({ bucket: name }) => storage.deleteFolder({ bucket: name, key: "folder/" })],
      ["list", ({ bucket: name }) => keys("folder/", name)],
    ])("%s: StorageAccessError names the location in a bucket that is not there", async (_, call) => {
      await expect(call(parseLocation("dag://no-such-bucket/folder/object"))).rejects.toMatchObject({
        code: "StorageAccessError",
        message: expect.stringMatching(/^dag:\/\/no-such-bucket\/folder\/.* cannot be accessed: .*bucket/i),
      });
    });
  });

  describe("list", () => {
    it("is in the byte order of the keys, with sizes and times", async () => {
      const names = ["t/a-b", "t/a.txt", "t/a/b", "t/a/b-c", "t/a0", "t/Z", "t/ä", "t/\uffee", "t/😀", "t/a/c/d"];
      await put(...names.toReversed(), "t2/x", "s", "t-");
      const found = [];
      for await (const object of storage.list(at("t/"))) found.push(object);
      const sorted = names.toSorted((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b)));
      expect(found.map(({ location }) => location)).toEqual(sorted.map(at));
      expect(found.map(({ size }) => size)).toEqual(sorted.map((key) => Buffer.byteLength(key)));
      expect(found.every(({ lastModified }) => Math.abs(lastModified.getTime() - Date.now()) < 60_000)).toBe(true);
    });

    it("begins behind a key, which need not exist", async () => {
      await put("t/a/b", "t/b", "t/c", "u");
      const behind = async (key: string) => {
        const found = await Array.fromAsync(storage.list(at("t/"), key));
        return found.map(({ location }) => location.key);
      };
      expect(await behind("t/a/b")).toEqual(["t/b", "t/c"]);
      expect(await behind("t/aa")).toEqual(["t/b", "t/c"]);
      expect(await behind("t/c")).toEqual([]);
      expect(await behind("a")).toEqual(["t/a/b", "t/b", "t/c"]);
    });

    it("lists a folder with or without a trailing slash", async () => {
      await put("t/a", "t2/b");
      expect(await keys("t")).toEqual(["t/a"]);
      expect(await keys("t/")).toEqual(["t/a"]);
    });

    it("continues after a thousand objects, as does deleteFolder", async () => {
      const folder = join(subject!.directory, bucket, "many");
      await mkdir(folder);
      const names = Array.from({ length: 1_203 }, (_, index) => `part-${String(index).padStart(5, "0")}`);
      await Promise.all(names.map((name) => writeFile(join(folder, name), name)));
      await put("kept");
      expect(await keys("many/")).toEqual(names.map((name) => `many/${name}`));
      await storage.deleteFolder(at("many/"));
      expect(await keys("")).toEqual(["kept"]);
    });
  });

  describe("copy", () => {
    const source = async (key: string) => (await storage.head(at(key)))!;

    it("copies an object, also over another one", async () => {
      await put("a b/ä+c", "t/old");
      await storage.copy(await source("a b/ä+c"), at("t/old"));
      expect(await read("t/old")).toBe("a b/ä+c");
      await storage.write(at("empty"), "");
      await storage.copy(await source("empty"), at("t/old"));
      expect(await read("t/old")).toBe("");
    });

    it("copies into another bucket", async () => {
      await put("a");
      await mkdir(join(subject!.directory, `${bucket}-other`));
      const target = { bucket: `${bucket}-other`, key: "b" };
      await storage.copy(await source("a"), target);
      expect(await text(await storage.read(target))).toBe("a");
    });

    it.each([100, 6_000_000])("copies ranges of an object of %i bytes", async (size) => {
      const bytes = randomBytes(size);
      await storage.write(at("source"), bytes);
      const ranges = [
        [0, size],
        [0, 10],
        [1, size],
        [50, 50],
        [size - 1, size + 5],
        [20, size - 20],
      ] as const;
      for (const [start, end] of ranges) {
        await storage.copy(await source("source"), at("target"), { start, end });
        expect((await buffer(await storage.read(at("target")))).equals(bytes.subarray(start, end))).toBe(true);
      }
      expect(await keys("")).toEqual(["source", "target"]);
    });

    it.each([10, 6_000_000])(
      "an object of %i bytes that was changed since is not copied, where it has an etag",
      async (size) => {
        await storage.write(at("source"), "x".repeat(size));
        const before = await source("source");
        await storage.write(at("source"), "y".repeat(size));
        if (before.etag === undefined) return;
        for (const range of [undefined, { start: 1, end: size - 1 }]) {
          // Ranges of small objects are read and written.
          if (range && size < 5_000_000) continue;
          await expect(storage.copy(before, at("target"), range)).rejects.toMatchObject({ code: "StorageAccessError" });
        }
        expect(await keys("")).toEqual(["source"]);
      },
    );
  });

  describe("folders and buckets", () => {
    it("folders: yields the folders directly in a folder, once and in order", async () => {
      await put("b/1", "b/2/3", "a-b/1", "a/1", "object", "ä/ö/1");
      const names = async (key: string) => Array.fromAsync(storage.folders(at(key)));
      expect(await names("")).toEqual(["a-b", "a", "b", "ä"]);
      expect(await names("b")).toEqual(["2"]);
      expect(await names("none/")).toEqual([]);
    });

    it("buckets: returns the names of the buckets", async () => {
      const names = await storage.buckets();
      expect(names).toContain(bucket);
      expect(names).toEqual(names.toSorted());
    });
  });

  describe("delete", () => {
    it("delete: deletes one object", async () => {
      await put("t/a", "t/b", "t/a2");
      await storage.delete(at("t/a"));
      expect(await keys("")).toEqual(["t/a2", "t/b"]);
    });

    it("deleteFolder: deletes the objects in it, and nothing else", async () => {
      await put("t/a", "t/b/c", "t2/a", "t.csv", "s/t/a");
      await storage.deleteFolder(at("t"));
      expect(await keys("")).toEqual(["s/t/a", "t.csv", "t2/a"]);
      await put("t");
      expect(await read("t")).toBe("t");
    });

    it("deleteFolder: keeps the bucket when it deletes its objects", async () => {
      await put("t/a", "b");
      await storage.deleteFolder(at(""));
      expect(await keys("")).toEqual([]);
      expect(await storage.bucketExists(bucket)).toBe(true);
    });
  });

  describe("locations", () => {
    const bad: [string, string][] = [
      ["bucket", "../other/x"],
      ["bucket", "a/../../x"],
      ["bucket", "a//b"],
      ["bucket", "/etc/passwd"],
      ["bucket", "a\\b"],
      ["bucket", "a\u0000b"],
      ["bucket", "./a"],
      ["..", "a"],
      ["bucket/nested", "a"],
      [".uploads", "a"],
    ];
    it.each(bad)("%s %j is rejected by every method", async (name, key) => {
      const location = { bucket: name, key };
      const calls = [
        () => storage.head(location),
        () => storage.read(location),
        () => storage.write(location, "x"),
        () => storage.delete(location),
        () => storage.deleteFolder(location),
        () => storage.list(location)[Symbol.asyncIterator]().next(),
      ];
      for (const call of calls) await expect(call()).rejects.toMatchObject({ code: "StorageAccessError" });
    });

    it.each(["", "folder/"])("%j names a folder and is rejected as an object", async (key) => {
      for (const call of [storage.read(at(key)), storage.write(at(key), "x"), storage.delete(at(key))]) {
        await expect(call).rejects.toMatchObject({
          code: "StorageAccessError",
          message: expect.stringContaining("names a folder"),
        });
      }
    });
  });
});
