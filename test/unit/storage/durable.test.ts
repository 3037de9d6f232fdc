import {
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { createFolder, createFolderSync, replaceFile, syncFolder } from "../../../storage/durable";
import { describeDiskProblem, diskProblem } from "../../../storage/disk-errors";

let directory: string;
beforeEach(() => (directory = mkdtempSync(join(tmpdir(), "dag-durable-"))));
afterEach(() => rmSync(directory, { recursive: true }));

test("replaceFile: replaces the content, readable by its owner only, and leaves nothing else behind", () => {
  const file = join(directory, "file");
  replaceFile(file, "one");
  replaceFile(file, "two");
  expect(readFileSync(file, "utf8")).toBe("two");
  expect(statSync(file).mode & 0o777).toBe(0o600);
  expect(readdirSync(directory)).toEqual(["file"]);
});

test("replaceFile: keeps the old content when the new one cannot be written", () => {
  const file = join(directory, "file");
  replaceFile(file, "one");
  expect(() => replaceFile(join(file, "below"), "two")).toThrow(/ENOTDIR/);
  expect(readFileSync(file, "utf8")).toBe("one");
});

test("replaceFile: takes no notice of what a killed process left behind", () => {
  const file = join(directory, "file");
  writeFileSync(`${file}.new`, "half");
  replaceFile(file, "whole");
  expect(readFileSync(file, "utf8")).toBe("whole");
  expect(existsSync(`${file}.new`)).toBe(false);
});

test("createFolder: creates a folder with its parents, also twice, also in a relative path", async () => {
  await createFolder(join(directory, "a/b/c"));
  await createFolder(join(directory, "a/b/c"));
  await createFolder(join(directory, "a/b/d/"));
  createFolderSync(join(directory, "a/b/e/f"));
  createFolderSync(join(directory, "a/b/e/f"));
  expect(readdirSync(directory, { recursive: true }).sort()).toEqual([
    "a",
    "a/b",
    "a/b/c",
    "a/b/d",
    "a/b/e",
    "a/b/e/f",
  ]);
});

test("createFolder: many at once below the same new parents", async () => {
  await Promise.all(Array.from({ length: 50 }, (_, index) => createFolder(join(directory, "x/y", String(index % 10)))));
  expect(readdirSync(join(directory, "x/y"))).toHaveLength(10);
});

test("createFolder: a path through a file, and one to a file or a link to nothing, are errors", async () => {
  writeFileSync(join(directory, "file"), "");
  symlinkSync(join(directory, "none"), join(directory, "link"));
  await expect(createFolder(join(directory, "file"))).rejects.toThrow(/EEXIST/);
  await expect(createFolder(join(directory, "file/a/b"))).rejects.toThrow(/ENOTDIR/);
  await expect(createFolder(join(directory, "link"))).rejects.toThrow(/EEXIST/);
});

test("syncFolder: rejects for a folder that does not exist", async () => {
  await expect(syncFolder(join(directory, "none"))).rejects.toThrow(/ENOENT/);
});

test.each([
  [{ code: "ENOSPC" }, "full"],
  [{ code: "EDQUOT" }, "full"],
  [{ code: "EROFS" }, "failing"],
  [{ code: "EIO" }, "failing"],
  [{ code: "ERR_SQLITE_ERROR", errcode: 13 }, "full"],
  [{ code: "ERR_SQLITE_ERROR", errcode: 4874 }, "full"],
  [{ code: "ERR_SQLITE_ERROR", errcode: 778 }, "failing"],
  [{ code: "ENOENT" }, undefined],
  [{ code: "ERR_SQLITE_ERROR", errcode: 19 }, undefined],
  [{}, undefined],
])("diskProblem: of an error with %j is %s", (fields, expected) => {
  const error = Object.assign(new Error("message"), fields);
  expect(diskProblem(error)).toBe(expected);
  expect(diskProblem(new Error("outer", { cause: new Error("inner", { cause: error }) }))).toBe(expected);
  expect(diskProblem(fields)).toBeUndefined();
});

test("describeDiskProblem: names the place and what to do", () => {
  expect(describeDiskProblem("full", "/data")).toBe("the disk of /data is full: free space on it");
  expect(describeDiskProblem("failing", "/data")).toBe("the disk of /data cannot be written: check it");
});
