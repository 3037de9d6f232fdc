import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { sparkTextFacts } from "../../../../../../service/engines/duckdb/external/spark-text";
import type { ResolvedFile, ResolvedTable } from "../../../../../../service/engines/duckdb/tables/resolve";

const directory = mkdtempSync(join(tmpdir(), "spark-text-"));
afterAll(() => rmSync(directory, { recursive: true }));

test("sparkTextFacts: a header of more than 64 KiB is refused with the location of its object", async () => {
  const path = join(directory, "a.csv");
  writeFileSync(path, `${"a".repeat(70_000)}\n1\n`);
  const file: Partial<ResolvedFile> = { path, location: "dag://data/t/a.csv", gzip: false, header: true };
  const table = { format: "csv", files: [file] } as unknown as ResolvedTable;
  const scan = { isScanned: false, columnCount: 1, chunks: () => expect.fail("it is not scanned") };
  await expect(sparkTextFacts(table, scan)).rejects.toThrow(
    "dag://data/t/a.csv has a header of more than 64 KiB: shorten it",
  );
});
