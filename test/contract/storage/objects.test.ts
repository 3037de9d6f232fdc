import { createHash, randomBytes } from "node:crypto";
import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { Readable } from "node:stream";
import { buffer, text } from "node:stream/consumers";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { errors, parseLocation, type Location } from "../../../contract";
import { describeStorages } from "./storages";

describeStorages((given) => {
  const { at, put, read, keys } = given;

  describe("write and read", () => {
    it.each<[string, string | Uint8Array]>([
      ["text", "grün 😀\n"],
      ["bytes", Uint8Array.of(0, 1, 255, 254)],
      ["nothing", ""],
    ])("%s", async (_, body) => {
      await given.storage.write(at("folder/object"), body);
      expect(await buffer(await given.storage.read(at("folder/object")))).toEqual(Buffer.from(body));
    });

    it("a stream of unknown length, in parts", async () => {
      const bytes = randomBytes(12_000_000);
      const parts = Array.from({ length: 12 }, (_, index) =>
        bytes.subarray(index * 1_000_000, (index + 1) * 1_000_000),
      );
      await given.storage.write(at("large"), Readable.from(parts));
      const sum = (data: Buffer) => createHash("sha256").update(data).digest("hex");
      expect(sum(await buffer(await given.storage.read(at("large"))))).toBe(sum(bytes));
      expect((await given.storage.head(at("large")))?.size).toBe(12_000_000);
    });

    it("an empty stream", async () => {
      await given.storage.write(at("empty"), Readable.from([]));
      expect(await given.storage.head(at("empty"))).toMatchObject({ size: 0 });
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
      await given.storage.delete(at(key));
      expect(await keys("")).toEqual([]);
    });

    it("replaces an object atomically: a reader sees the old bytes or the new ones", async () => {
      const content = (letter: string) => letter.repeat(3_000_000);
      await given.storage.write(at("object"), content("a"));
      const writing = (async () => {
        for (const letter of "bcdef") await given.storage.write(at("object"), content(letter));
      })();
      for (let round = 0; round < 10; round += 1) {
        const seen = await text(await given.storage.read(at("object")));
        expect(seen === content(seen[0]!)).toBe(true);
      }
      await writing;
      expect((await read("object"))[0]).toBe("f");
    });

    it("keeps the old object and writes nothing when the body fails", async () => {
      await given.storage.write(at("kept"), "old");
      const failing = () =>
        Readable.from(
          (async function* () {
            yield randomBytes(6_000_000);
            throw new Error("the source broke");
          })(),
        );
      await expect(given.storage.write(at("kept"), failing())).rejects.toMatchObject({
        code: "StorageAccessError",
        message: expect.stringContaining("the source broke"),
      });
      await expect(given.storage.write(at("fresh"), failing())).rejects.toBeInstanceOf(errors.StorageAccessError);
      expect(await read("kept")).toBe("old");
      expect(await keys("")).toEqual(["kept"]);
    });

    it("closes a body that it cannot write, also one that already failed", async () => {
      const body = Readable.from(["x"]);
      await expect(given.storage.write({ bucket: "no-such-bucket", key: "object" }, body)).rejects.toBeInstanceOf(
        errors.StorageAccessError,
      );
      expect(body.destroyed).toBe(true);
      const failed = new Readable({ read() {} });
      failed.destroy(new Error("it broke before"));
      await expect(given.storage.write(at("object"), failed)).rejects.toMatchObject({
        message: expect.stringContaining("it broke before"),
      });
      expect(await keys("")).toEqual([]);
    });

    it("rethrows the error of the body if it is an error of the API", async () => {
      const failure = new errors.InputObjectNotFound("gone");
      const body = new Readable({ read: () => void body.destroy(failure) });
      await expect(given.storage.write(at("object"), body)).rejects.toBe(failure);
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
      await given.storage.write(at("digits"), "0123456789");
      expect(await read("digits", range)).toBe(expected);
    });

    it("any range of any object", async () => {
      await fc.assert(
        fc.asyncProperty(fc.string({ maxLength: 20 }), fc.nat(25), fc.nat(25), async (content, start, end) => {
          const bytes = Buffer.from(content);
          await given.storage.write(at("any"), bytes);
          expect(await buffer(await given.storage.read(at("any"), { start, end }))).toEqual(
            bytes.subarray(start, Math.max(start, end)),
          );
        }),
        { numRuns: 30 },
      );
    });

    it("can be aborted while reading", async () => {
      await given.storage.write(at("large"), randomBytes(5_000_000));
      const stream = await given.storage.read(at("large"));
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
      expect(await given.storage.head(at("object"))).toBeUndefined();
      expect(await given.storage.head(at("folder"))).toBeUndefined();
      expect(await given.storage.head(at("folder/"))).toBeUndefined();
      expect(await given.storage.head(at("folder/object/below"))).toBeUndefined();
      expect(await given.storage.head({ bucket: "no-such-bucket", key: "object" })).toBeUndefined();
    });

    it("read: is InputObjectNotFound with the location", async () => {
      await put("folder/object");
      for (const key of ["object", "folder", "folder/object/below"]) {
        await expect(given.storage.read(at(key))).rejects.toMatchObject({
          code: "InputObjectNotFound",
          message: `dag://${given.bucket}/${key} does not exist`,
        });
        await expect(given.storage.read(at(key), { start: 5, end: 5 })).rejects.toMatchObject({
          code: "InputObjectNotFound",
        });
      }
    });

    it("delete and deleteFolder: do nothing", async () => {
      await put("folder/object");
      await given.storage.delete(at("object"));
      await given.storage.delete(at("folder"));
      await given.storage.deleteFolder(at("other/"));
      await given.storage.deleteFolder(at("folder/object/"));
      expect(await keys("")).toEqual(["folder/object"]);
    });

    it("list: is empty for a folder", async () => {
      expect(await keys("")).toEqual([]);
      expect(await keys("folder/")).toEqual([]);
    });

    it.each<[string, (at: Location) => Promise<unknown>]>([
      ["read", (location) => given.storage.read(location)],
      ["write", (location) => given.storage.write(location, "x")],
      ["write a stream", (location) => given.storage.write(location, Readable.from(["x"]))],
      ["delete", (location) => given.storage.delete(location)],
      ["deleteFolder", ({ bucket: name }) => given.storage.deleteFolder({ bucket: name, key: "folder/" })],
      ["list", ({ bucket: name }) => keys("folder/", name)],
    ])("%s: StorageAccessError names the location in a bucket that is not there", async (_, call) => {
      await expect(call(parseLocation("dag://no-such-bucket/folder/object"))).rejects.toMatchObject({
        code: "StorageAccessError",
        message: expect.stringMatching(/^dag:\/\/no-such-bucket\/folder\/.* cannot be accessed: .*bucket/i),
      });
    });
  });

  describe("copy", () => {
    const source = async (key: string) => (await given.storage.head(at(key)))!;

    it("copies an object, also over another one", async () => {
      await put("a b/ä+c", "t/old");
      await given.storage.copy(await source("a b/ä+c"), at("t/old"));
      expect(await read("t/old")).toBe("a b/ä+c");
      await given.storage.write(at("empty"), "");
      await given.storage.copy(await source("empty"), at("t/old"));
      expect(await read("t/old")).toBe("");
    });

    it("copies into another bucket", async () => {
      await put("a");
      await mkdir(join(given.directory, `${given.bucket}-other`));
      const target = { bucket: `${given.bucket}-other`, key: "b" };
      await given.storage.copy(await source("a"), target);
      expect(await text(await given.storage.read(target))).toBe("a");
    });

    it.each([100, 6_000_000])("copies ranges of an object of %i bytes", async (size) => {
      const bytes = randomBytes(size);
      await given.storage.write(at("source"), bytes);
      const ranges = [
        [0, size],
        [0, 10],
        [1, size],
        [50, 50],
        [size - 1, size + 5],
        [20, size - 20],
      ] as const;
      for (const [start, end] of ranges) {
        await given.storage.copy(await source("source"), at("target"), { start, end });
        expect((await buffer(await given.storage.read(at("target")))).equals(bytes.subarray(start, end))).toBe(true);
      }
      expect(await keys("")).toEqual(["source", "target"]);
    });

    it.each([10, 6_000_000])(
      "an object of %i bytes that was changed since is not copied, where it has an etag",
      async (size) => {
        await given.storage.write(at("source"), "x".repeat(size));
        const before = await source("source");
        await given.storage.write(at("source"), "y".repeat(size));
        if (before.etag === undefined) return;
        for (const range of [undefined, { start: 1, end: size - 1 }]) {
          // Ranges of small objects are read and written.
          if (range && size < 5_000_000) continue;
          await expect(given.storage.copy(before, at("target"), range)).rejects.toMatchObject({
            code: "StorageAccessError",
          });
        }
        expect(await keys("")).toEqual(["source"]);
      },
    );
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
        () => given.storage.head(location),
        () => given.storage.read(location),
        () => given.storage.write(location, "x"),
        () => given.storage.delete(location),
        () => given.storage.deleteFolder(location),
        () => given.storage.list(location)[Symbol.asyncIterator]().next(),
      ];
      for (const call of calls) await expect(call()).rejects.toMatchObject({ code: "StorageAccessError" });
    });

    it.each(["", "folder/"])("%j names a folder and is rejected as an object", async (key) => {
      for (const call of [
        given.storage.read(at(key)),
        given.storage.write(at(key), "x"),
        given.storage.delete(at(key)),
      ]) {
        await expect(call).rejects.toMatchObject({
          code: "StorageAccessError",
          message: expect.stringContaining("names a folder"),
        });
      }
    });
  });
});
