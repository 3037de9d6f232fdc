/** A state that was damaged, or that lost what it once held. */
import {
  copyFileSync,
  existsSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { afterEach, beforeEach, expect, test } from "vitest";
import type { State } from "../../../../../service/core/ports/state";
import { openState } from "../../../../../service/state/sqlite";
import { StateLossError, StateVersionError } from "../../../../../service/state/state-errors";

let directory: string;
let file: string;
const open: State[] = [];

beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), "dag-state-"));
  file = join(directory, "state.sqlite");
});
afterEach(() => {
  for (const state of open.splice(0)) void state.close();
  rmSync(directory, { recursive: true });
});

function start(options: Parameters<typeof openState>[1] = {}): State {
  const state = openState(file, options);
  open.push(state);
  return state;
}

/** Paths of the accepted queries, of which none may be equal. */
let paths = 0;

async function accept(state: State): Promise<number> {
  const submission = {
    type: "select",
    clusterName: "c1",
    accessKeyId: "AK",
    label: null,
    startTime: 0,
    query: "select 1",
    outputFormat: "csv",
    outputResourcePath: `dag://out/r${(paths += 1)}/`,
  } as const;
  const accepted = await state.admission.accept(submission, { slots: 10_000, generation: 0 });
  if (accepted.refused) throw new Error(accepted.refused);
  return accepted.query.id;
}

/** Copies the files of an open state elsewhere, as a kill leaves them, and continues there. */
function leaveAsKilled(...names: readonly string[]): void {
  const copy = mkdtempSync(join(tmpdir(), "dag-state-"));
  for (const name of names) {
    if (existsSync(join(directory, name))) copyFileSync(join(directory, name), join(copy, name));
  }
  for (const state of open.splice(0)) void state.close();
  rmSync(directory, { recursive: true });
  directory = copy;
  file = join(directory, "state.sqlite");
}

const all = ["state.sqlite", "state.sqlite-wal", "state.sqlite.mark"];

test("openState: continues with the next ID after it was closed", async () => {
  const state = start();
  const ids = [await accept(state), await accept(state)];
  await state.close();
  expect([...ids, await accept(start())]).toEqual([1, 2, 3]);
});

test("openState: after a kill it has every query, and gives no ID again", async () => {
  const state = start();
  const ids = await Promise.all(Array.from({ length: 300 }, () => accept(state)));
  leaveAsKilled(...all);
  const next = start();
  expect((await Promise.all(ids.map((id) => next.queries.get(id)))).every(Boolean)).toBe(true);
  expect(await accept(next)).toBeGreaterThan(ids.at(-1)!);
});

test("accept: gives no ID again when the database lost its last queries without a trace", async () => {
  const state = start();
  await accept(state);
  copyFileSync(file, join(directory, "before"));
  copyFileSync(`${file}-wal`, join(directory, "before-wal"));
  const last = (await Promise.all(Array.from({ length: 200 }, () => accept(state)))).at(-1)!;
  leaveAsKilled(...all, "before", "before-wal");
  copyFileSync(join(directory, "before"), file);
  copyFileSync(join(directory, "before-wal"), `${file}-wal`);
  expect(await accept(start())).toBeGreaterThan(last);
});

test.each<[string, () => void, RegExp]>([
  [
    "the write-ahead log is missing",
    () => rmSync(`${file}-wal`),
    /older than its high-water mark|write-ahead log .* is missing or empty/,
  ],
  [
    "the write-ahead log is empty",
    () => truncateSync(`${file}-wal`),
    /older than its high-water mark|write-ahead log .* is missing or empty/,
  ],
  ["the database is missing", () => [file, `${file}-wal`].forEach((path) => rmSync(path)), /missing or empty/],
  ["the database is empty", () => [file, `${file}-wal`].forEach((path) => truncateSync(path)), /missing or empty/],
  ["the mark is damaged", () => writeFileSync(`${file}.mark`, ""), /high-water mark .* is damaged/],
])("openState: refuses a killed state of which %s", async (_, harm, message) => {
  await accept(start());
  leaveAsKilled(...all);
  harm();
  expect(() => start()).toThrow(StateLossError);
  expect(() => start()).toThrow(message);
});

test("openState: refuses a killed state without its log also when a checkpoint came before", async () => {
  const state = start();
  for (let count = 0; count < 1500; count += 1) await accept(state);
  leaveAsKilled(...all);
  rmSync(`${file}-wal`);
  expect(() => start()).toThrow(/write-ahead log .* is missing or empty|older than its high-water mark/);
});

test("openState: takes a killed state also after a start of an earlier version, which has merged its log, and refused it", async () => {
  const id = await accept(start());
  const setVersion = (version: number) => {
    const database = new DatabaseSync(file);
    const { user_version: before } = database.prepare("PRAGMA user_version").get() as { user_version: number };
    database.exec(`PRAGMA user_version = ${version}`);
    return { before, close: () => database.close() };
  };
  const other = setVersion(9999);
  leaveAsKilled(...all);
  other.close();
  for (const _ of [1, 2]) expect(() => start()).toThrow(StateVersionError);
  setVersion(other.before).close();
  const state = start();
  expect(await state.queries.get(id)).toMatchObject({ id });
  expect(await accept(state)).toBeGreaterThan(id + 1);
});

test.each<[string, () => void]>([
  ["truncated in the middle", () => truncateSync(file, 20_000)],
  ["truncated by one page", () => truncateSync(file, statSync(file).size - 4096)],
  [
    "overwritten in the middle",
    () => {
      const bytes = readFileSync(file);
      bytes.fill(0xff, 8192, 16_384);
      writeFileSync(file, bytes);
    },
  ],
  ["another file", () => writeFileSync(file, "not a database".repeat(1000))],
])("openState: refuses a database that is %s", async (_, harm) => {
  const state = start();
  for (let count = 0; count < 100; count += 1) await accept(state);
  await state.close();
  harm();
  expect(() => start()).toThrow(StateLossError);
});

test("openState: refuses an older copy of the database, and takes it when the loss is accepted", async () => {
  const state = start();
  await accept(state);
  await state.close();
  copyFileSync(file, join(directory, "backup"));
  const later = start();
  const last = await accept(later);
  await later.close();
  copyFileSync(join(directory, "backup"), file);
  expect(() => start()).toThrow(/older than its high-water mark/);
  const accepted = start({ acceptLoss: true });
  expect(await accepted.queries.get(1)).toBeDefined();
  expect(await accepted.queries.get(last)).toBeUndefined();
  expect(await accept(accepted)).toBeGreaterThan(last);
  await accepted.close();
  expect(await accept(start())).toBeGreaterThan(last);
});

test("openState: starts anew without a database when the loss is accepted, and gives no ID again", async () => {
  const state = start();
  const last = await accept(state);
  await state.close();
  rmSync(file);
  expect(await accept(start({ acceptLoss: true }))).toBeGreaterThan(last);
});

test("openState: takes a state of an earlier version, which has no mark", async () => {
  const state = start();
  await accept(state);
  const done = await state.queries.get(await accept(state));
  await state.attempts.end(done!, "finished", { progress: 100, stage: 1, jobId: null });
  await state.close();
  rmSync(`${file}.mark`);
  const database = new DatabaseSync(file);
  database.exec(
    "DROP TABLE marks; DROP TABLE attempts; DROP TABLE published; DROP TABLE jobs_to_end; DROP TABLE reads; DROP TABLE lineage_runs; ALTER TABLE queries DROP COLUMN excerpt; ALTER TABLE queries DROP COLUMN end_time; ALTER TABLE queries DROP COLUMN epoch; ALTER TABLE queries DROP COLUMN published_epoch; ALTER TABLE queries DROP COLUMN engine_handle; ALTER TABLE queries DROP COLUMN row_count; PRAGMA user_version = 2",
  );
  database.close();
  const next = start();
  expect(await next.queries.get(1)).toMatchObject({ status: "running" });
  // Of a result of that version, only the format is known.
  expect(await next.catalog.listPublished({ bucket: "out", key: "" })).toEqual([
    {
      queryId: 2,
      type: "select",
      folder: { bucket: "out", key: expect.stringMatching(/^r\d+\/$/) },
      format: "csv",
      columns: null,
      fingerprint: null,
      content: null,
    },
  ]);
  expect(await accept(next)).toBe(3);
});

test("openState: refuses an earlier version's database beside a mark", async () => {
  const state = start();
  await state.close();
  const database = new DatabaseSync(file);
  database.exec("DROP TABLE marks; PRAGMA user_version = 2");
  database.close();
  expect(() => start()).toThrow(/older than its high-water mark/);
});
