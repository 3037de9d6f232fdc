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
import { errors } from "../../../../../contract";
import { FileStorage } from "../../../../../storage/file";
import { AttemptLost } from "../../../../../service/core/ports/state";
import { FileOutputFolders } from "../../../../../service/state/outputs/folders";
import { requestsOf } from "../../../storage/file-requests";

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
const first = { writtenBy: 1, publishedBy: 1, isRetry: false, confirm: async () => undefined };
const retry = { ...first, isRetry: true };
/** Queries that are kept; all others have no record, unless they replace `out/a/b`. */
const orphans = (...kept: readonly number[]) => ({
  kept: async () => new Set(kept),
  outputOf: async (id: number) => (id >= 7 ? target : undefined),
});

test("prepare: creates an empty folder, and the marker while any query needs it", async () => {
  put("out/tmp/1/left");
  expect(await outputs.prepare(1, 1, "out")).toEqual({ bucket: "out", key: "tmp/1/1/" });
  await outputs.prepare(2, 1, "out");
  expect(entries()).toEqual(["tmp", "tmp/1", "tmp/1/1", "tmp/2", "tmp/2/1", "tmp_$folder$"]);
  await outputs.discard(1, "out");
  expect(entries()).toEqual(["tmp", "tmp/2", "tmp/2/1", "tmp_$folder$"]);
  await outputs.discard(2, "out");
  expect(entries()).toEqual([]);
});

test("prepare and discard: with many concurrent queries, the marker exists exactly while a folder does", async () => {
  await Promise.all(
    Array.from({ length: 40 }, async (_, id) => {
      await outputs.prepare(id, 1, "out");
      expect(existsSync(join(root, "out/tmp_$folder$"))).toBe(true);
      await outputs.discard(id, "out");
    }),
  );
  expect(entries()).toEqual([]);
});

test("publishReplacing: deletes the objects of the old output a few at a time", async () => {
  for (let index = 0; index < 1000; index += 1) put(`out/a/b/part-${index}`);
  await outputs.prepare(1, 1, "out");
  put("out/tmp/1/1/000000_0");
  const { atATime } = await requestsOf(() => outputs.publishReplacing(1, target, first));
  expect(atATime).toBeLessThanOrEqual(32);
  await outputs.discard(1, "out");
  expect(entries()).toEqual(["a", "a/b", "a/b/000000_0"]);
});

test("publishReplacing: replaces a folder, nothing, or a link to a folder", async () => {
  put("elsewhere/kept");
  mkdirSync(join(root, "out/a"), { recursive: true });
  symlinkSync(join(root, "elsewhere"), join(root, "out/a/b"));
  for (const [id, content] of [
    [1, "one"],
    [2, "two"],
  ] as const) {
    await outputs.prepare(id, 1, "out");
    put(`out/tmp/${id}/1/000000_0`, content);
    await outputs.publishReplacing(id, target, first);
    await outputs.discard(id, "out");
    expect(readFileSync(join(root, "out/a/b/000000_0"), "utf8")).toBe(content);
    expect(entries()).toEqual(["a", "a/b", "a/b/000000_0"]);
  }
  expect(readFileSync(join(root, "elsewhere/kept"), "utf8")).toBe("elsewhere/kept");
});

test("publishReplacing: fails without a change when an object blocks a parent folder", async () => {
  put("out/a", "an object");
  await outputs.prepare(1, 1, "out");
  await expect(outputs.publishReplacing(1, target, first)).rejects.toThrow(errors.StorageAccessError);
  expect(readFileSync(join(root, "out/a"), "utf8")).toBe("an object");
});

test("publishNew: refuses a folder with objects, accepts a folder with empty folders only", async () => {
  put("out/t/deep/x");
  await outputs.prepare(1, 1, "out");
  put("out/tmp/1/1/000000_0");
  await expect(outputs.publishNew(1, { bucket: "out", key: "t/" }, first)).rejects.toThrow(
    errors.OutputTableAlreadyExists,
  );
  expect(readFileSync(join(root, "out/t/deep/x"), "utf8")).toBe("out/t/deep/x");
  rmSync(join(root, "out/t/deep/x"));
  await outputs.publishNew(1, { bucket: "out", key: "t/" }, first);
  expect(readFileSync(join(root, "out/t/000000_0"), "utf8")).toBe("out/tmp/1/1/000000_0");
  await outputs.publishNew(1, { bucket: "out", key: "t/" }, retry);
});

test("publishReplacing and publishNew: fail when the prepared folder was deleted", async () => {
  put("out/a/b/old", "old");
  await outputs.prepare(1, 1, "out");
  rmSync(join(root, "out/tmp"), { recursive: true });
  await expect(outputs.publishReplacing(1, target, first)).rejects.toThrow("was deleted while the query ran");
  await expect(outputs.publishNew(1, { bucket: "out", key: "t/" }, first)).rejects.toThrow(
    "was deleted while the query ran",
  );
  expect(readFileSync(join(root, "out/a/b/old"), "utf8")).toBe("old");
});

test("prepare, publishReplacing and publishNew: do not create a deleted bucket", async () => {
  await outputs.prepare(1, 1, "out");
  rmSync(join(root, "out"), { recursive: true });
  await expect(outputs.prepare(2, 1, "out")).rejects.toThrow(errors.StorageAccessError);
  await expect(outputs.publishReplacing(1, target, retry)).rejects.toThrow(errors.StorageAccessError);
  await expect(outputs.publishNew(1, target, retry)).rejects.toThrow(errors.StorageAccessError);
  expect(existsSync(join(root, "out"))).toBe(false);
});

test("publishReplacing and publishNew: refuse a link that leads out of the storage", async () => {
  const outside = mkdtempSync(join(tmpdir(), "dag-outside-"));
  symlinkSync(outside, join(root, "out/a"));
  await outputs.prepare(1, 1, "out");
  await expect(outputs.publishReplacing(1, target, first)).rejects.toThrow("leads out of the storage");
  await expect(outputs.publishNew(1, target, first)).rejects.toThrow("leads out of the storage");
  expect(readdirSync(outside)).toEqual([]);
  rmSync(outside, { recursive: true });
});

test("deleteOrphans: deletes folders of ended queries, keeps the listed ones and objects of users", async () => {
  put("out/tmp/1/000000_0");
  put("out/tmp/1.old/x");
  put("out/tmp/2/000000_0");
  put("out/tmp/2.old/x");
  put("out/tmp/2.attempt-0a1b2c/x");
  put("out/tmp/notes/x");
  put("out/tmp_$folder$", "");
  put("other/tmp/3/x");
  put("other/tmp_$folder$", "");
  await outputs.deleteOrphans(orphans(2));
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

test("deleteOrphans: puts an earlier result back that a failed publication has left", async () => {
  put("out/tmp/7.old/000000_0", "earlier");
  await outputs.deleteOrphans(orphans());
  expect(entries()).toEqual(["a", "a/b", "a/b/000000_0"]);
});

test("deleteOrphans: deletes an earlier result when another is in its place", async () => {
  put("out/tmp/7.old/000000_0", "earlier");
  put("out/a/b/000000_0", "later");
  await outputs.deleteOrphans(orphans());
  expect(entries()).toEqual(["a", "a/b", "a/b/000000_0"]);
  expect(readFileSync(join(root, "out/a/b/000000_0"), "utf8")).toBe("later");
});

test("publishReplacing: an earlier attempt ended between its renames: a further failure leaves the earlier result", async () => {
  put("out/tmp/7/1/000000_0", "new");
  put("out/tmp/7.old/000000_0", "earlier");
  const lost = { ...retry, confirm: () => Promise.reject(new AttemptLost()) };
  await expect(outputs.publishReplacing(7, target, lost)).rejects.toThrow(AttemptLost);
  await outputs.deleteOrphans(orphans());
  expect(readFileSync(join(root, "out/a/b/000000_0"), "utf8")).toBe("earlier");
});

test("deleteOrphans: deletes a marker without a folder, and skips an unreadable bucket", async () => {
  put("out/tmp_$folder$", "");
  put("other/tmp", "a file where the folder would be");
  await outputs.deleteOrphans(orphans());
  expect(entries()).toEqual([]);
  expect(readFileSync(join(root, "other/tmp"), "utf8")).toBe("a file where the folder would be");
});

test("blockingObject: finds the object in place of a folder", async () => {
  put("out/a/b", "an object");
  expect(await outputs.blockingObject({ bucket: "out", key: "a/b/c/" })).toEqual({ bucket: "out", key: "a/b" });
  expect(await outputs.blockingObject({ bucket: "out", key: "a/" })).toBeUndefined();
});

test("prepare, discard, publish and deleteOrphans: a tmp/ that is a symbolic link is not followed", async () => {
  const outside = mkdtempSync(join(tmpdir(), "dag-outside-"));
  try {
    mkdirSync(join(outside, "7"));
    writeFileSync(join(outside, "7/kept"), "x");
    symlinkSync(outside, join(root, "out/tmp"));
    await expect(outputs.prepare(7, 1, "out")).rejects.toThrow(errors.StorageAccessError);
    await expect(outputs.publishReplacing(7, target, first)).rejects.toThrow(errors.StorageAccessError);
    await outputs.discard(7, "out");
    await outputs.deleteOrphans(orphans());
    expect(readFileSync(join(outside, "7/kept"), "utf8")).toBe("x");
  } finally {
    rmSync(outside, { recursive: true });
  }
});

test("prepare: deletes the folders of earlier attempts; discard of one attempt keeps the later one", async () => {
  await outputs.prepare(1, 1, "out");
  put("out/tmp/1/1/000000_0");
  await outputs.prepare(1, 2, "out");
  expect(entries()).toEqual(["tmp", "tmp/1", "tmp/1/2", "tmp_$folder$"]);
  await outputs.discard(1, "out", 1);
  expect(entries()).toEqual(["tmp", "tmp/1", "tmp/1/2", "tmp_$folder$"]);
  await outputs.discard(1, "out", 2);
  expect(entries()).toEqual([]);
});

// Found by the simulation (seed 5204010): a process that did not know that it had lost its query.
test("prepare: keeps what a later attempt has written", async () => {
  await outputs.prepare(1, 2, "out");
  put("out/tmp/1/2/000000_0");
  put("out/tmp/1/2.attempt-0a/000000_0");
  await outputs.prepare(1, 1, "out");
  expect(entries()).toEqual(expect.arrayContaining(["tmp/1/2/000000_0", "tmp/1/2.attempt-0a/000000_0"]));
});

test("publishReplacing and publishNew: change nothing when the attempt is not confirmed", async () => {
  put("out/a/b/old", "old");
  await outputs.prepare(1, 1, "out");
  put("out/tmp/1/1/000000_0", "new");
  const lost = { ...first, confirm: () => Promise.reject(new AttemptLost()) };
  await expect(outputs.publishReplacing(1, target, lost)).rejects.toThrow(AttemptLost);
  await expect(outputs.publishNew(1, { bucket: "out", key: "t/" }, lost)).rejects.toThrow(AttemptLost);
  expect(readFileSync(join(root, "out/a/b/old"), "utf8")).toBe("old");
  expect(readFileSync(join(root, "out/tmp/1/1/000000_0"), "utf8")).toBe("new");
  expect(existsSync(join(root, "out/t"))).toBe(false);
});

test("discard: keeps the marker while a query of another process has a folder in the bucket", async () => {
  const other = new FileOutputFolders(new FileStorage(root));
  await outputs.prepare(1, 1, "out");
  await other.prepare(2, 1, "out");
  await outputs.discard(1, "out");
  expect(entries()).toEqual(["tmp", "tmp/2", "tmp/2/1", "tmp_$folder$"]);
  await other.discard(2, "out");
  expect(entries()).toEqual([]);
});
