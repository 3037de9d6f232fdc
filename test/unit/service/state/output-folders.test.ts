import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { errors } from "../../../../contract";
import { FileStorage } from "../../../../storage/file";
import { FileOutputFolders } from "../../../../service/state/output-folders";

let root: string;
let outputs: FileOutputFolders;

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), "dag-outputs-"));
  mkdirSync(join(root, "out"));
  outputs = new FileOutputFolders(new FileStorage(root));
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

const put = (path: string, content = path) => {
  mkdirSync(dirname(join(root, path)), { recursive: true });
  writeFileSync(join(root, path), content);
};
const entries = () => readdirSync(join(root, "out"), { recursive: true }).map(String).sort();
const target = { bucket: "out", key: "a/b/" };

test("prepare: an empty folder, and the marker while any query needs it", async () => {
  put("out/tmp/1/left");
  expect(await outputs.prepare(1, "out")).toEqual({ bucket: "out", key: "tmp/1/" });
  await outputs.prepare(2, "out");
  expect(entries()).toEqual(["tmp", "tmp/1", "tmp/2", "tmp_$folder$"]);
  await outputs.discard(1, "out");
  expect(entries()).toEqual(["tmp", "tmp/2", "tmp_$folder$"]);
  await outputs.discard(2, "out");
  expect(entries()).toEqual([]);
});

test("prepare and discard: at once, many times, the marker is there exactly while a folder is", async () => {
  await Promise.all(
    Array.from({ length: 40 }, async (_, id) => {
      await outputs.prepare(id, "out");
      expect(existsSync(join(root, "out/tmp_$folder$"))).toBe(true);
      await outputs.discard(id, "out");
    }),
  );
  expect(entries()).toEqual([]);
});

test("replace: a folder, nothing, or a link to a folder gives way", async () => {
  put("elsewhere/kept");
  mkdirSync(join(root, "out/a"), { recursive: true });
  symlinkSync(join(root, "elsewhere"), join(root, "out/a/b"));
  for (const [id, content] of [
    [1, "one"],
    [2, "two"],
  ] as const) {
    await outputs.prepare(id, "out");
    put(`out/tmp/${id}/000000_0`, content);
    await outputs.replace(id, target);
    await outputs.discard(id, "out");
    expect(readFileSync(join(root, "out/a/b/000000_0"), "utf8")).toBe(content);
    expect(entries()).toEqual(["a", "a/b", "a/b/000000_0"]);
  }
  expect(readFileSync(join(root, "elsewhere/kept"), "utf8")).toBe("elsewhere/kept");
});

test("replace: what stands in the way of the folder's parents leaves the old output as it is", async () => {
  put("out/a", "an object");
  await outputs.prepare(1, "out");
  await expect(outputs.replace(1, target)).rejects.toThrow(errors.StorageAccessError);
  expect(readFileSync(join(root, "out/a"), "utf8")).toBe("an object");
});

test("place: refuses a folder with objects, takes one that holds but empty folders", async () => {
  put("out/t/deep/x");
  await outputs.prepare(1, "out");
  put("out/tmp/1/000000_0");
  await expect(outputs.place(1, { bucket: "out", key: "t/" })).rejects.toThrow(errors.OutputTableAlreadyExists);
  expect(readFileSync(join(root, "out/t/deep/x"), "utf8")).toBe("out/t/deep/x");
  rmSync(join(root, "out/t/deep/x"));
  await outputs.place(1, { bucket: "out", key: "t/" });
  expect(readFileSync(join(root, "out/t/000000_0"), "utf8")).toBe("out/tmp/1/000000_0");
  await outputs.place(1, { bucket: "out", key: "t/" }, { again: true });
});

test("replace and place: a prepared folder that somebody deleted is no result", async () => {
  put("out/a/b/old", "old");
  await outputs.prepare(1, "out");
  rmSync(join(root, "out/tmp"), { recursive: true });
  await expect(outputs.replace(1, target)).rejects.toThrow("was deleted while the query ran");
  await expect(outputs.place(1, { bucket: "out", key: "t/" })).rejects.toThrow("was deleted while the query ran");
  expect(readFileSync(join(root, "out/a/b/old"), "utf8")).toBe("old");
});

test("prepare, replace and place: a bucket that is gone is not made anew", async () => {
  await outputs.prepare(1, "out");
  rmSync(join(root, "out"), { recursive: true });
  await expect(outputs.prepare(2, "out")).rejects.toThrow(errors.StorageAccessError);
  await expect(outputs.replace(1, target, { again: true })).rejects.toThrow(errors.StorageAccessError);
  await expect(outputs.place(1, target, { again: true })).rejects.toThrow(errors.StorageAccessError);
  expect(existsSync(join(root, "out"))).toBe(false);
});

test("replace and place: a link that leads out of the storage is refused", async () => {
  const outside = mkdtempSync(join(tmpdir(), "dag-outside-"));
  symlinkSync(outside, join(root, "out/a"));
  await outputs.prepare(1, "out");
  await expect(outputs.replace(1, target)).rejects.toThrow("leads out of the storage");
  await expect(outputs.place(1, target)).rejects.toThrow("leads out of the storage");
  expect(readdirSync(outside)).toEqual([]);
  rmSync(outside, { recursive: true });
});

test("sweep: removes what dead queries left, keeps the named and what users put there", async () => {
  put("out/tmp/1/000000_0");
  put("out/tmp/1.old/x");
  put("out/tmp/2/000000_0");
  put("out/tmp/2.old/x");
  put("out/tmp/notes/x");
  put("out/tmp_$folder$", "");
  put("other/tmp/3/x");
  put("other/tmp_$folder$", "");
  await outputs.sweep(new Set([2]));
  expect(entries()).toEqual([
    "tmp",
    "tmp/2",
    "tmp/2.old",
    "tmp/2.old/x",
    "tmp/2/000000_0",
    "tmp/notes",
    "tmp/notes/x",
    "tmp_$folder$",
  ]);
  expect(readdirSync(join(root, "other"))).toEqual([]);
});

test("sweep: a marker without a folder goes too; a bucket that cannot be read is left to its users", async () => {
  put("out/tmp_$folder$", "");
  put("other/tmp", "a file where the folder would be");
  await outputs.sweep(new Set());
  expect(entries()).toEqual([]);
  expect(readFileSync(join(root, "other/tmp"), "utf8")).toBe("a file where the folder would be");
});

test("obstacle: the object that is where a folder would have to be", async () => {
  put("out/a/b", "an object");
  expect(await outputs.obstacle({ bucket: "out", key: "a/b/c/" })).toEqual({ bucket: "out", key: "a/b" });
  expect(await outputs.obstacle({ bucket: "out", key: "a/" })).toBeUndefined();
});
