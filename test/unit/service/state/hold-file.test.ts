/** Who may use a state file: one process at a time, which can read and write it. */
import { mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { StartError, TemporaryStartError } from "../../../../service/config/start-error";
import { holdFile, stateSetting } from "../../../../service/state/open";

let root = "";
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), "dag-hold-"));
  mkdirSync(join(root, "a"));
});
afterEach(() => rmSync(root, { recursive: true }));

/** Fails as the system does for a user who may not write the file. */
const accessExcept = (denied: string, code: string) => (path: unknown) => {
  if (path === denied) throw Object.assign(new Error(code), { code });
};

test.each([true, false])("holdFile: locks a file for one service, also by links (it exists: %s)", (exists) => {
  const file = join(root, "a/state.sqlite");
  if (exists) writeFileSync(file, "");
  symlinkSync(file, join(root, "first"));
  symlinkSync("first", join(root, "second"));
  symlinkSync("a", join(root, "folder"));
  const lock = holdFile(file, "--data");
  for (const path of [file, join(root, "second"), join(root, "folder/state.sqlite")]) {
    expect(() => holdFile(path, "--state")).toThrow(
      `state file ${path} is in use by another dag-service (process ${process.pid}): stop that one, or choose another with --state`,
    );
  }
  holdFile(join(root, "a/other.sqlite"), "--state")[Symbol.dispose]();
  lock[Symbol.dispose]();
  holdFile(join(root, "second"), "--state")[Symbol.dispose]();
});

test("stateSetting: a link is the file that it leads to, beside which SQLite keeps its log", () => {
  const file = join(root, "a/state.sqlite");
  symlinkSync("a/state.sqlite", join(root, "link"));
  const setting = stateSetting({ data: root, state: { kind: "sqlite", file: join(root, "link") } });
  expect(setting).toEqual({ kind: "sqlite", file });
});

test.each(["", "-wal", "-shm"])(
  "holdFile: a file state.sqlite%s that cannot be written is named, and nothing is made",
  (ending) => {
    const file = join(root, "a/state.sqlite");
    const denied = `${file}${ending}`;
    const hold = () => holdFile(file, "--data", accessExcept(denied, "EACCES"));
    expect(hold).toThrow(StartError);
    expect(hold).not.toThrow(TemporaryStartError);
    expect(hold).toThrow(
      `state file ${denied} cannot be used (EACCES): make it readable and writable, or choose another with --data`,
    );
    expect(readdirSync(join(root, "a"))).toEqual([]);
  },
);

test("holdFile: a folder that is missing is named, and a disk that is read-only remains one", () => {
  const file = join(root, "none/state.sqlite");
  expect(() => holdFile(file, "--state")).toThrow(
    `folder ${root}/none of the state file cannot be used (ENOENT): create it, or choose another with --state`,
  );
  const other = join(root, "a/state.sqlite");
  expect(() => holdFile(other, "--data", accessExcept(other, "EROFS"))).toThrow(/^EROFS$/);
});
