import { Readable } from "node:stream";
import fc from "fast-check";
import { parse } from "csv-parse/sync";
import { describe, expect, test } from "vitest";
import { PartialCreate } from "../../../../../provider/lifecycles";
import { expectationProblems, requireExpected } from "../../../../../provider/lifecycles/freshness/expectation";
import { resultColumns } from "../../../../../provider/lifecycles/freshness/result-columns";
import { countRows } from "../../../../../provider/lifecycles/freshness/row-count";
import { testContext } from "../context";
import { MemoryStorage } from "../memory-storage";

const folder = "dag://out/a/";
const all = Number.MAX_SAFE_INTEGER;
const storageOf = (...texts: string[]) =>
  new MemoryStorage(Object.fromEntries(texts.map((text, index) => [`${folder}00000${index}_0`, text])));

describe("countRows", () => {
  test.each([
    ["csv", ["a,1\nb,2\n", "c,3"], 3],
    ["csv", ['"a\nb",1\n"say ""hi""\n",2\n'], 2],
    ["csv", ['5" pipe,1\nx,2\n'], 2],
    ["csv", [""], 0],
    ["csv", ["a,1\rb,2\r", "c,3\r\n\r\nd,4"], 5],
    ["csv", ['a, "b\n",1\n"c\r",2\r'], 2],
    ["tsv", ["a\\nb\t1\nc\t2\n"], 2],
    ["tsv", ['"a\t1\r"b\t2\r\n'], 2],
    ["json", ['{"a":1}\n\n  \n{"a":2}'], 2],
  ] as const)("%s: %j", async (format, texts, expected) => {
    expect(await countRows(storageOf(...texts), folder, format, all)).toBe(expected);
  });

  test("csv: counts as a CSV parser does, however the bytes are cut", async () => {
    const cell = fc.stringMatching(/^[ab",\n ]{0,6}$/);
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.array(cell, { minLength: 2, maxLength: 3 }), { maxLength: 8 }),
        fc.integer({ min: 1, max: 5 }),
        async (rows, step) => {
          const text = rows.map((row) => `${row.map((one) => `"${one.replaceAll('"', '""')}"`).join(",")}\n`).join("");
          const storage = storageOf(text);
          storage.read = () => Promise.resolve(Readable.from(chunks(text, step)));
          const parsed = parse(text, { relax_column_count: true }) as unknown[];
          expect(await countRows(storage, folder, "csv", all)).toBe(parsed.length);
        },
      ),
    );
  });

  test("leaves out a header of more than 64 KiB", async () => {
    const header = `a,${"x".repeat(100_000)}`;
    const storage = storageOf(`${header}\n1,2\n`, `${header}\r\n3,4\r\n`);
    expect(await countRows(storage, folder, "csv", all, (line) => line === header)).toBe(2);
  });

  test("stops reading when there are more rows than the limit", async () => {
    let read = 0;
    const storage = storageOf("x");
    storage.read = () =>
      Promise.resolve(
        Readable.from(
          (function* endless() {
            for (;;) {
              read += 1;
              yield Buffer.from("a\n".repeat(1_000));
            }
          })(),
        ),
      );
    expect(await countRows(storage, folder, "csv", 10)).toBeGreaterThan(10);
    expect(read).toBeLessThan(100);
  });
});

function chunks(text: string, step: number): Buffer[] {
  const bytes = Buffer.from(text);
  return Array.from({ length: Math.ceil(bytes.length / step) }, (_, index) =>
    bytes.subarray(index * step, (index + 1) * step),
  );
}

describe("resultColumns", () => {
  const tables: Readonly<Record<string, readonly string[]>> = { "db.t": ["x", "y"] };
  const columns = (statement: string) =>
    resultColumns(statement, ({ database, table }) => tables[`${database}.${table}`]);

  test.each([
    ["SELECT a, b + 1, count(*) AS n, t.c FROM t", ["a", "_c1", "n", "c"]],
    ["SELECT * FROM db.t", ["x", "y"]],
    ["SELECT u.*, 1 AS one FROM db.t u JOIN other o ON u.x = o.x", ["x", "y", "one"]],
    ["SELECT * FROM other", undefined],
    ["WITH c AS (SELECT 1 AS p) SELECT * FROM c", ["p"]],
    ["SELECT * FROM (SELECT y FROM db.t) s UNION ALL SELECT 1", ["y"]],
    ["SELECT explode(xs) FROM db.t", undefined],
    ["SELECT a, e FROM db.t LATERAL VIEW explode(xs) v AS e", ["a", "e"]],
  ])("%s", (statement, expected) => {
    expect(columns(statement)).toEqual(expected);
  });
});

describe("expectations", () => {
  const result = {
    queryId: 7,
    folder,
    format: "csv",
    columns: ["bird", "n"],
    columnsRemedy: "name the columns",
    mayHaveHeader: false,
  } as const;
  const storage = storageOf("owl,1\nwren,2\n", "kite,\\N\n");
  const failure = async (expect_: object, part: Partial<typeof result> | object = {}, secret = false) => {
    const context = testContext({ storage, secret });
    const error = await requireExpected(expect_, { ...result, ...part }, { status: "finished" }, context).catch(
      (thrown: unknown) => thrown,
    );
    return error instanceof PartialCreate ? error : undefined;
  };

  test.each([
    { rows: { min: 3 } },
    { rows: { max: 3 } },
    { rows: { min: 3, max: 3 }, columns: ["Bird", "N"] },
    { rows: {} },
    {},
  ])("met: %j", async (expectation) => {
    expect(await failure(expectation)).toBeUndefined();
  });

  test("a header with commas in its names is no row", async () => {
    const context = testContext({ storage: storageOf('"bird, kind" , n\nowl,1\n') });
    const table = { ...result, columns: ["bird, kind", "n"], mayHaveHeader: true };
    await requireExpected({ rows: { min: 1, max: 1 } }, table, {}, context);
  });

  test.each([
    [{ rows: { max: 0 } }, "expected at most 0 rows, found more than 0"],
    [{ rows: { max: 1 } }, "expected at most 1 row, found more than 1"],
    [{ rows: { min: 4 } }, "expected at least 4 rows, found 3"],
    [{ columns: ["bird"] }, "expected the columns bird, found bird, n"],
    [{ rows: { max: 2 }, columns: ["n"] }, "found more than 2; expected the columns n, found bird, n"],
  ])("not met: %j", async (expectation, said) => {
    const error = await failure(expectation);
    expect(error?.message).toContain(said);
    expect(error?.message).toContain("  owl | 1\n  wren | 2\n  kite | NULL\n");
    expect(error?.message).toContain(`The result is kept in ${folder}`);
    expect(error?.state).toMatchObject({
      status: "finished",
      unmetExpectation: expect.stringContaining(said) as string,
    });
  });

  test("a secret result is not shown", async () => {
    expect((await failure({ rows: { max: 0 } }, {}, true))?.message).not.toMatch(/owl|dag:/);
  });

  test("a header of column names is not a row", async () => {
    const header = { folder: "dag://out/h/", mayHaveHeader: true };
    storage.put("dag://out/h/000000_0", "Bird,n\nowl,1\n");
    expect(await failure({ rows: { min: 1, max: 1 } }, header)).toBeUndefined();
    expect((await failure({ rows: { min: 2 } }, header))?.message).toContain("found 1");
  });

  test("columns without names are an error that says how to name them", async () => {
    const error = await failure({ columns: ["bird", "n"] }, { columns: undefined });
    expect(error?.message).toContain("found 2 without names: name the columns");
  });

  test("a result that cannot be read is checked again by the next update", async () => {
    const broken = storageOf("a\n");
    broken.broken = true;
    const context = testContext({ storage: broken });
    const check = requireExpected({ rows: { min: 1 } }, result, { status: "finished" }, context);
    await expect(check).rejects.toMatchObject({ state: { status: "running" } });
  });

  test("a minimum above the maximum, and a missing storage, are problems of the input", () => {
    expect(expectationProblems({ rows: { min: 2, max: 1 } }, { storage: true, secret: false })).toHaveLength(1);
    expect(expectationProblems({ rows: { min: 1 } }, { storage: false, secret: false })).toHaveLength(1);
    expect(expectationProblems({ rows: { min: 1 } }, { storage: true, secret: false })).toEqual([]);
  });
});
