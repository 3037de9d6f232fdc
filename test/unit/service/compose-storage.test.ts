import { chmodSync, existsSync, mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { beforeEach, expect, onTestFinished, test } from "vitest";
import { bucketsFolder, requireBuckets } from "../../../service/compose-storage";
import { loadConfig } from "../../../service/config/load";
import { TemporaryStartError } from "../../../service/config/start-error";

let root: string;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), "dag-buckets-"));
  onTestFinished(() => rmSync(root, { recursive: true }));
});

type State = Parameters<typeof requireBuckets>[1];

/** A state with as many queries and tables. */
const stateOf = (queries: number, tables: number) =>
  ({
    queries: { list: async () => Array.from({ length: queries }) },
    catalog: { listTables: async () => Array.from({ length: tables }) },
  }) as unknown as State;

const folder = () => join(root, "buckets");

test.each([
  ["queries", stateOf(1, 0)],
  ["tables", stateOf(0, 1)],
])("requireBuckets: a folder that is gone, or has no bucket, is refused when the state has %s", async (_, state) => {
  const refusal = async () => requireBuckets(folder(), state).catch((error: unknown) => error);
  expect(await refusal()).toBeInstanceOf(TemporaryStartError);
  expect(await refusal()).toMatchObject({
    message: `folder ${folder()} of the buckets does not exist, and the state has queries or tables: mount its disk, or correct --storage; if it shall be empty, create the folder ${folder()}/default`,
  });
  expect(existsSync(folder())).toBe(false);
  // What a service or a file system leaves in a folder is no bucket.
  mkdirSync(join(folder(), ".uploads"), { recursive: true });
  expect(await refusal()).toMatchObject({ message: expect.stringContaining("has no bucket, and the state") });
});

test("requireBuckets: a folder with a bucket, and any folder of a new state, can be used", async () => {
  await requireBuckets(folder(), stateOf(0, 0));
  mkdirSync(join(folder(), "data"), { recursive: true });
  await requireBuckets(folder(), stateOf(1, 1));
});

test("requireBuckets: a folder that cannot be read is left to the check of the folder", async () => {
  mkdirSync(folder());
  chmodSync(folder(), 0);
  onTestFinished(() => chmodSync(folder(), 0o700));
  await requireBuckets(folder(), stateOf(process.getuid?.() === 0 ? 0 : 1, 0));
});

test("bucketsFolder: the folder of the data, that of storage, or none on S3", () => {
  const of = (storage?: string) => bucketsFolder(loadConfig({ flags: { storage }, directory: root }));
  expect(of()).toBe(join(root, ".dag/buckets"));
  expect(of("file:other")).toBe(join(root, "other"));
  expect(of("s3:http://127.0.0.1:7070?region=us-east-1")).toBeUndefined();
});
