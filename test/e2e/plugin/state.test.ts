import { readFileSync } from "node:fs";
import { join } from "node:path";
import * as pulumi from "@pulumi/pulumi";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { TestService } from "../../../service/testing";
import { dag, queriesOf, root, startService, TestStack } from "../provider/harness";
import { PluginResource } from "./resources";

const schema = JSON.parse(readFileSync(join(root, "schema.json"), "utf8")) as {
  readonly resources: Readonly<Record<string, { readonly aliases: readonly { readonly type: string }[] }>>;
};

const keys = [
  { accessKeyId: "FIRSTKEY", secretAccessKey: "first-secret-of-the-service" },
  { accessKeyId: "OTHERKEY", secretAccessKey: "other-secret-of-the-service" },
] as const;

let service: TestService;
let stack: TestStack;

beforeAll(async () => {
  service = await startService({
    objects: { "dag://data/raw/birds.csv": "owl,2\nwren,1\n" },
    buckets: ["results", "tables", "logs"],
    credentials: keys,
  });
  stack = await TestStack.create(service);
});

afterAll(async () => {
  await stack?.[Symbol.asyncDispose]();
  await service?.close();
});

const select = (name: string, query: pulumi.Input<string> = "SELECT 1 AS one") => ({
  clusterName: "demo",
  query,
  outputResourcePath: `dag://results/${name}/`,
});

const birdsTable = {
  clusterName: "demo",
  inputObjectKeys: ["dag://data/raw/birds.csv"],
  outputDatabase: "tables",
  outputTable: "birds",
};

describe("the state", () => {
  test.each([
    [900, "SelectQuery", "as a program writes it", select("daily-report")],
    [
      900,
      "SelectQuery",
      "with the defaults that SDKs send",
      { ...select("daily-report"), outputFormat: "csv", deletionPolicy: "keep", resultRows: 0 },
    ],
    [900, "ClusterLogExport", "as a program writes it", { clusterName: "demo", outputLogPath: "dag://results/logs/" }],
    [900, "ClusterRestart", "as a program writes it", { clusterName: "demo" }],
    [900, "SplitTable", "as a program writes it", birdsTable],
  ])("at most %i bytes: %s, %s; logs, results and the SDK's positions aside", async (bytes, kind, _how, inputs) => {
    stack.program = () => void new PluginResource(kind, "daily-report", inputs);
    const run = await stack.up();
    expect(run.ok, run.text).toBe(true);
    const {
      sourcePosition: _position,
      stackTrace: _trace,
      ...kept
    } = (await stack.resource("daily-report")) as never as {
      readonly sourcePosition?: string;
      readonly stackTrace?: unknown;
      readonly outputs: Record<string, unknown>;
    };
    const { log: _log, result: _result, ...outputs } = kept.outputs;
    expect(JSON.stringify({ ...kept, outputs }).length).toBeLessThanOrEqual(bytes);
  });

  test("SelectQuery: has at most 0.95 KiB, also with the objects of its result", async () => {
    stack.program = () => void new PluginResource("SelectQuery", "daily-report", select("daily-report"));
    await stack.up();
    const { outputs, ...kept } = await stack.resource("daily-report");
    const { log: _log, ...rest } = outputs;
    const { sourcePosition: _position, stackTrace: _trace, ...own } = kept as Record<string, unknown>;
    expect(JSON.stringify({ ...own, outputs: rest }).length).toBeLessThanOrEqual(0.95 * 1024);
  });

  test("contains no plain-text secret: no key, no secret input, and no output that quotes one", async () => {
    const word = "kept-to-ourselves";
    stack.program = () =>
      void new PluginResource("SelectQuery", "hidden", {
        ...select("hidden", pulumi.secret(`SELECT '${word}' AS word`)),
        resultRows: 1,
      });
    const run = await stack.up();
    expect(run.ok, run.text).toBe(true);
    const text = stack.stateText();
    for (const plain of [word, keys[0].secretAccessKey]) expect(text).not.toContain(plain);
    expect(run.text).not.toContain(word);
    expect((await queriesOf(service)).some((query) => query.type === "select" && query.query.includes(word))).toBe(
      true,
    );
  });
});

describe("the configuration", () => {
  test("another access key of the same service replaces nothing, and is used at once", async () => {
    await stack.stack.setAllConfig({
      "dag:accessKeyId": { value: keys[1].accessKeyId },
      "dag:secretAccessKey": { value: keys[1].secretAccessKey, secret: true },
    });
    const made = stack.program;
    stack.program = () => {
      void made();
      void new PluginResource("SelectQuery", "rotated", select("rotated"));
    };
    const run = await stack.up();
    expect(run.ok, run.text).toBe(true);
    expect(run.changes).toEqual({ same: 1, create: 1 });
    expect((await stack.resource("rotated")).outputs).toMatchObject({ accessKeyId: "OTHERKEY" });
    expect(stack.stateText()).not.toContain(keys[1].secretAccessKey);
  });

  test("another endpoint keeps the resources", async () => {
    await stack.stack.setConfig("dag:endpoint", { value: service.url.replace("127.0.0.1", "localhost") });
    const run = await stack.up();
    expect(run.ok, run.text).toBe(true);
    expect(run.changes).toEqual({ same: 2 });
  });

  test("a missing key is reported with both ways to set it", async () => {
    await stack.stack.removeConfig("dag:secretAccessKey");
    const run = await stack.preview();
    expect(run.ok).toBe(false);
    expect(run.text).toMatch(/pulumi config set --secret dag:secretAccessKey.*DAG_SECRET_ACCESS_KEY/s);
    await stack.stack.setConfig("dag:secretAccessKey", { value: keys[1].secretAccessKey, secret: true });
  });
});

describe("moving between the front ends", () => {
  test("from the dynamic provider to the plugin by alias: no query runs again, and the state is the plugin's", async () => {
    const inputs = { ...select("renamed"), resultRows: 1 };
    stack.program = () => void new dag.SelectQuery("renamed", inputs);
    expect((await stack.up()).ok).toBe(true);
    const { id } = await stack.resource("renamed");
    const before = (await queriesOf(service)).length;

    // SDKs generated from schema.json have this alias.
    const { aliases } = schema.resources["dag:index:SelectQuery"]!;
    stack.program = () => void new PluginResource("SelectQuery", "renamed", inputs, { aliases: [...aliases] });
    const moved = await stack.up();
    expect(moved.ok, moved.text).toBe(true);
    expect(moved.changes).toEqual({ update: 1 });
    expect((await stack.up()).changes).toEqual({ same: 1 });
    expect(await queriesOf(service)).toHaveLength(before);
    const resource = await stack.resource("renamed");
    expect(resource).toMatchObject({ type: "dag:index:SelectQuery", id, inputs });
    expect(resource.outputs).toMatchObject({ ...inputs, status: "finished", location: "dag://results/renamed/" });
    expect(stack.stateText()).not.toContain("__provider");
    expect((await stack.refresh()).ok).toBe(true);
  });

  test("each resource type moves by alias in both directions: one update, which only rewrites the state", async () => {
    const cluster = { clusterName: "demo" };
    const kinds = {
      SplitTable: birdsTable,
      ClusterRestart: cluster,
      ClusterLogExport: { ...cluster, outputLogPath: "dag://logs/moved/" },
    } as const;
    stack.program = () => {
      const birds = new dag.SplitTable("moved-SplitTable", kinds.SplitTable);
      const logs = new dag.ClusterLogExport("moved-ClusterLogExport", kinds.ClusterLogExport, { dependsOn: birds });
      new dag.ClusterRestart("moved-ClusterRestart", kinds.ClusterRestart, { dependsOn: logs });
    };
    const made = await stack.up();
    expect(made.ok, made.text).toBe(true);
    const before = await stack.resources();

    stack.program = () => {
      for (const [kind, inputs] of Object.entries(kinds)) {
        const { aliases } = schema.resources[`dag:index:${kind}`]!;
        new PluginResource(kind, `moved-${kind}`, inputs, { aliases: [...aliases] });
      }
    };
    const moved = await stack.up();
    expect(moved.ok, moved.text).toBe(true);
    expect(moved.changes).toEqual({ update: 3 });
    expect((await stack.up()).changes).toEqual({ same: 3 });
    const after = await stack.resources();
    expect(after.map(({ id }) => id).toSorted()).toEqual(before.map(({ id }) => id).toSorted());
    expect(stack.stateText()).not.toMatch(/__provider|__dag/);

    const aliased = (kind: string) => ({ aliases: [{ type: `dag:index:${kind}` }] });
    stack.program = () => {
      new dag.SplitTable("moved-SplitTable", kinds.SplitTable, aliased("SplitTable"));
      new dag.ClusterLogExport("moved-ClusterLogExport", kinds.ClusterLogExport, aliased("ClusterLogExport"));
      new dag.ClusterRestart("moved-ClusterRestart", kinds.ClusterRestart, aliased("ClusterRestart"));
    };
    const back = await stack.up();
    expect(back.ok, back.text).toBe(true);
    expect(back.changes).toEqual({ update: 3 });
    expect((await stack.up()).changes).toEqual({ same: 3 });
    expect((await stack.resources()).map(({ id }) => id).toSorted()).toEqual(after.map(({ id }) => id).toSorted());
  });

  test("from the dynamic provider to the plugin by id: no query runs again", async () => {
    const inputs = { ...select("moved"), outputFormat: "csv" as const };
    stack.program = () => void new dag.SelectQuery("moved", inputs);
    expect((await stack.up()).ok).toBe(true);
    const { id } = await stack.resource("moved");
    const before = (await queriesOf(service)).length;

    // The old entry is removed from the state without deletion; the new one is imported by its id.
    stack.program = () => {
      new dag.SelectQuery("moved", inputs, { retainOnDelete: true });
    };
    expect((await stack.up()).ok).toBe(true);
    stack.program = () => void new PluginResource("SelectQuery", "moved", inputs, { import: id! });
    const moved = await stack.up();
    expect(moved.ok, moved.text).toBe(true);
    expect(moved.text).toContain("1 imported");
    stack.program = () => void new PluginResource("SelectQuery", "moved", inputs);
    expect((await stack.up()).changes).toEqual({ same: 1 });
    expect(await queriesOf(service)).toHaveLength(before);
    expect(await stack.resources()).toMatchObject([{ type: "dag:index:SelectQuery", id }]);
  });

  test("from the plugin to the dynamic provider by alias: no query runs again, and the resources are managed", async () => {
    const inputs = { ...select("back"), resultRows: 1 };
    const table = { ...birdsTable, outputTable: "birds_back" };
    stack.program = () => {
      new PluginResource("SelectQuery", "back", inputs);
      new PluginResource("SplitTable", "birds-back", table);
    };
    const made = await stack.up();
    expect(made.ok, made.text).toBe(true);
    const ids = (await stack.resources()).map(({ id }) => id).toSorted();
    const before = (await queriesOf(service)).length;

    stack.program = () => {
      new dag.SelectQuery("back", inputs, { aliases: [{ type: "dag:index:SelectQuery" }] });
      new dag.SplitTable("birds-back", table, { aliases: [{ type: "dag:index:SplitTable" }] });
    };
    const moved = await stack.up();
    expect(moved.ok, moved.text).toBe(true);
    expect(moved.changes).toEqual({ update: 2 });
    expect((await stack.up()).changes).toEqual({ same: 2 });
    expect((await stack.resources()).map(({ id }) => id).toSorted()).toEqual(ids);
    expect(await queriesOf(service)).toHaveLength(before);
    expect((await stack.refresh()).ok).toBe(true);

    stack.program = () => undefined;
    const gone = await stack.up();
    expect(gone.ok, gone.text).toBe(true);
    expect(gone.changes).toEqual({ delete: 2 });
  });
});
