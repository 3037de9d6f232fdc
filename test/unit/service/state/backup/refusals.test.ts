/** What a backup and a restore refuse, so that nothing is spoilt. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { loadConfig } from "../../../../../service/config/load";
import { StartError } from "../../../../../service/config/start-error";
import { backUp, restore } from "../../../../../service/state/backup";
import { openStateFile } from "../../../../../service/state/sqlite/state-file";

let root = "";
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), "dag-backup-"));
  mkdirSync(join(root, "data/buckets/b/t"), { recursive: true });
  writeFileSync(join(root, "data/buckets/b/t/a.csv"), "1\n");
  openStateFile(join(root, "data/state.sqlite")).close();
});
afterEach(() => rmSync(root, { recursive: true }));

const configOf = (flags: Readonly<Record<string, string>> = {}) =>
  loadConfig({ flags: { data: "data", ...flags }, directory: root });
const backUpTo = (folder: string, flags?: Readonly<Record<string, string>>) =>
  backUp(configOf(flags), join(root, folder));
const restoreFrom = (folder: string, flags?: Readonly<Record<string, string>>) =>
  restore(configOf(flags), join(root, folder));

/** The message of the error with which the work fails. */
const refusal = async (work: Promise<unknown>) => {
  const error = await work.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  expect(error).toBeInstanceOf(StartError);
  return (error as StartError).message;
};

test("backup: refuses a folder with content, one that it would copy, no state, and a state in PostgreSQL", async () => {
  await backUpTo("copy");
  expect(await refusal(backUpTo("copy"))).toMatch(/folder \S+copy is not empty: name a new folder/);
  expect(await refusal(backUpTo("data/buckets/b"))).toMatch(/is inside \S+data, which the backup copies/);
  expect(await refusal(backUpTo("new", { data: "none" }))).toMatch(/state file \S+ does not exist: name .* --data/);
  const database = { state: "postgres://u:secret@h/d" };
  expect(await refusal(backUpTo("new", database))).toMatch(/is in PostgreSQL: .* pg_dump/);
});

test("restore: refuses a data folder with content, what is no backup, and buckets elsewhere", async () => {
  await backUpTo("copy");
  expect(await refusal(restoreFrom("copy"))).toMatch(/folder \S+data is not empty: move it away/);
  expect(await refusal(restoreFrom("data", { data: "new" }))).toMatch(/is not a whole backup, .* \(ENOENT\)/);
  const elsewhere = { data: "new", storage: "s3:http://127.0.0.1:1" };
  expect(await refusal(restoreFrom("copy", elsewhere))).toMatch(/were in a folder, .* on S3/);
});

test("restore: refuses a backup that lacks objects, or whose description is damaged", async () => {
  await backUpTo("copy");
  rmSync(join(root, "copy/buckets/b/t/a.csv"));
  expect(await refusal(restoreFrom("copy", { data: "new" }))).toMatch(
    /not whole: \S+ has 0 objects of 0 bytes instead of 1 objects of 2 bytes/,
  );
  writeFileSync(join(root, "copy/backup.json"), "{}");
  expect(await refusal(restoreFrom("copy", { data: "new2" }))).toMatch(/of another version or damaged/);
});

test("backup: leaves out IDs that may be given after it, also in a backup of what was restored", async () => {
  await backUpTo("copy");
  await restoreFrom("copy", { data: "new" });
  const restored = openStateFile(join(root, "new/state.sqlite"));
  expect(restored.nextId()).toBe(1_000_001);
  restored.close();
  await backUpTo("second", { data: "new" });
  await restoreFrom("second", { data: "newer" });
  const again = openStateFile(join(root, "newer/state.sqlite"));
  expect(again.nextId()).toBeGreaterThan(2_000_000);
  again.close();
});
