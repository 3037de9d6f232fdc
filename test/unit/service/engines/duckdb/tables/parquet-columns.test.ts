import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type DuckDBConnection, DuckDBInstance } from "@duckdb/node-api";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { ParquetColumns } from "../../../../../../service/engines/duckdb/tables/parquet/schema";

let directory: string;
let connection: DuckDBConnection;
beforeEach(async () => {
  directory = mkdtempSync(join(tmpdir(), "parquet-columns-"));
  connection = await (await DuckDBInstance.create(":memory:")).connect();
});
afterEach(() => {
  connection.closeSync();
  rmSync(directory, { recursive: true });
});

async function fileOf(name: string, sql: string, partition = 0) {
  const path = join(directory, name);
  await connection.run(`COPY (${sql}) TO '${path}' (FORMAT parquet)`);
  return { path, location: path, size: statSync(path).size, partition };
}

const { signal } = new AbortController();
const namesOf = (groups: Awaited<ReturnType<ParquetColumns["groupsOf"]>>) =>
  groups.map(({ files, columns }) => [files.map(({ partition }) => partition), columns.map(({ name }) => name)]);

test("groupsOf: reads the footers of the same files once", async () => {
  const files = [
    await fileOf("a", "SELECT 1 AS x, DATE '2026-01-01' AS d", 1),
    await fileOf("b", "SELECT 1 AS y", 2),
    await fileOf("c", "SELECT 2 AS x, DATE '2026-01-02' AS d", 3),
  ];
  const columns = new ParquetColumns();
  const expected = [
    [
      [1, 3],
      ["x", "d"],
    ],
    [[2], ["y"]],
  ];
  expect(namesOf(await columns.groupsOf(connection, files, signal))).toEqual(expected);
  const calls = [vi.spyOn(connection, "run"), vi.spyOn(connection, "prepare")];
  const again = await columns.groupsOf(connection, files, signal);
  expect(namesOf(again)).toEqual(expected);
  expect(again[0]!.columns.map(({ isInRange }) => isInRange)).toEqual([false, true]);
  for (const call of calls) expect(call).not.toHaveBeenCalled();
});

test("groupsOf: gives the files of this time, and not those of the time before", async () => {
  const file = await fileOf("a", "SELECT 1 AS x", 1);
  const columns = new ParquetColumns();
  await columns.groupsOf(connection, [file], signal);
  const [group] = await columns.groupsOf(connection, [{ ...file, partition: 7 }], signal);
  expect(group!.files).toEqual([{ ...file, partition: 7 }]);
});

test("groupsOf: reads a file again that has changed", async () => {
  const columns = new ParquetColumns();
  await columns.groupsOf(connection, [await fileOf("a", "SELECT 1 AS x")], signal);
  const changed = await fileOf("a", "SELECT 1 AS other, 'text' AS y");
  expect(namesOf(await columns.groupsOf(connection, [changed], signal))).toEqual([[[0], ["other", "y"]]]);
});

test("groupsOf: tells columns with nanoseconds that are adjusted to UTC, of which DuckDB cuts digits off", async () => {
  const file = await fileOf(
    "a",
    "SELECT TIMESTAMP_NS '2026-01-31 10:00:00.123456789' AS t, TIMESTAMP '2026-01-31' AS u",
  );
  const [plain] = await new ParquetColumns().groupsOf(connection, [file], signal);
  expect(plain!.cutOff).toEqual([]);
  // DuckDB writes no such column. In the footer, the type begins with isAdjustedToUTC, false (0x12), and nanoseconds.
  const bytes = readFileSync(file.path);
  bytes[bytes.indexOf(Buffer.from([0x12, 0x1c, 0x3c, 0x00]))] = 0x11;
  const path = join(directory, "b");
  writeFileSync(path, bytes);
  const [adjusted] = await new ParquetColumns().groupsOf(connection, [{ ...file, path }], signal);
  expect(adjusted!.cutOff).toEqual(["t"]);
});
