import * as pulumi from "@pulumi/pulumi";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { TestService } from "../../../service/testing";
import { clientOf, dag, diagnostics, queriesOf, requestLog, rows, startService, TestStack } from "./harness";

const { log, requests } = requestLog();
const secret = "hunter2-is-the-password";
let service: TestService;
let stack: TestStack;

beforeAll(async () => {
  service = await startService({
    clusters: [
      { name: "demo", type: "duckdb", debug: false, instances: [{ grade: "small", quantity: 3 }] },
      { name: "other", type: "duckdb", debug: false, instances: [{ grade: "small", quantity: 2 }] },
    ],
    objects: { "dag://data/birds/b.csv": "owl,1\nkite,2\n" },
    buckets: ["results"],
    tables: [{ database: "data", table: "birds", format: "csv", schema: "string bird, int n" }],
    log,
  });
  stack = await TestStack.create(service);
});

afterAll(async () => {
  await stack?.[Symbol.asyncDispose]();
  await service?.close();
});

describe("many resources", () => {
  const count = 16;

  test("slots: more queries than a cluster accepts at a time all succeed, in order, with few requests", async () => {
    stack.program = () => {
      for (let n = 0; n < count; n += 1) {
        new dag.SelectQuery(`q${n}`, {
          clusterName: "demo",
          // Long enough that the two slots are taken when the next ones are submitted.
          query: `SELECT count(x) + ${n} AS n FROM (SELECT explode(split(space(1000000), ' ')) AS x) t`,
          outputResourcePath: `dag://results/q${n}/`,
        });
      }
    };
    requests.length = 0;
    const run = await stack.up();
    expect(run.ok, run.text).toBe(true);
    expect(run.text).not.toContain("TooManyQueries");
    expect(await queriesOf(service)).toHaveLength(count);
    const waits = Array.from({ length: count }, (_, n) => rows(run, `q${n}`)).flat();
    expect(waits.filter((row) => /waiting for a slot \(\d+ ahead\)/.test(row)).length).toBeGreaterThan(0);
    const polls = requests.filter(({ operation }) => operation === "listQueries");
    const refused = requests.filter(({ code }) => code === "TooManyQueries");
    // One more looks at the cluster, before anything runs.
    expect(requests.length - polls.length - refused.length).toBeLessThanOrEqual(3 * count + 1);
    expect(refused.length).toBeLessThan(count / 2);
  });

  test("secrets: no value derived from a secret input is in plain text in the state", async () => {
    stack.program = () => {
      const query = new dag.SelectQuery("hidden", {
        clusterName: "demo",
        query: pulumi.secret(`SELECT bird, '${secret}' AS word FROM data.birds`),
        outputResourcePath: "dag://results/hidden/",
        resultRows: 2,
      });
      return { log: query.log, result: query.result };
    };
    const run = await stack.up();
    expect(run.ok, run.text).toBe(true);
    expect(JSON.stringify(run.outputs)).toContain(secret);
    expect(stack.stateText().includes(secret)).toBe(false);
    expect(run.text.includes(secret)).toBe(false);
    expect((await stack.refresh()).ok).toBe(true);
    expect(stack.stateText().includes(secret)).toBe(false);
  });

  test("functions: accept and return outputs, and fetch all pages", async () => {
    stack.program = () => {
      const { queries } = dag.getQueries({ clusterName: "demo", order: "asc" });
      const queryId = queries.apply((all) => all[0]!.id);
      return {
        cluster: dag.getCluster({ clusterName: pulumi.output("demo") }).status,
        clusters: dag.getClusters({ order: "asc" }).clusters.apply((all) => all.map(({ name }) => name)),
        capacity: dag.getClusterStatistics({ clusterName: "demo" }).disk.capacity,
        queries: queries.length,
        query: dag.getQuery({ queryId }).type,
        log: dag.getQueryLog({ queryId }).log,
        got: dag.SelectQuery.get("got", pulumi.interpolate`${queryId}`).outputResourcePath,
      };
    };
    const run = await stack.up();
    expect(run.ok, run.text).toBe(true);
    expect(run.outputs).toMatchObject({
      cluster: "norm",
      clusters: ["demo", "other"],
      capacity: expect.any(Number) as number,
      queries: count + 1,
      query: "select",
      log: expect.stringContaining("explode(split(space(") as string,
      got: expect.stringMatching(/^dag:\/\/results\/q\d+\/$/) as string,
    });
    // A lookup of another resource's query is no import of it, of which a warning tells.
    expect(diagnostics(run).filter(({ severity }) => severity === "warning")).toEqual([]);
  });

  test("get: an id that does not exist or is not valid is an error that says so", async () => {
    for (const [id, said] of [
      ["999", 'SelectQuery "got": the id "999" does not exist in the service'],
      ["first", 'the id "first" of a SelectQuery is not valid: it must be the identifier of its query, such as 1234'],
    ] as const) {
      stack.program = () => {
        dag.SelectQuery.get("got", id);
      };
      const run = await stack.preview();
      expect(run.ok).toBe(false);
      expect(run.text).toContain(said);
      expect(run.text).not.toContain("TypeError");
    }
  });

  test("drift: a cluster that was changed outside of Pulumi is restarted with the program's settings", async () => {
    stack.program = () => {
      new dag.ClusterRestart("restart", { clusterName: "other", debug: true });
    };
    expect((await stack.up()).ok).toBe(true);
    await using client = clientOf(service);
    await client.restartCluster({ clusterName: "other", debug: false });
    const run = await stack.up({ refresh: true });
    expect(run.ok, run.text).toBe(true);
    expect(run.changes).toMatchObject({ replace: 1 });
    expect(await client.getCluster({ clusterName: "other" })).toMatchObject({ debug: true, status: "norm" });
    expect((await stack.up()).changes).toEqual({ same: 1 });
  });
});
