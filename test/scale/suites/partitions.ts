/** Tables whose objects lie in folders of partition values. */
import { gzipSync } from "node:zlib";
import { expect, test } from "vitest";
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

  return { engines, tableOf };
}
