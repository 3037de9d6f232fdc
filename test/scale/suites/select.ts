/** What selects of a cluster on another server answer. */
import { gzipSync } from "node:zlib";
import { describe, expect, test } from "vitest";
import type { TableDefinition } from "../../../service/core/ports/engine";
import { columns, Recorder, submission } from "../../contract/engine/harness";
import { type DialectName, type Place, startRemote, useEngines } from "../harness";

/** Every character that a cell of a result quotes or escapes; Hive refuses U+0001 beside escapes. */
const special = (dialect: DialectName) =>
  [
    '1\ta,b\tq"x',
    "2\t\\N\tl1\\nl2",
    "3\t\tc\\\\d\\te",
    "4\t\\r\té漢😀",
    "5\t'single'\t;--",
    dialect === "hive" ? "6\t\\\\N\tx" : "6\t\\\\N\tx\u0001\\t\\\\\\n",
  ].join("\n");

/** Declares the tests, and returns the engines for those of one dialect. */
export function selectSuite(dialect: DialectName, place: Place = "files") {
  const engines = useEngines(dialect, place);
  const { machine } = engines;

  /** Runs a statement on both engines and expects the same bytes, which it returns. */
  async function same(statement: string, tables: readonly TableDefinition[], outputFormat: "csv" | "tsv" = "csv") {
    const expected = await machine.run(engines.embedded, statement, tables, { outputFormat });
    const answer = await machine.run(engines.remote, statement, tables, { outputFormat });
    expect(answer).toBe(expected);
    return answer;
  }

  describe("results, as the embedded engine writes them", () => {
    test.each(["csv", "tsv"] as const)("%s: quotes, separators, newlines, NULL and empty cells", async (format) => {
      const list = columns("id int, a string, b string");
      const table = machine.tableOf([`${special(dialect)}\n`], { format: "tsv", columns: list });
      const text = await same("SELECT id, a, b FROM t ORDER BY id", [table], format);
      expect(text).toContain(format === "csv" ? '1,"a,b","q""x"\n2,\\N,"l1\nl2"\n3,,' : "2\t\\N\tl1\\nl2\n");
    });

    test("csv: an empty cell of the only column is quoted", async () => {
      const table = machine.tableOf(["1\t\n2\t\\N\n3\tx\n"], { format: "tsv", columns: columns("id int, a string") });
      expect(await same("SELECT a FROM t ORDER BY id", [table])).toBe('""\n\\N\nx\n');
    });

    test("a result without rows is one empty object", async () => {
      const table = machine.tableOf(["1\n"], { columns: columns("n int") });
      expect(await same("SELECT n FROM t WHERE n > 5", [table])).toBe("");
      expect(await same("SELECT 1 WHERE false", [])).toBe("");
    });

    test("a result that exceeds the size of an object is cut between rows", async () => {
      const rows = Array.from({ length: 3000 }, (_, n) => `${n}\tl1\\nl2 ${n}\n`).join("");
      const table = machine.tableOf([rows], { format: "tsv", columns: columns("n int, a string") });
      const small = await startRemote(dialect, machine, { resultObjectBytes: 10_000 });
      const output = machine.output();
      const statement = "SELECT n, a FROM t ORDER BY n";
      await small.select({ queryId: 9, statement, tables: [table], outputFormat: "csv", output }, new Recorder());
      await small.close();
      const objects = Object.entries(machine.objects(output));
      expect(objects.length).toBeGreaterThan(3);
      expect(objects.map(([name]) => name)).toEqual(objects.map((_, n) => `${String(n).padStart(6, "0")}_0`));
      for (const [, text] of objects) expect(text).toMatch(/^\d+,"l1\nl2 \d+"\n/);
      expect(objects.map(([, text]) => text).join("")).toBe(await machine.run(engines.embedded, statement, [table]));
    });
  });

  test("gzip, folders below and hidden objects", async () => {
    const key = "zipped/";
    machine.put("default", `${key}a.gz`, gzipSync("1\tx\n2\ty\n"));
    machine.put("default", `${key}deep/b`, "3\tz\n");
    machine.put("default", `${key}_hidden`, "9\tno\n");
    const location = { bucket: "default", key };
    const zipped = { database: "default", table: "t", location, format: "tsv", columns: columns("n int, v string") };
    expect(await same("SELECT sum(n), count(*) FROM t", [zipped as TableDefinition])).toBe("6,3\n");
  });

  describe("select: the statement's own clauses and names", () => {
    const list = columns("k string, n int");
    const rows = ["a,3\nb,1\nc,2\n"];
    const lines = (text: string) => text.split("\n").toSorted();

    test.each([
      "SELECT * FROM t CLUSTER BY k",
      "SELECT * FROM t DISTRIBUTE BY k SORT BY n DESC",
      "SELECT k, sum(n) OVER (PARTITION BY k ORDER BY n) AS s FROM t SORT BY k",
      "SELECT k, count(*) FROM t GROUP BY k SORT BY k",
      "WITH w AS (SELECT * FROM t) SELECT n FROM w SORT BY n",
      "FROM t SELECT k, n WHERE n > 1 SORT BY n",
      "SELECT k FROM t UNION ALL SELECT k FROM t",
      "SELECT a.k, b.k, a.n FROM t a JOIN t b ON a.n = b.n ORDER BY a.n",
      "SELECT n AS `n n`, n + 1 AS `select`, n + 2 AS `_col0`, n + 3 FROM t",
    ])("%s", async (statement) => {
      const table = machine.tableOf(rows, { columns: list });
      const expected = await machine.run(engines.embedded, statement, [table]);
      await engines.remote.checkSelect({ statement, tables: [table] }, submission);
      expect(lines(await machine.run(engines.remote, statement, [table]))).toEqual(lines(expected));
    });
  });

  test("select: two statements run side by side, each in its own session", async () => {
    const results = await Promise.all(
      [1, 2].map((n) => {
        const table = machine.tableOf([`${n}\n`.repeat(10)], { columns: columns("n int") });
        return machine.run(engines.remote, "SELECT sum(n) FROM t", [table]);
      }),
    );
    expect(results).toEqual(["10\n", "20\n"]);
  });

  return { engines, same };
}
