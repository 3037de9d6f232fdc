/** Tables whose objects lie in folders of partition values. */
import { readFileSync } from "node:fs";
import { gzipSync } from "node:zlib";
import { expect, inject, test } from "vitest";
import type { TableDefinition } from "../../../service/core/ports/engine";
import { columns } from "../../contract/engine/harness";
import { type DialectName, type Place, useEngines } from "../harness";

/** Declares the tests. */
export function partitionsSuite(dialect: DialectName, place: Place = "files") {
  const engines = useEngines(dialect, place);
  const { machine } = engines;
  let tables = 0;

  /** Defines a table of objects by their paths below its folder. */
  function tableOf(objects: Readonly<Record<string, string | Uint8Array>>, options: Partial<TableDefinition> = {}) {
    const key = `parts${++tables}/`;
    for (const [path, content] of Object.entries(objects)) machine.put("default", key + path, content);
    return {
      database: "default",
      table: "t",
      location: { bucket: "default", key },
      format: "csv",
      ...options,
    } as TableDefinition;
  }

  async function same(statement: string, table: TableDefinition) {
    const answer = await machine.run(engines.remote, statement, [table]);
    expect(answer).toBe(await machine.run(engines.embedded, statement, [table]));
    return answer;
  }

  test("partition folders that are found: their values are strings", async () => {
    const table = tableOf({ "day=2026-01-02/a.csv": "1,x\n", "day=2026-01-03/b.csv": "2,y\n" });
    expect(await same("SELECT * FROM t ORDER BY day", table)).toBe("1,x,2026-01-02\n2,y,2026-01-03\n");
  });

  test("partition folders that are declared: values of types, NULL and escapes", async () => {
    const table = tableOf(
      {
        "day=2026-01-02/n=7/a": "1\n",
        "day=2026-01-03/n=-8/b": "2\n",
        "day=__HIVE_DEFAULT_PARTITION__/n=9/c": "3\n",
      },
      { columns: columns("v int"), partitions: columns("day date, n int") },
    );
    await same("SELECT v, day, n, n + 1 FROM t ORDER BY v", table);
    const texts = tableOf({ "k=a%2Fb%3A/x": "1\n" }, { columns: columns("v int"), partitions: columns("k string") });
    expect(await same("SELECT v, k FROM t", texts)).toBe("1,a/b:\n");
    const equals = tableOf(
      { "k=YWJj==/x": "1\n", "k=a=b/x": "2\n" },
      { columns: columns("v int"), partitions: columns("k string") },
    );
    expect(await same("SELECT v, k FROM t ORDER BY v", equals)).toBe("1,YWJj==\n2,a=b\n");
  });

  test("a partition that a condition excludes is not read", async () => {
    const whole = gzipSync("2\tb\n".repeat(10_000));
    const table = tableOf(
      { "day=2026-01-02/a": "1\ta\n", "day=2026-01-03/b.gz": whole.subarray(0, whole.length - 9) },
      { format: "tsv", columns: columns("v int, w string"), partitions: columns("day date") },
    );
    const run = (condition: string) => machine.run(engines.remote, `SELECT sum(v) FROM t WHERE ${condition}`, [table]);
    expect(await run("day = '2026-01-02'")).toBe("1\n");
    expect(await run("day < date '2026-01-03'")).toBe("1\n");
    await expect(run("day >= '2026-01-02'")).rejects.toThrow();
  });

  if (place === "s3") readsTests({ engines, tableOf, same });
  return { engines, tableOf };
}

/** The requests of the S3 server tell which objects are read, by the server and by this machine. */
function readsTests({
  engines,
  tableOf,
  same,
}: {
  readonly engines: ReturnType<typeof useEngines>;
  readonly tableOf: (objects: Readonly<Record<string, string>>, options?: Partial<TableDefinition>) => TableDefinition;
  readonly same: (statement: string, table: TableDefinition) => Promise<string>;
}) {
  const days = { "dt=2026-01-01/a.csv": "1,x\n", "dt=2026-01-02/a.csv": '2,"y"\n', "dt=2026-01-03/a.csv": "3,z\n" };
  const hours = {
    "dt=2026-01-01/h=1/a": "1\n",
    "dt=2026-01-01/h=2/a": "2\n",
    "dt=2026-01-02/h=1/a": "3\n",
    "dt=2026-01-02/h=2/a": "4\n",
    "dt=2026-01-02/h=2/b": "5\n",
  };
  const declared = { columns: columns("n int"), partitions: columns("dt date, h int") };

  /** Returns the objects of a table that the S3 server has sent since a length of its log. */
  const readSince = (length: number, { location: { bucket, key } }: TableDefinition) => {
    const text = readFileSync(inject("s3").log, "utf8").slice(length);
    const found = [...text.matchAll(/\| GET \| \/(\S+)/g)].map(([, path]) => path!);
    const folder = `${bucket}/${key}`;
    return [...new Set(found.filter((path) => path.startsWith(folder) && path !== folder))]
      .map((path) => path.slice(folder.length))
      .toSorted();
  };

  test.each<readonly [string, Record<string, string>, Partial<TableDefinition>, string, string, readonly string[]]>([
    ["a found one", days, {}, "dt = '2026-01-02'", "2\n", ["dt=2026-01-02/a.csv"]],
    [
      "IN and OR",
      days,
      {},
      "dt IN ('2026-01-01') OR dt > '2026-01-02'",
      "4\n",
      ["dt=2026-01-01/a.csv", "dt=2026-01-03/a.csv"],
    ],
    ["one of two levels", hours, declared, "dt = '2026-01-01' AND h <> 1", "2\n", ["dt=2026-01-01/h=2/a"]],
    [
      "the inner level",
      hours,
      declared,
      "h >= 2 AND n > 0",
      "11\n",
      ["dt=2026-01-01/h=2/a", "dt=2026-01-02/h=2/a", "dt=2026-01-02/h=2/b"],
    ],
    [
      "the outer level",
      hours,
      declared,
      "dt < date '2026-01-02'",
      "3\n",
      ["dt=2026-01-01/h=1/a", "dt=2026-01-01/h=2/a"],
    ],
    ["no partition", hours, declared, "dt = '2025-01-01'", "\\N\n", []],
  ])(
    "a condition on partitions, %s: the S3 server sends their objects only",
    async (_, objects, options, where, answer, read) => {
      const table = tableOf(objects, options);
      const column = options.columns ? "n" : "`_c0`";
      const statement = `SELECT sum(${column}) FROM t WHERE ${where}`;
      const before = readFileSync(inject("s3").log, "utf8").length;
      expect(await engines.machine.run(engines.remote, statement, [table])).toBe(answer);
      expect(readSince(before, table)).toEqual(read);
      expect(await same(statement, table)).toBe(answer);
    },
  );

  test("a condition that the servers may decide in another way: the answer is that of all partitions", async () => {
    const table = tableOf(
      { "k=1/a": "1\n", "k=1.0/a": "2\n", "k=01/a": "4\n", "k=x/a": "8\n", "k=a%5Bb,c/a": "16\n" },
      { columns: columns("n int"), partitions: columns("k string") },
    );
    expect(await same("SELECT sum(n) FROM t WHERE k = 1", table)).toBe("7\n");
    expect(await same("SELECT sum(n) FROM t WHERE k <> 'x'", table)).toBe("23\n");
    expect(await same("SELECT sum(n) FROM t WHERE length(k) < 3 AND k < '2'", table)).toBe("5\n");
  });
}
