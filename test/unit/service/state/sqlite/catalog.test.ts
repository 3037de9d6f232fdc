import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { setImmediate } from "node:timers/promises";
import { afterEach, beforeEach, expect, test } from "vitest";
import { openState } from "../../../../../service/state/sqlite";

let directory = "";
beforeEach(() => (directory = mkdtempSync(join(tmpdir(), "catalog-"))));
afterEach(() => rmSync(directory, { recursive: true }));

test("published: the last publication to each of very many folders, read in steps", async () => {
  const file = join(directory, "state.sqlite");
  const state = openState(file);
  const database = new DatabaseSync(file);
  const insert = database.prepare(
    "INSERT INTO published (query_id, type, bucket, folder, format) VALUES (?, 'select', 'out', ?, ?)",
  );
  const count = 2500;
  database.exec("BEGIN");
  for (let index = 0; index < 2 * count; index += 1)
    insert.run(index + 1, `t/k=${index % count}/`, index < count ? "csv" : "tsv");
  database.exec("COMMIT");
  database.close();

  let turns = 0;
  const done = new AbortController();
  const counting = (async () => {
    for (; !done.signal.aborted; turns += 1) await setImmediate();
  })();
  const found = await state.catalog.listPublished({ bucket: "out", key: "t/" });
  done.abort();
  await counting;
  const folders = Array.from({ length: count }, (_, index) => `t/k=${index}/`).toSorted();
  expect(found.map(({ folder }) => folder.key)).toEqual(folders);
  expect(new Set(found.map(({ format }) => format))).toEqual(new Set(["tsv"]));
  expect(turns).toBeGreaterThanOrEqual(2);
  await state.close();
});
