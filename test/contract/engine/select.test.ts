import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Engine, TableDefinition } from "../../../service/core/ports/engine";
import { columns, Machine, Recorder } from "./harness";
import { engineSuite } from "./suite";

const machine = new Machine();
let engine: Engine;
beforeAll(async () => void (engine = await machine.start()));
afterAll(() => machine[Symbol.asyncDispose]());

const run = (statement: string, tables: readonly TableDefinition[]) => machine.run(engine, statement, tables);

describe("every engine", () => {
  engineSuite({
    machine,
    get engine() {
      return engine;
    },
  });
});

describe("results", () => {
  const letters = columns("a string, b string");

  test("csv: cells are quoted only where they must be; NULL is \\N; no header", async () => {
    const definition = machine.tableOf(['"a,b","c""d"\n"e\nf",\n\\N, x \n'], { columns: letters });
    expect(await run("SELECT a, b FROM t", [definition])).toBe('"a,b","c""d"\n"e\nf",\n\\N, x \n');
  });

  test("csv: an empty cell is quoted in a result with one column, so that its row is not a blank line", async () => {
    const content = ["", "a", "x,y", 'q"', "l\nm", "\\N", "\r", null].map((a) => `${JSON.stringify({ a })}\n`).join("");
    const definition = machine.tableOf([content], { format: "json", columns: columns("a string") });
    expect(await run("SELECT a FROM t", [definition])).toBe('""\na\n"x,y"\n"q"""\n"l\nm"\n"\\N"\n"\r"\n\\N\n');
  });

  test("tsv: tab, newline, carriage return and backslash are escaped; NULL is \\N", async () => {
    const definition = machine.tableOf(['"a\tb","c\nd"\ne\\f,"\r"\n\\N,"g""h"\n'], { columns: letters });
    const text = await machine.run(engine, "SELECT a, b FROM t", [definition], { outputFormat: "tsv" });
    expect(text).toBe('a\\tb\tc\\nd\ne\\\\f\t\\r\n\\N\tg"h\n');
  });

  test.each(["LEFT SEMI", "FULL OUTER"])("%s JOIN: answers in a correlated subquery", async (join) => {
    const definition = machine.tableOf(["a,b\nc,d\n"], { columns: letters });
    const statement = `SELECT a FROM t WHERE EXISTS (SELECT 1 FROM t x ${join} JOIN t y ON x.a = y.a WHERE x.a = t.a) ORDER BY a`;
    expect(await run(statement, [definition])).toBe("a\nc\n");
  });

  test("a large result is cut into several objects of limited size in order", async () => {
    await using other = new Machine();
    const small = await other.start({}, { resultObjectBytes: 1_000_000 });
    const rows = Array.from({ length: 300_000 }, (_, index) => `${(index * 7919) % 300_000}\n`).join("");
    const numbers = other.table("t", rows, { columns: columns("n int") });
    const output = other.output();
    const job = {
      queryId: 1,
      statement: "SELECT n, 'a \\'\\n\\' b' FROM t ORDER BY n",
      tables: [numbers],
      outputFormat: "csv",
      output,
    } as const;
    const context = new Recorder();
    await small.select(job, context);
    const objects = other.objects(output);
    const names = Object.keys(objects);
    expect(names.length).toBeGreaterThan(4);
    expect(names).toEqual(names.map((_, index) => `${String(index).padStart(6, "0")}_0`));
    for (const text of Object.values(objects)) {
      expect(text.length).toBeLessThanOrEqual(1_000_000);
      expect(text).toMatch(/^\d+,"a '\n' b"\n/);
    }
    const all = Object.values(objects).join("");
    expect(all).toBe(Array.from({ length: 300_000 }, (_, index) => `${index},"a '\n' b"\n`).join(""));
    expect(context.lines).toContain(`stored ${all.length} bytes in ${names.length} objects`);
  });

  test.each(["csv", "tsv"] as const)("%s: a result that is read as a table has the same rows", async (outputFormat) => {
    const cell = fc.oneof(
      { weight: 1, arbitrary: fc.constant(null) },
      {
        weight: 3,
        arbitrary: fc.constantFrom(
          "",
          "a",
          '"',
          ",",
          "\t",
          "\n",
          "\\",
          "\\n",
          "\\\\",
          " ",
          "é",
          "\\t",
          '"x"',
          "\r",
          "N",
          "1",
        ),
      },
      {
        weight: 3,
        arbitrary: fc.string({
          unit: fc.constantFrom('"', ",", "\t", "\n", "\\", "a", " ", "n", "t", "\r", "ü"),
          maxLength: 8,
        }),
      },
    );
    const rows = fc.array(fc.tuple(cell, cell), { minLength: 1, maxLength: 8 });
    await fc.assert(
      fc.asyncProperty(rows, async (cells) => {
        const content = cells.map(([a, b]) => `${JSON.stringify({ a, b })}\n`).join("");
        const source = machine.tableOf([content], { format: "json", columns: letters });
        const output = machine.output();
        const statement = "SELECT a, b FROM t";
        await engine.select({ queryId: 1, statement, tables: [source], outputFormat, output }, new Recorder());
        const again: TableDefinition = { ...source, location: output, format: outputFormat, columns: letters };
        const hex = "SELECT coalesce(hex(a), 'NULL'), coalesce(hex(b), 'NULL') FROM t";
        const expected = cells.map((row) =>
          row.map((value) => (value === null ? "NULL" : Buffer.from(value).toString("hex").toUpperCase())),
        );
        expect((await run(hex, [again])).trimEnd().split("\n")).toEqual(expected.map((row) => row.join(",")));
      }),
      { numRuns: 25 },
    );
  });
});

describe("results of one column", () => {
  test.each(["csv", "tsv"] as const)("%s: a result that is read as a table has the same rows", async (outputFormat) => {
    const list = columns("a string");
    const cells = ["", "a", "", null, "\\n", "x,y", '"', " ", "\n", ""];
    const content = cells.map((a) => `${JSON.stringify({ a })}\n`).join("");
    const output = machine.output();
    const source = machine.tableOf([content], { format: "json", columns: list });
    const statement = "SELECT a FROM t";
    await engine.select({ queryId: 1, statement, tables: [source], outputFormat, output }, new Recorder());
    const rows = "SELECT coalesce(hex(a), 'NULL') AS h FROM t ORDER BY h";
    const again: TableDefinition = { ...source, location: output, format: outputFormat };
    expect(await run(rows, [again])).toBe(await run(rows, [source]));
  });
});

describe("running", () => {
  test("select: reports its stages in order, increasing progress, a job ID and the written rows", async () => {
    const context = new Recorder();
    const definition = machine.tableOf(["1\n2\n"], { columns: columns("n int") });
    await machine.run(engine, "SELECT n FROM t", [definition], { context });
    const stages = context.steps.map(({ stage }) => stage);
    const percents = context.steps.map(({ percent }) => percent);
    expect([...new Set(stages)]).toEqual([1, 2, 3]);
    expect(stages).toEqual(stages.toSorted());
    expect(percents).toEqual(percents.toSorted((a, b) => a - b));
    expect(percents.at(-1)).toBe(100);
    expect(context.jobIds).toEqual([expect.stringMatching(/^select-\d+$/)]);
    expect(context.lines).toContain("wrote 2 rows");
  });

  test("select: a condition across LATERAL VIEW holds, and the query's log names it, because Hive 4.0.1 drops it", async () => {
    const context = new Recorder();
    const definition = machine.tableOf(["1\n2\n"], { columns: columns("n int") });
    const statement = "SELECT n FROM t LATERAL VIEW explode(array(1, 2)) v AS x WHERE x > n";
    expect(await machine.run(engine, statement, [definition], { context })).toBe("1\n");
    expect(context.lines).toContainEqual(
      expect.stringMatching(/^warning: 1:\d+ this condition of WHERE holds; Hive 4\.0\.1 drops/),
    );
  });

  test("select: many concurrent statements on one engine, each with its own tables", async () => {
    const results = await Promise.all(
      Array.from({ length: 20 }, async (_, index) => {
        const definition = machine.tableOf([`${index}\n`.repeat(1000)], { columns: columns("n int") });
        return run("SELECT sum(n) FROM t", [definition]);
      }),
    );
    expect(results).toEqual(results.map((_, index) => `${index * 1000}\n`));
  });

  test("select: works when the buckets are accessed through a symbolic link", async () => {
    await using other = new Machine({ linked: true });
    const linked = await other.start();
    const definition = other.table("t", "1\n2\n", { columns: columns("n int") });
    expect(await other.run(linked, "SELECT sum(n) FROM t", [definition])).toBe("3\n");
  });

  test.each<[string, string, Partial<TableDefinition>, string, RegExp]>([
    [
      "text that is not UTF-8",
      "\xff\xfe,1\n",
      {},
      "SELECT * FROM t",
      /^dag:\S+part-0 has a row that cannot be read: its text must be UTF-8$/,
    ],
    [
      "json that is not UTF-8",
      '{"n":"größe"}\n',
      { format: "json" },
      "SELECT n FROM t",
      /^dag:\S+part-0 has a row that cannot be read: its text must be UTF-8$/,
    ],
    [
      "UTF-16 with a byte order mark",
      '\xff\xfe{\0"\0n\0"\0:\x001\0}\0\n\0',
      { format: "json" },
      "SELECT n FROM t",
      /^dag:\S+part-0 is UTF-16, and its text must be UTF-8: write it again as UTF-8$/,
    ],
    [
      "a line that is no JSON",
      '{"n":1}\nno\n',
      { format: "json" },
      "SELECT n FROM t",
      /^dag:\S+part-0 has a line that is not a JSON object \(write one object a line, without a list around them\), has half a surrogate pair such as \\ud800, or is longer than 16 MiB$/,
    ],
    [
      "an array of all rows",
      '[{"n":1},{"n":2}]\n',
      { format: "json" },
      "SELECT count(*) FROM t",
      /^dag:\S+part-0 has a line that is not a JSON object: write one object a line$/,
    ],
    [
      "a subquery with two rows",
      "1,a\n2,b\n",
      {},
      "SELECT (SELECT n FROM t)",
      /^the subquery at 1:8 returns more than one row: aggregate its column, or add LIMIT 1$/,
    ],
    ["a failed assertion", "1,a\n", {}, "SELECT assert_true(n > 1) FROM t", /^ASSERT_TRUE\(\): assertion failed\.$/],
    [
      "a sum of more than 38 digits",
      "1,a\n2,b\n",
      {},
      `SELECT sum(cast('${"9".repeat(38)}' AS decimal(38,0))) FROM t`,
      /^a number, date or text is too large for the type in which it is computed/,
    ],
  ])("select: says in our own words why it fails: %s", async (_, content, options, statement, reason) => {
    const declared = { columns: columns("n int, s string"), ...options };
    const definition = machine.tableOf([Buffer.from(content, "latin1")], declared);
    await expect(run(statement, [definition])).rejects.toThrow(reason);
  });
});
