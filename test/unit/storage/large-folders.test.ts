/** Folders with many objects: they are listed and deleted in steps, between which other work is done. */
import { mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { FileStorage } from "../../../storage";
import { requestsOf } from "./file-requests";

let directory = "";
beforeEach(() => (directory = mkdtempSync(join(tmpdir(), "dag-large-"))));
afterEach(() => void vi.useRealTimers());
afterEach(() => rmSync(directory, { recursive: true, force: true, maxRetries: 3 }));

const bucket = "data";
const folder = { bucket, key: "t/" };

function write(keys: readonly string[]): FileStorage {
  for (const key of keys) {
    const path = join(directory, bucket, "t", key);
    mkdirSync(join(path, ".."), { recursive: true });
    writeFileSync(path, "");
  }
  return new FileStorage(directory);
}

const names = (count: number) => Array.from({ length: count }, (_, index) => `part-${(index * 7919) % count}`);

async function keysOf(storage: FileStorage, after?: string): Promise<string[]> {
  const found = await Array.fromAsync(storage.list(folder, after));
  return found.map(({ location }) => location.key.slice(folder.key.length));
}

const inOrder = (keys: readonly string[]) => keys.toSorted((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b)));

test("list: a folder of 6,000 objects is read in pieces, and other work is done in between", async () => {
  const storage = write(names(6000));
  const { made, atATime } = await requestsOf(async () => {
    expect((await storage.list(folder).next()).value?.location.key).toBe("t/part-0");
  });
  expect(made).toBeGreaterThanOrEqual(6);
  expect(atATime).toBeLessThanOrEqual(4);
});

test("list: 32 callers at a time each get the whole list of a folder", async () => {
  const storage = write(names(1200));
  const lists = Array.from({ length: 32 }, () => keysOf(storage));
  const expected = inOrder(names(1200));
  for (const keys of await Promise.all(lists)) expect(keys).toEqual(expected);
});

test("list: an object that was written before the list began is in it, whatever others read at the time", async () => {
  const storage = write(names(1200));
  const others = Array.from({ length: 8 }, () => keysOf(storage));
  const written: string[] = [];
  for (let index = 0; index < 10; index += 1) {
    const name = `new-${index}`;
    await storage.write({ bucket, key: `t/${name}` }, "");
    written.push(name);
    const found = new Set(await keysOf(storage));
    expect(written.filter((each) => !found.has(each))).toEqual([]);
  }
  await Promise.all(others);
});

test("list: the later pages of a large folder do not read its names again, until it changes", async () => {
  const storage = write(names(20_000));
  const expected = inOrder(names(20_000));
  // A change within the last second may not be seen in the folder's times.
  vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + 2000 });
  const page = async (marker: string) => {
    const keys: string[] = [];
    for await (const { location } of storage.list(folder, `t/${marker}`))
      if (keys.push(location.key.slice(2)) === 3) break;
    return keys;
  };
  expect(await page(expected[1]!)).toEqual(expected.slice(2, 5));
  const { made } = await requestsOf(async () => {
    for (let at = 4; at < 304; at += 3) expect(await page(expected[at]!)).toEqual(expected.slice(at + 1, at + 4));
  });
  expect(made / 100).toBeLessThan(20);
  writeFileSync(join(directory, bucket, "t", `${expected[10]}-new`), "");
  rmSync(join(directory, bucket, "t", expected[12]!));
  expect(await page(expected[10]!)).toEqual([`${expected[10]}-new`, expected[11], expected[13]]);
});

test("list: keys are in the order of their bytes, and a marker begins behind its key", async () => {
  const parts = ["a", "b", "é", "\uffee", "\u{1f989}", "-", ".", "0", "a b"];
  const key = fc
    .array(fc.array(fc.constantFrom(...parts), { minLength: 1, maxLength: 3 }), { minLength: 1, maxLength: 3 })
    .map((segments) => segments.map((segment) => `${segment.join("")}x`).join("/"));
  await fc.assert(
    fc.asyncProperty(fc.uniqueArray(key, { minLength: 1, maxLength: 30 }), fc.nat(), key, async (keys, at, other) => {
      rmSync(join(directory, bucket), { recursive: true, force: true });
      const isFolder = (name: string) => keys.some((each) => each.startsWith(`${name}/`));
      const files = keys.filter((name) => !isFolder(name));
      const storage = write(files);
      expect(await keysOf(storage)).toEqual(inOrder(files));
      for (const marker of [files[at % files.length]!, other, `${other}/`]) {
        const expected = inOrder(files).filter((name) => Buffer.compare(Buffer.from(name), Buffer.from(marker)) > 0);
        expect(await keysOf(storage, `t/${marker}`)).toEqual(expected);
      }
    }),
    { numRuns: 40 },
  );
});

test("deleteFolder: the objects of a folder are deleted a few at a time, and links without their targets", async () => {
  const storage = write([...names(3000), "in/one", "in/deeper/two"]);
  mkdirSync(join(directory, bucket, "kept"));
  writeFileSync(join(directory, bucket, "kept/a"), "");
  symlinkSync("../kept", join(directory, bucket, "t/link"));
  const { atATime } = await requestsOf(() => storage.deleteFolder(folder));
  expect(atATime).toBeLessThanOrEqual(32);
  expect(readdirSync(join(directory, bucket))).toEqual(["kept"]);
  expect(readdirSync(join(directory, bucket, "kept"))).toEqual(["a"]);
});
