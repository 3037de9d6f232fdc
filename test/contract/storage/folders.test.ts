import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { describeStorages } from "./storages";

describeStorages((given) => {
  const { at, put, read, keys } = given;

  it("bucketExists: returns whether the bucket exists", async () => {
    expect(await given.storage.bucketExists(given.bucket)).toBe(true);
    expect(await given.storage.bucketExists("no-such-bucket")).toBe(false);
  });

  describe("list", () => {
    it("is in the byte order of the keys, with sizes and times", async () => {
      const names = ["t/a-b", "t/a.txt", "t/a/b", "t/a/b-c", "t/a0", "t/Z", "t/ä", "t/\uffee", "t/😀", "t/a/c/d"];
      await put(...names.toReversed(), "t2/x", "s", "t-");
      const found = [];
      for await (const object of given.storage.list(at("t/"))) found.push(object);
      const sorted = names.toSorted((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b)));
      expect(found.map(({ location }) => location)).toEqual(sorted.map(at));
      expect(found.map(({ size }) => size)).toEqual(sorted.map((key) => Buffer.byteLength(key)));
      expect(found.every(({ lastModified }) => Math.abs(lastModified.getTime() - Date.now()) < 60_000)).toBe(true);
    });

    it("begins behind a key, which need not exist", async () => {
      await put("t/a/b", "t/b", "t/c", "u");
      const behind = async (key: string) => {
        const found = await Array.fromAsync(given.storage.list(at("t/"), key));
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
      const folder = join(given.directory, given.bucket, "many");
      await mkdir(folder);
      const names = Array.from({ length: 1_203 }, (_, index) => `part-${String(index).padStart(5, "0")}`);
      await Promise.all(names.map((name) => writeFile(join(folder, name), name)));
      await put("kept");
      expect(await keys("many/")).toEqual(names.map((name) => `many/${name}`));
      await given.storage.deleteFolder(at("many/"));
      expect(await keys("")).toEqual(["kept"]);
    });
  });

  describe("folders and buckets", () => {
    it("folders: yields the folders directly in a folder, once and in order", async () => {
      await put("b/1", "b/2/3", "a-b/1", "a/1", "object", "ä/ö/1");
      const names = async (key: string) => Array.fromAsync(given.storage.folders(at(key)));
      expect(await names("")).toEqual(["a-b", "a", "b", "ä"]);
      expect(await names("b")).toEqual(["2"]);
      expect(await names("none/")).toEqual([]);
    });

    it("buckets: returns the names of the buckets", async () => {
      const names = await given.storage.buckets();
      expect(names).toContain(given.bucket);
      expect(names).toEqual(names.toSorted());
    });
  });

  describe("delete", () => {
    it("delete: deletes one object", async () => {
      await put("t/a", "t/b", "t/a2");
      await given.storage.delete(at("t/a"));
      expect(await keys("")).toEqual(["t/a2", "t/b"]);
    });

    it("deleteFolder: deletes the objects in it, and nothing else", async () => {
      await put("t/a", "t/b/c", "t2/a", "t.csv", "s/t/a");
      await given.storage.deleteFolder(at("t"));
      expect(await keys("")).toEqual(["s/t/a", "t.csv", "t2/a"]);
      await put("t");
      expect(await read("t")).toBe("t");
    });

    it("deleteFolder: keeps the bucket when it deletes its objects", async () => {
      await put("t/a", "b");
      await given.storage.deleteFolder(at(""));
      expect(await keys("")).toEqual([]);
      expect(await given.storage.bucketExists(given.bucket)).toBe(true);
    });
  });
});
