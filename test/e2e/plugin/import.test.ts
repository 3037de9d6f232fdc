import { execFile } from "node:child_process";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { TestService } from "../../../service/testing";
import {
  clientOf,
  objectsUnder,
  pulumiEnvironment,
  pulumiRoot,
  queriesOf,
  startService,
  TestStack,
} from "../provider/harness";
import { PluginResource } from "./resources";

let service: TestService;

beforeAll(async () => {
  service = await startService({
    objects: { "dag://data/raw/birds.csv": "owl,2\nwren,1\nowl,3\n" },
    buckets: ["results", "tables", "logs"],
  });
});

afterAll(() => service?.close());

async function imported({ directory }: TestStack, kind: string, name: string, id: string): Promise<string> {
  const options = ["--stack", "dev", "--yes", "--generate-code=false"];
  const { stdout } = await promisify(execFile)(
    join(pulumiRoot(), "bin/pulumi"),
    ["import", `dag:index:${kind}`, name, id, ...options],
    { cwd: directory, env: { ...process.env, ...pulumiEnvironment(directory) } },
  );
  return stdout;
}

test("pulumi import: imports a query by its id alone, and the next up changes nothing", async () => {
  await using stack = await TestStack.create(service);
  await using client = clientOf(service);
  const inputs = {
    clusterName: "demo",
    query: "SELECT 1 AS one",
    outputResourcePath: "dag://results/adopted/",
    outputFormat: "tsv" as const,
  };
  const { queryId } = await client.submitSelect(inputs);
  await client.waitForQuery({ queryId, clusterName: "demo" });
  const before = (await queriesOf(service)).length;

  const stdout = await imported(stack, "SelectQuery", "adopted", String(queryId));
  expect(stdout).toMatch(/SelectQuery\s+adopted\s+import/);
  stack.program = () => {
    new PluginResource("SelectQuery", "adopted", inputs, { protect: true });
  };
  const run = await stack.up();
  expect(run.changes, run.text).toEqual({ same: 1 });
  expect(await queriesOf(service)).toHaveLength(before);
  expect(await stack.resource("adopted")).toMatchObject({ id: String(queryId), inputs });
});

test("pulumi import: a query that was submitted after the table it reads keeps its result, until the table is rebuilt", async () => {
  await using own = await TestStack.create(service);
  await using client = clientOf(service);
  const inputs = {
    clusterName: "demo",
    query: "SELECT count(*) AS n FROM tables.behind",
    outputResourcePath: "dag://results/behind/",
  };
  const make = (isImported: boolean, trigger: string) => () => {
    const args = {
      clusterName: "demo",
      inputObjectKeys: ["dag://data/raw/birds.csv"],
      outputDatabase: "tables",
      deletionPolicy: "purge",
    };
    const table = new PluginResource("SplitTable", "behind", { ...args, outputTable: "behind", triggers: [trigger] });
    if (isImported) new PluginResource("SelectQuery", "count", inputs, { dependsOn: table });
  };
  own.program = make(false, "1");
  expect((await own.up()).ok).toBe(true);
  const { queryId } = await client.submitSelect(inputs);
  await client.waitForQuery({ queryId, clusterName: "demo" });
  await imported(own, "SelectQuery", "count", String(queryId));
  own.program = make(true, "1");
  for (const run of [await own.up(), await own.up()]) {
    expect(run.ok, run.text).toBe(true);
    expect((await own.resource("count")).id, run.text).toBe(String(queryId));
  }
  own.program = make(true, "2");
  const rebuilt = await own.up();
  expect(rebuilt.text).toContain("runs again: the table tables.behind was rebuilt");
  expect((await own.resource("count")).id).not.toBe(String(queryId));
});

test("pulumi import: a cluster that is as the program says is not restarted", async () => {
  await using stack = await TestStack.create(service);
  await using client = clientOf(service);
  await client.restartCluster({ clusterName: "demo", debug: true });
  await expect
    .poll(async () => (await client.getCluster({ clusterName: "demo" })).status, { timeout: 60_000 })
    .toBe("norm");
  await imported(stack, "ClusterRestart", "restart", "demo");
  stack.program = () => {
    new PluginResource("ClusterRestart", "restart", { clusterName: "demo", debug: true }, { protect: true });
  };
  const run = await stack.up();
  expect(run.changes, run.text).toEqual({ same: 1 });
});

test("pulumi import: logs that were exported are not exported again; an empty folder is refused", async () => {
  await using stack = await TestStack.create(service);
  await using client = clientOf(service);
  const outputLogPath = "dag://logs/demo/";
  await expect(imported(stack, "ClusterLogExport", "logs", `demo/${outputLogPath}`)).rejects.toMatchObject({
    stdout: expect.stringContaining(outputLogPath),
  });
  await client.exportClusterLog({ clusterName: "demo", outputLogPath, compress: true });
  await expect.poll(() => objectsUnder(service, outputLogPath).length, { timeout: 60_000 }).toBeGreaterThan(0);
  await imported(stack, "ClusterLogExport", "logs", `demo/${outputLogPath}`);
  stack.program = () => {
    const args = { clusterName: "demo", outputLogPath, compress: true };
    new PluginResource("ClusterLogExport", "logs", args, { protect: true });
  };
  const run = await stack.up();
  expect(run.changes, run.text).toEqual({ same: 1 });
});
