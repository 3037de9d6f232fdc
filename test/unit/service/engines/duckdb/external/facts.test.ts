/** How many objects are looked at together, and which folders Spark reads as we do. */
import { expect, test } from "vitest";
import { inBatches, requireSparkLayout } from "../../../../../../service/engines/duckdb/external/facts";
import type { EngineTable } from "../../../../../../service/engines/duckdb/files";
import { partitionsOf } from "../../../../../../service/engines/duckdb/tables/partitions/index";
import type { ResolvedFile } from "../../../../../../service/engines/duckdb/tables/resolve";

const megabyte = 1024 * 1024;
const file = (size: number, index: number) =>
  ({ path: `/data/t/${index}`, location: `dag://data/t/${index}`, size }) as ResolvedFile;

/** Returns how many files were read at once, and the bytes of those that were read together with others. */
async function readTogether(sizes: readonly number[]) {
  const most = { files: 0, bytesOfSeveral: 0 };
  const open = new Set<ResolvedFile>();
  const read = async (each: ResolvedFile) => {
    open.add(each);
    const bytes = [...open].reduce((sum, { size }) => sum + size, 0);
    most.files = Math.max(most.files, open.size);
    if (open.size > 1) most.bytesOfSeveral = Math.max(most.bytesOfSeveral, bytes);
    await new Promise(setImmediate);
    open.delete(each);
    return each.path;
  };
  const files = sizes.map(file);
  expect(await inBatches(files, read)).toEqual(files.map(({ path }) => path));
  return most;
}

test("look at objects: reads four small ones at once", async () => {
  expect((await readTogether(Array.from({ length: 9 }, () => megabyte))).files).toBe(4);
});

test("look at objects: reads large ones one after another", async () => {
  expect((await readTogether(Array.from({ length: 5 }, () => 125 * megabyte))).files).toBe(1);
});

test("look at objects: reads at most 16 MiB of several at once", async () => {
  const most = await readTogether([1, 9, 7, 8, 2, 300, 1, 1, 1, 1, 1].map((size) => size * megabyte));
  expect(most.files).toBeGreaterThan(1);
  expect(most.bytesOfSeveral).toBeLessThanOrEqual(16 * megabyte);
});

test("look at objects: reads none of none", async () => {
  expect(await inBatches([], () => Promise.reject(new Error("not called")))).toEqual([]);
});

/** A partitioned table with one object. */
function cities(name: string) {
  const files = [{ path: `/t/${name}`, location: `dag://d/t/${name}`, name, size: 1 }];
  const [columns, partitions] = [[{ name: "n", type: "int" }], [{ name: "city", type: "string" }]];
  const table = { database: "d", table: "t", format: "csv", checked: false, files, columns, partitions };
  return partitionsOf(table as EngineTable);
}

test.each(["city=Bern/a.csv", "city=a%3Ab/a.csv", "city=Zürich/a.csv"])("requireSparkLayout: takes %s", (name) => {
  expect(() => requireSparkLayout(cities(name))).not.toThrow();
});

test.each([
  ["city=Z%C3%BCrich/a.csv", "percent-encoded letters"],
  ["city=Bern/more/a.csv", "does not lie in city=…/ directly"],
])("requireSparkLayout: refuses %s", (name, refusal) => {
  expect(() => requireSparkLayout(cities(name))).toThrow(refusal);
});
