import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { sampleRows } from "../../../../../../service/engines/duckdb/tables/sample";

test("sampleRows: numbers of JSON have all their digits", async () => {
  const folder = mkdtempSync(join(tmpdir(), "sample-rows-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const path = join(folder, "a.json");
  const cells = [
    "12345678901234567890",
    "9007199254740993",
    "100000000000000000000000",
    '{"x":9007199254740993,"r":1.50}',
  ];
  const row = `{"a":${cells[0]},"b":${cells[1]},"c":${cells[2]},"d":${cells[3]},"e":"1.0"}\n`;
  writeFileSync(path, row);
  const source = { location: { bucket: "d", key: "t/" }, format: "json" as const };
  const files = [{ path, location: "dag://d/t/a.json", size: row.length }];
  const { rows } = await sampleRows(source as never, files, 10);
  expect(rows).toEqual([[...cells, "1.0"]]);
});

test("sampleRows: the value of a partition hides the column of the data that has its name", async () => {
  const folder = mkdtempSync(join(tmpdir(), "sample-rows-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const path = join(folder, "a.csv");
  writeFileSync(path, "k,v\n9,2\n8,3\n");
  const source = { location: { bucket: "d", key: "t/" }, format: "csv" as const };
  const files = [{ path, location: "dag://d/t/k=1/a.csv", name: "k=1/a.csv", size: 12 }];
  expect(await sampleRows(source as never, files, 10)).toEqual({
    columns: [expect.objectContaining({ name: "v", type: "bigint" }), { name: "k", type: "string" }],
    rows: [
      ["2", "1"],
      ["3", "1"],
    ],
    isTruncated: false,
  });
});
