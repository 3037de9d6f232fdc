/** What every engine does, whatever runs its selects. Each adapter's tests run it. */
import { expect, test } from "vitest";
import type { Engine, TableDefinition } from "../../../service/core/ports/engine";
import { columns, type Machine, Recorder, submission } from "./harness";

/** The engine of a test file; set before its tests run. */
interface TestedEngine {
  readonly machine: Machine;
  readonly engine: Engine;
}

/** What an engine cannot do where it is tested; the test fails when it can. */
interface Gaps {
  readonly emptyResults?: boolean;
}

/** Declares the tests of an engine. @param tested is read when a test runs */
export function engineSuite(tested: TestedEngine, gaps: Gaps = {}): void {
  const { machine } = tested;
  const run = (statement: string, tables: readonly TableDefinition[]) => machine.run(tested.engine, statement, tables);

  test.each([
    ["csv", '1,"a,b","q""x"\n2,\\N,"l1\nl2"\n3,,c\\d\te\n4,"#",漢😀\n'],
    ["tsv", '1\ta,b\tq"x\n2\t\\N\tl1\\nl2\n3\t\tc\\\\d\\te\n4\t#\t漢😀\n'],
  ] as const)("select: writes %s with its quotes and escapes", async (outputFormat, expected) => {
    const rows = '1\ta,b\tq"x\n2\t\\N\tl1\\nl2\n3\t\tc\\\\d\\te\n4\t#\t漢😀\n';
    const table = machine.tableOf([rows], { format: "tsv", columns: columns("id int, a string, b string") });
    const text = await machine.run(tested.engine, "SELECT id, a, b FROM t ORDER BY id", [table], { outputFormat });
    expect(text).toBe(expected);
  });

  test("a result without rows is one empty object", { fails: gaps.emptyResults === true }, async () => {
    const output = machine.output();
    await tested.engine.select(
      { queryId: 1, statement: "SELECT 1 WHERE false", tables: [], outputFormat: "csv", output },
      new Recorder(),
    );
    expect(machine.objects(output)).toEqual({ "000000_0": "" });
  });

  test("columns with the same name are all kept", async () => {
    expect(await run("SELECT 1 AS a, 2 AS a", [])).toBe("1,2\n");
  });

  test("tablesRead: returns and validates table and database names", async () => {
    const statement = "WITH c AS (SELECT * FROM x) SELECT * FROM c JOIN `my-db`.y ON c.a = y.a JOIN X ON true";
    expect(await tested.engine.tablesRead(statement, submission)).toEqual([
      { database: "default", table: "x" },
      { database: "my-db", table: "y" },
    ]);
    await expect(tested.engine.tablesRead("SELECT * FROM `A_b`.t", submission)).rejects.toMatchObject({
      code: "InvalidDatabaseName",
      field: "query",
    });
    await expect(tested.engine.tablesRead("SELECT * FROM `a-b`", submission)).rejects.toMatchObject({
      code: "InvalidTableName",
      field: "query",
    });
  });

  test.each([
    "SELEC 1",
    "SELECT 1; SELECT 2",
    "INSERT INTO t SELECT 1",
    "DROP TABLE t",
    "SET threads=1",
    "LOAD DATA INPATH '/etc/passwd' INTO TABLE t",
    "SHOW TABLES",
    "",
  ])("tablesRead: refuses %j as InvalidDMLStatement with line and column", async (statement) => {
    await expect(tested.engine.tablesRead(statement, submission)).rejects.toMatchObject({
      code: "InvalidDMLStatement",
      message: expect.stringMatching(/^query \d+:\d+ /),
    });
  });

  test.each([
    "SELECT nothing FROM t",
    "SELECT read_text('/etc/passwd') FROM t",
    "SELECT * FROM read_csv('/etc/passwd')",
    "SELECT getvariable('x') FROM t",
    "SELECT current_setting('temp_directory') FROM t",
    "SELECT reflect('java.lang.System', 'getenv') FROM t",
    "SELECT java_method('java.lang.Math', 'max', 1, 2) FROM t",
    "SELECT in_file('x', '/etc/passwd') FROM t",
    "SELECT TRANSFORM (n) USING '/bin/cat' AS (x) FROM t",
    "SELECT * FROM `/etc/passwd`",
    "SELECT * FROM t, `duckdb_settings()`",
    "SELECT n FROM t WHERE n IN (SELECT a FROM missing)",
  ])("checkSelect and select: refuse %j", async (statement) => {
    const definition = machine.tableOf(["1\n"], { columns: columns("n int") });
    const refusal = { code: "InvalidDMLStatement" };
    await expect(tested.engine.checkSelect({ statement, tables: [definition] }, submission)).rejects.toMatchObject(
      refusal,
    );
    await expect(run(statement, [definition])).rejects.toMatchObject(refusal);
  });

  test("checkSelect: accepts what select runs, also with what the check has read", async () => {
    const checked = { statement: "SELECT n FROM t", tables: [machine.tableOf(["1\n"], { columns: columns("n int") })] };
    const read = await tested.engine.checkSelect(checked, submission);
    const output = machine.output();
    await tested.engine.select({ ...checked, queryId: 7, read, outputFormat: "csv", output }, new Recorder());
    expect(machine.objects(output)).toEqual({ "000000_0": "1\n" });
  });

  test("split: cuts between rows", async () => {
    const input = machine.put("default", "in.csv", "1,a\n2,b\n");
    const output = machine.output();
    const job = { queryId: 8, inputs: [input], format: "csv", output, objectBytes: 4 } as const;
    await tested.engine.split(job, new Recorder());
    expect(machine.objects(output)).toEqual({ "000000_0": "1,a\n", "000001_0": "2,b\n" });
  });

  test("select: an abort ends a statement of many days with the signal's reason, and the engine goes on", async () => {
    const table = machine.tableOf(["1\n".repeat(3000)], { columns: columns("n int") });
    const abort = new AbortController();
    const context = new Recorder(abort.signal);
    const slow =
      "SELECT count(*) FROM t a CROSS JOIN t b CROSS JOIN t c CROSS JOIN t d WHERE a.n * b.n + c.n * d.n > 0.5";
    const running = machine.run(tested.engine, slow, [table], { context });
    running.catch(() => undefined);
    await expect.poll(() => context.jobIds, { timeout: 60_000 }).toHaveLength(1);
    abort.abort(new Error("cancelled by the test"));
    await expect(running).rejects.toThrow();
    const small = machine.tableOf(["1\n"], { columns: columns("n int") });
    expect(await run("SELECT sum(n) FROM t", [small])).toBe("1\n");
  });
}
