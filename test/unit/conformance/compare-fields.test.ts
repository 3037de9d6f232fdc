import { describe, expect, test } from "vitest";
import type { Answer } from "../../conformance/hive/engine.mts";
import { dirtyTable } from "../../conformance/hive/dirty-table.mts";
import { compareFields } from "../../conformance/hive/compare-fields.mts";
import type { Disagreement, RunContext, Tally } from "../../conformance/hive/compare-statements.mts";

describe("dirtyTable", () => {
  test("dirtyTable: the same seed gives the same texts, each once in every type, with short and long rows", () => {
    const table = dirtyTable(7, 100);
    expect(table.fields).toEqual(dirtyTable(7, 100).fields);
    expect(table.fields).not.toEqual(dirtyTable(8, 100).fields);
    const fields = table.fields ?? [];
    expect(new Set(fields.map((row) => row[1])).size).toBe(fields.length);
    const lengths = new Set(fields.map((row) => Math.sign(row.length - table.columns.length)));
    expect(lengths).toEqual(new Set([-1, 0, 1]));
    expect(fields.every((row) => row.slice(1).every((text) => text === row[1] || text === "more"))).toBe(true);
  });
});

describe("compareFields", () => {
  const table = {
    name: "dirty",
    columns: [
      { name: "id", type: "int", family: "integer" as const },
      { name: "c0", type: "double", family: "double" as const },
      { name: "c1", type: "binary", family: "binary" as const },
    ],
    rows: [],
    fields: [
      ["0", "1d", "x"],
      ["1", "?"],
    ],
  };

  test("compareFields: matches rows by id, compares each cell, and reports the text that is read differently", async () => {
    const asked: string[] = [];
    const engine = (rows: (string | null)[][]) => ({
      ask: async (statement: string): Promise<Answer> => {
        asked.push(statement);
        return { kind: "rows", rows };
      },
      close: async () => undefined,
      typeOf: () => undefined,
    });
    const tally: Tally = new Map();
    const found: Disagreement[] = [];
    const hive = engine([
      ["0", "1", "78"],
      ["1", null, null],
    ]);
    const embedded = engine([
      ["1", "0.0", null],
      ["0", "1.0", "78"],
    ]);
    const context: RunContext = {
      hive,
      embedded,
      sessions: 1,
      functions: [],
      seed: 1,
      tally,
      report: (each) => found.push(each),
    };
    await compareFields(context, table);
    expect(asked).toEqual(Array.from({ length: 2 }, () => "SELECT id, c0, hex(c1) FROM dirty"));
    expect(tally).toEqual(
      new Map([
        ["same", 5],
        ["different", 1],
      ]),
    );
    expect(found).toMatchObject([{ statement: '"?" in row 1 as double', hive: "null", embedded: '"0.0"' }]);
  });
});
