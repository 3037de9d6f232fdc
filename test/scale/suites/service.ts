/** A service with a cluster on another server. */
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import type { DialectName, Place } from "../harness";
import { call, ended, hasStatus } from "../../contract/service/caller";
import { kill } from "../../contract/service/service-process";
import { useServices } from "./service-with-cluster";

/** Lines of a query's log. */
interface LogLines {
  /** When the server has begun to read the statement. */
  readonly begins: RegExp;
  /** While it runs. */
  readonly begun: RegExp;
  /** When it has ended. */
  readonly done: RegExp;
}

const logLines: Readonly<Record<DialectName, LogLines>> = {
  hive: {
    begins: /Compiling command/,
    begun: /Running Dag|Executing command/,
    done: /running on hive[\s\S]*Completed executing command/,
  },
  spark: {
    begins: /Spark runs the statement/,
    begun: /Spark runs the statement/,
    done: /running on spark[\s\S]*Spark runs the statement as [-0-9a-f]{36}[\s\S]*stored/,
  },
};

/** Declares the tests. */
export function serviceSuite(dialect: DialectName, place: Place = "files"): void {
  const running = logLines[dialect];
  const { fill, start, submit, result, log, buckets } = useServices(dialect, place);

  /** A statement that runs for some seconds on Hive, and for a fraction of one here. */
  const short = "select v, count(*) n from data.events group by v order by v";
  const long = "select count(*) n from data.numbers a cross join data.numbers b cross join data.numbers c";

  test("select: the same result on a cluster of another server and on a duckdb cluster", async () => {
    fill();
    const service = await start();
    const answers = [await submit(service, "demo", short, "h"), await submit(service, "local", short, "d")];
    for (const { status, json } of answers) {
      expect([status, json]).toEqual([202, { queryId: expect.any(Number) }]);
      expect(await ended(service, json.queryId)).toMatchObject({ status: "finished", progress: "100%" });
    }
    expect(result("h")).toBe("x,2\ny,1\n");
    expect(result("h")).toBe(result("d"));
    expect(await log(service, answers[0]!.json.queryId)).toMatch(running.done);
  });

  test("results: each cluster reads what each has written as what it is, in csv and in tsv", async () => {
    fill();
    const service = await start();
    const run = async (clusterName: string, query: string, path: string, outputFormat: string) => {
      const body = { clusterName, query, outputFormat, outputResourcePath: `dag://out/${path}` };
      const { status, json } = await call(service, "POST", "/v1/?select", { body });
      expect([status, json]).toEqual([202, { queryId: expect.any(Number) }]);
      const { status: end } = await ended(service, json.queryId);
      expect(end, await log(service, json.queryId)).toBe("finished");
    };
    const columns = [
      "'code' AS Code",
      `'x, "5"' AS name`,
      "CAST(4641.58 AS decimal(12,3)) AS price",
      "CAST('2026-01-02' AS date) AS day",
      "CAST(NULL AS int) AS nothing",
      "count(*)",
    ];
    const row = `SELECT ${columns.join(", ")} FROM data.events WHERE id = 1`;
    const types = ["string", "string", "decimal(12,3)", "date", "int", "bigint"];
    const names = ["code", "name", "price", "day", "nothing", "_c5"];
    for (const format of ["csv", "tsv"]) {
      const name = `${dialect}_${format}`;
      await run("demo", row, `${name}/dt=1`, format);
      await run("local", row, `local_${format}/dt=1`, format);
      for (const table of [name, `local_${format}`]) {
        const { json } = await call(service, "GET", `/catalog/out/${table}`);
        expect(json).toMatchObject({ source: "select", format, partitionColumns: ["dt"] });
        expect(json.columns).toEqual([
          ...names.map((column, index) => ({ name: column, type: types[index] })),
          { name: "dt", type: "string" },
        ]);
        const read = `SELECT name, price + CAST(1 AS decimal(1,0)), day, nothing, \`_c5\`, dt, code FROM \`out\`.${table}`;
        for (const clusterName of ["demo", "local"]) {
          await run(clusterName, read, "read", "tsv");
          expect(result("read")).toBe('x, "5"\t4642.580\t2026-01-02\t\\N\t1\t1\tcode\n');
        }
      }
    }
  });

  test("split: a table that such a cluster has split is read by its selects", async () => {
    fill();
    const service = await start();
    const body = {
      clusterName: "demo",
      inputObjectKeys: ["dag://raw/in.csv"],
      outputDatabase: "data",
      outputTable: "made",
    };
    const split = await call(service, "POST", "/v1/?split", { body });
    expect(await ended(service, split.json.queryId)).toMatchObject({ status: "finished" });
    const { json } = await submit(service, "demo", "select `_c0` + 1, `_c1` from data.made order by `_c0`", "m");
    expect(await ended(service, json.queryId)).toMatchObject({ status: "finished" });
    expect(result("m")).toBe("2,a\n3,b\n");
  });

  test("statistics, the exported log and the console's tables are those of the storage", async () => {
    fill();
    const service = await start();
    const { json } = await submit(service, "demo", short, "s");
    expect(await ended(service, json.queryId)).toMatchObject({ status: "finished" });
    const statistics = await call(service, "GET", "/v1/demo/statistics?clusterManagement");
    expect(statistics.json.disk.used).toBeGreaterThan(0);
    const body = { outputLogPath: "dag://out/logs", compress: false };
    expect((await call(service, "PUT", "/v1/demo/log?clusterManagement", { body })).status).toBe(204);
    expect(readFileSync(join(buckets(), "out/logs/service/cluster.log"), "utf8")).toContain(`running on ${dialect}`);
    const table = await call(service, "GET", "/catalog/data/events");
    expect(table.json.sample.rows).toContainEqual(["1", "x"]);
    const rows = await call(service, "GET", `/results/${json.queryId}`);
    expect(rows.json).toMatchObject({
      columns: ["v", "n"],
      sample: {
        rows: [
          ["x", "2"],
          ["y", "1"],
        ],
      },
    });
  });

  test("cancelQuery: is answered, and the query ends as canceled without an output", async () => {
    fill();
    const service = await start();
    const { json } = await submit(service, "demo", long, "c");
    await expect.poll(async () => log(service, json.queryId), { timeout: 60_000 }).toMatch(running.begun);
    expect((await call(service, "DELETE", `/v1/${json.queryId}?query`)).status).toBe(204);
    expect(await ended(service, json.queryId)).toMatchObject({ status: "canceled" });
    expect(readdirSync(join(buckets(), "out"))).not.toContain("c");
    const temporary = join(buckets(), "out/tmp");
    const left = () => (existsSync(temporary) ? readdirSync(temporary, { recursive: true }) : []);
    await expect.poll(left, { timeout: 60_000, interval: 500 }).toEqual([]);
  });

  test("restartCluster: cancels the queries, and the cluster comes back", async () => {
    fill();
    const service = await start();
    const { json } = await submit(service, "demo", long, "r");
    const body = { force: true };
    expect((await call(service, "PUT", "/v1/demo?clusterManagement", { body })).status).toBe(204);
    expect(await ended(service, json.queryId)).toMatchObject({ status: "canceled", clusterRebooted: true });
    await hasStatus(service, "demo", "norm");
    const next = await submit(service, "demo", short, "r");
    expect(await ended(service, next.json.queryId)).toMatchObject({ status: "finished" });
  });

  test("a service that is killed while a query runs: the query ends once after the next start", async () => {
    fill();
    const first = await start();
    const { json } = await submit(first, "demo", short, "k");
    await expect.poll(async () => log(first, json.queryId), { timeout: 60_000 }).toMatch(running.begins);
    await kill(first.child, "SIGKILL");
    const second = await start();
    expect(await ended(second, json.queryId)).toMatchObject({ status: "finished" });
    expect(result("k")).toBe("x,2\ny,1\n");
    const lines = (await log(second, json.queryId)).split("\n");
    expect(lines.filter((line) => / finished after /.test(line))).toHaveLength(1);
    const table = (await call(second, "GET", "/catalog/out/k")).json;
    expect([table.source, ...table.columns]).toEqual([
      "select",
      { name: "v", type: "string" },
      { name: "n", type: "bigint" },
    ]);
  });
}
