import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DuckDBInstance } from "@duckdb/node-api";
import { expect, test } from "vitest";
import { castFromText, register, setupSql } from "../../../../../hiveql/index";
import { EngineError } from "../../../../../service/engines/duckdb/engine-errors";
import type { SelectContext } from "../../../../../service/engines/duckdb/run-select";
import { sampleTable } from "../../../../../service/engines/duckdb/sample-table";
import { Tables } from "../../../../../service/engines/duckdb/tables";

test("sampleTable: a file that is not UTF-8 is told in our own words, without DuckDB's text", async () => {
  const folder = mkdtempSync(join(tmpdir(), "sample-table-"));
  const path = join(folder, "a.csv");
  writeFileSync(path, Buffer.from([0x31, 0x2c, 0xff, 0xfe, 0x0a, 0x32, 0x2c, 0x78, 0x0a]));
  const connection = await (await DuckDBInstance.create(":memory:")).connect();
  register(connection);
  for (const statement of setupSql) await connection.run(statement);
  const table = { database: "d", table: "t", format: "csv" as const, checked: false };
  const files = [{ path, location: "dag://d/t/a.csv", size: 9 }];
  const context = {
    settings: { memoryBytes: 1e9 },
    database: { forSelects: connection },
    tables: new Tables({ cast: castFromText }),
    files: {
      tables: () => Promise.resolve([{ ...table, files }]),
      firstRows: (found: unknown) => Promise.resolve({ table: found, isCut: false }),
    },
    log: { warn: () => undefined },
  } as unknown as SelectContext;
  try {
    const sample = sampleTable(context, { table, limit: 10 } as never, new AbortController().signal);
    await expect(sample).rejects.toThrow(EngineError);
    await expect(sample).rejects.toThrow("has a row that cannot be read: its text must be UTF-8");
    await expect(sample).rejects.not.toThrow(/CSV Error|delimiter|invalid unicode/i);
  } finally {
    connection.closeSync();
    rmSync(folder, { recursive: true });
  }
});
