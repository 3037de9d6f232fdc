import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { TreeCopy } from "../../../../../service/state/backup/tree-copy";

let root = "";
let copy: TreeCopy;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), "dag-tree-"));
  const isSkipped = (path: string) => path === "b/tmp";
  copy = new TreeCopy({ from: join(root, "from"), to: join(root, "to"), isSkipped });
});
afterEach(() => rmSync(root, { recursive: true }));

const write = (path: string, text: string) => {
  mkdirSync(dirname(join(root, "from", path)), { recursive: true });
  writeFileSync(join(root, "from", path), text);
};
const files = (folder: string) =>
  Object.fromEntries(
    readdirSync(join(root, folder), { recursive: true, withFileTypes: true })
      .filter((entry) => !entry.isDirectory())
      .map((entry) => {
        const path = join(entry.parentPath, entry.name);
        return [path.slice(join(root, folder).length + 1), readFileSync(path, "utf8")];
      }),
  );

test("pass: copies files, empty folders, links and times, and not what is skipped", async () => {
  write("b/t/a.csv", "1");
  write("b/tmp/7/1/x", "2");
  mkdirSync(join(root, "from/empty"));
  symlinkSync("a.csv", join(root, "from/b/t/link"));
  expect(await copy.pass()).toMatchObject({ changed: 5 });
  expect(await copy.pass()).toMatchObject({ changed: 0 });
  expect(files("to")).toEqual({ "b/t/a.csv": "1", "b/t/link": "1" });
  expect(readdirSync(join(root, "to"))).toContain("empty");
  const time = (folder: string) => Math.trunc(statSync(join(root, folder, "b/t/a.csv")).mtimeMs);
  expect(time("to")).toBe(time("from"));
  expect(copy.copied.files).toBe(2);
});

test("pass: follows what is added, changed in place, replaced by a folder, renamed and removed", async () => {
  for (const name of ["kept", "changed", "gone", "becomes-folder"]) write(`b/${name}`, name);
  write("b/result/000000_0", "old");
  write("b/tmp/9/1/000000_0", "new");
  await copy.pass();
  write("b/added", "added");
  write("b/changed", "changed again");
  rmSync(join(root, "from/b/gone"));
  rmSync(join(root, "from/b/becomes-folder"));
  write("b/becomes-folder/x", "x");
  renameSync(join(root, "from/b/result"), join(root, "from/b/tmp/9.old"));
  renameSync(join(root, "from/b/tmp/9/1"), join(root, "from/b/result"));
  expect(await copy.pass()).not.toMatchObject({ changed: 0 });
  expect(await copy.pass()).toEqual({ changed: 0, example: undefined });
  expect(files("to")).toEqual({
    "b/kept": "kept",
    "b/changed": "changed again",
    "b/added": "added",
    "b/becomes-folder/x": "x",
    "b/result/000000_0": "new",
  });
});

test("pass: a folder that does not exist is an empty copy", async () => {
  expect(await copy.pass()).toMatchObject({ changed: 0 });
  expect(readdirSync(join(root, "to"))).toEqual([]);
});
