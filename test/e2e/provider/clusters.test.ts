import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { TestService } from "../../../service/testing";
import { clientOf, dag, queriesOf, TestStack } from "./harness";
import { endless, startServiceOfNumbers } from "./numbers";
import { until } from "./processes";

let service: TestService;
let stack: TestStack;

beforeAll(async () => {
  service = await startServiceOfNumbers(20_000);
  stack = await TestStack.create(service);
});

afterAll(async () => {
  await stack?.[Symbol.asyncDispose]();
  await service?.close();
});

/** Starts a query outside of the program on the cluster; resolves with its identifier. */
async function anothersQuery(label: string): Promise<number> {
  await using client = clientOf(service);
  const outputResourcePath = `dag://results/${label}/`;
  return (await client.submitSelect({ clusterName: "demo", query: endless, outputResourcePath, label })).queryId;
}

async function cancel(queryId: number): Promise<void> {
  await using client = clientOf(service);
  await client.cancelQuery({ queryId });
}

describe("work with a cluster", () => {
  test("restart: fails while queries are running, and names them and the remedies", async () => {
    const queryId = await anothersQuery("nightly");
    stack.program = () => {
      new dag.ClusterRestart("restart", { clusterName: "demo" });
    };
    const run = await stack.up();
    expect(run.ok).toBe(false);
    expect(run.text).toContain(
      `cluster "demo" cannot be restarted while queries are running on it: ${queryId} (nightly): set drain: true to wait for them`,
    );
    await cancel(queryId);
  });

  test("restart: drain waits until no query is running, and shows the number of queries", async () => {
    const queryId = await anothersQuery("weekly");
    stack.program = () => {
      new dag.ClusterRestart("restart", { clusterName: "demo", drain: true });
    };
    const up = stack.up();
    await until("it waits", () => stack.said.includes("[1/2] waiting for 1 running query on demo"));
    expect(await queriesOf(service)).toMatchObject([{}, { status: "running", clusterRebooted: false }]);
    await cancel(queryId);
    const run = await up;
    expect(run.ok, run.text).toBe(true);
    expect((await stack.resource("restart")).outputs).toMatchObject({ status: "norm" });
    expect(await queriesOf(service)).toMatchObject([{}, { status: "canceled", clusterRebooted: true }]);
  });

  test("restart, query, log export: operations during a restart wait for it, and all succeed", async () => {
    await using client = clientOf(service);
    let restarted = Promise.resolve();
    stack.program = () => {
      restarted = client.restartCluster({ clusterName: "demo" });
      new dag.SelectQuery("quick", {
        clusterName: "demo",
        query: "SELECT max(n) AS n FROM data.numbers",
        outputResourcePath: "dag://results/quick/",
      });
      new dag.ClusterLogExport("early", { clusterName: "demo", outputLogPath: "dag://logs/early/" });
    };
    const run = await stack.up();
    await restarted;
    expect(run.ok, run.text).toBe(true);
  });

  test("log exports: run one at a time on a cluster, and list the exported files", async () => {
    const names = ["one", "two", "three"];
    stack.program = () =>
      Object.fromEntries(
        names.map((name) => {
          const { result } = new dag.ClusterLogExport(name, {
            clusterName: "demo",
            outputLogPath: `dag://logs/${name}/`,
          });
          return [name, result.apply((found) => found?.objects.map(({ location }) => location))];
        }),
      );
    const run = await stack.up();
    expect(run.ok, run.text).toBe(true);
    for (const name of names) expect(run.outputs[name]).toContain(`dag://logs/${name}/manifest.json`);
  });

  test("a query that reads a table of the program depends on it automatically, in any order of creation", async () => {
    stack.program = () => {
      new dag.SelectQuery("reader", {
        clusterName: "demo",
        query: "SELECT count(*) AS n FROM wildlife.birds",
        outputResourcePath: "dag://results/reader/",
      });
      new dag.SplitTable("table", {
        clusterName: "demo",
        inputObjectKeys: ["dag://landing/birds.csv"],
        outputDatabase: "wildlife",
        outputTable: "birds",
      });
    };
    const run = await stack.up();
    expect(run.ok, run.text).toBe(true);
    const { urn } = await stack.resource("table");
    expect((await stack.resource("reader")).dependencies).toEqual([urn]);
  });
});
