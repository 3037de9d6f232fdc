import { rmSync } from "node:fs";
import * as pulumi from "@pulumi/pulumi";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { TestService } from "../../../service/testing";
import { diagnostics, objectsUnder, queriesOf, rows, startService, TestStack } from "../provider/harness";
import { invoke, PluginResource } from "./resources";

let service: TestService;
let stack: TestStack;

beforeAll(async () => {
  service = await startService({
    objects: { "dag://data/raw/birds.csv": "owl,2\nwren,1\nowl,3\n" },
    buckets: ["results", "tables", "logs"],
  });
  stack = await TestStack.create(service);
});

afterAll(async () => {
  await stack?.[Symbol.asyncDispose]();
  await service?.close();
});

/** All four resources, one after another, and a function. */
function everything({
  order = "bird",
  rowsKept = 2,
  table,
}: { order?: string; rowsKept?: number; table?: string } = {}) {
  const birds = new PluginResource("SplitTable", "birds", {
    clusterName: "demo",
    inputObjectKeys: ["dag://data/raw/birds.csv"],
    outputDatabase: "tables",
    schema: "string bird, bigint n",
    deletionPolicy: "purge",
    ...(table !== undefined && { outputTable: table }),
  });
  const counts = new PluginResource("SelectQuery", "counts", {
    clusterName: "demo",
    query: pulumi.interpolate`SELECT bird, sum(n) AS n FROM ${birds.qualifiedName} GROUP BY bird ORDER BY ${order}`,
    outputResourcePath: "dag://results/counts/",
    resultRows: rowsKept,
  });
  const logs = new PluginResource(
    "ClusterLogExport",
    "logs",
    { clusterName: "demo", outputLogPath: "dag://logs/demo/" },
    { dependsOn: counts },
  );
  const restart = new PluginResource("ClusterRestart", "restart", { clusterName: "demo" }, { dependsOn: logs });
  return {
    table: birds.outputTable,
    rows: counts.result.apply((result) => result?.rows),
    status: restart.status,
    cluster: invoke("getCluster", { clusterName: "demo" }).apply(({ type }) => type),
  };
}

describe("a program that uses the plugin", () => {
  test("preview: plans every resource, and sends only read requests", async () => {
    stack.program = () => everything();
    const run = await stack.preview();
    expect(run.ok, run.text).toBe(true);
    expect(run.changes).toEqual({ create: 4 });
    expect(await queriesOf(service)).toEqual([]);
  });

  test("up: creates the resources, and shows their progress", async () => {
    const run = await stack.up();
    expect(run.ok, run.text).toBe(true);
    expect(run.changes).toEqual({ create: 4 });
    expect(run.outputs).toMatchObject({
      rows: [
        ["owl", "5"],
        ["wren", "1"],
      ],
      status: "norm",
      cluster: "duckdb",
    });
    expect(run.outputs["table"]).toMatch(/^birds_[0-9a-f]{7}$/);
    const row = /^\[2\/3\] running .*query (\d+) · http:\/\/127\.0\.0\.1:\d+\/console\/queries\/\1$/;
    expect(rows(run, "counts")).toContainEqual(expect.stringMatching(row));
    expect((await stack.resource("counts")).outputs).not.toHaveProperty("progress");
    expect(diagnostics(run).filter(({ severity }) => severity === "error")).toEqual([]);
  });

  test("up: uses the name of the preview, and changes nothing when nothing changed", async () => {
    const run = await stack.up();
    expect(run.changes).toEqual({ same: 4 });
    expect(await queriesOf(service)).toHaveLength(2);
  });

  test("preview: shows which property needs a replacement", async () => {
    stack.program = () => everything({ order: "n" });
    const run = await stack.preview();
    expect(run.text).toMatch(/SelectQuery.*counts.*\[diff: ~query\]/);
    expect(run.changes).toMatchObject({ "delete-replaced": 1, replace: 1, "create-replacement": 1, same: 3 });
  });

  test("up: applies inputs that do not need a replacement", async () => {
    stack.program = () => everything({ rowsKept: 1 });
    const run = await stack.up();
    expect(run.changes).toEqual({ update: 1, same: 3 });
    expect(run.outputs).toMatchObject({ rows: [["owl", "5"]] });
    expect(await queriesOf(service)).toHaveLength(2);
  });

  test("refresh: finds no changes", async () => {
    const run = await stack.refresh();
    expect(run.ok, run.text).toBe(true);
    expect(run.text).not.toMatch(/\d+ (updated|deleted)/);
  });

  test("up: a table whose objects were deleted outside of Pulumi is created again after a refresh", async () => {
    const { outputs } = await stack.resource("birds");
    rmSync(`${service.bucketsDirectory}/tables/${String(outputs["outputTable"])}`, { recursive: true });
    const run = await stack.up({ refresh: true });
    expect(run.ok, run.text).toBe(true);
    expect(objectsUnder(service, `dag://tables/${String(run.outputs["table"])}/`)).toHaveLength(1);
  });

  test("up: invalid inputs are reported before any resource is created", async () => {
    stack.program = () => {
      new PluginResource("SelectQuery", "wrong", {
        clusterName: "demo",
        query: "SELEC 1",
        outputResourcePath: "dag://results/wrong/",
      });
    };
    const run = await stack.preview();
    expect(run.ok).toBe(false);
    expect(run.text).toMatch(/line 1, column 1/);
    stack.program = () => everything({ rowsKept: 1 });
  });

  test("destroy: deletes the resources, and the objects with deletionPolicy purge", async () => {
    const { outputs } = await stack.resource("birds");
    const run = await stack.destroy();
    expect(run.ok, run.text).toBe(true);
    expect(await stack.resources()).toEqual([]);
    expect(objectsUnder(service, `dag://tables/${String(outputs["outputTable"])}/`)).toEqual([]);
    expect(objectsUnder(service, "dag://results/counts/")).toHaveLength(1);
  });
});
