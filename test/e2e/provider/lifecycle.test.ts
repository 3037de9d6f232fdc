import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { TestService } from "../../../service/testing";
import { dag, diagnostics, objectsUnder, queriesOf, rows, startService, TestStack } from "./harness";

const birds = Array.from({ length: 500 }, (_, row) => `${["owl", "wren", "kite"][row % 3]},${row}\n`).join("");

let service: TestService;
let stack: TestStack;
let query = "SELECT bird, count(*) AS seen FROM wildlife.birds GROUP BY bird ORDER BY bird";

beforeAll(async () => {
  service = await startService({
    objects: { "dag://landing/birds.csv": birds },
    buckets: ["wildlife", "results", "logs"],
  });
  stack = await TestStack.create(service);
  stack.program = () => {
    const table = new dag.SplitTable("birds", {
      clusterName: "demo",
      inputObjectKeys: ["dag://landing/birds.csv"],
      outputDatabase: "wildlife",
      outputTable: "birds",
      schema: "string bird, int n",
    });
    const counts = new dag.SelectQuery("counts", {
      clusterName: "demo",
      query,
      outputResourcePath: "dag://results/counts/",
      resultRows: 2,
    });
    const logs = new dag.ClusterLogExport(
      "logs",
      { clusterName: "demo", outputLogPath: "dag://logs/demo/" },
      { dependsOn: counts },
    );
    const restart = new dag.ClusterRestart("restart", { clusterName: "demo", drain: true }, { dependsOn: logs });
    return {
      table: table.qualifiedName,
      rows: counts.result.apply((result) => result?.rows),
      log: counts.log,
      progress: counts.progress,
      status: restart.status,
    };
  };
});

afterAll(async () => {
  await stack?.[Symbol.asyncDispose]();
  await service?.close();
});

describe("all four resources", () => {
  test("preview: lists the resources to create, and creates nothing", async () => {
    const run = await stack.preview();
    expect(run.text).toContain("5 to create");
    expect(run.changes).toEqual({ create: 4 });
    expect(await stack.resources()).toEqual([]);
    expect(await queriesOf(service)).toEqual([]);
  });

  test("up: creates the resources in the order of their dependencies, with results", async () => {
    const run = await stack.up();
    expect(run.text).toContain("5 created");
    expect(run.outputs).toMatchObject({
      table: "wildlife.birds",
      rows: [
        ["kite", "166"],
        ["owl", "167"],
      ],
      progress: "100%",
      status: "norm",
    });
    // The row names the query's page in the console.
    const row = /^\[2\/3\] running .*query (\d+) · http:\/\/127\.0\.0\.1:\d+\/console\/queries\/\1$/;
    expect(rows(run, "counts")).toContainEqual(expect.stringMatching(row));
  });

  test("state: contains no secret, only one line of provider code, and stays small", async () => {
    expect(stack.stateText().includes(service.credentials.secretAccessKey)).toBe(false);
    for (const resource of await stack.resources()) {
      expect(String(resource.inputs["__provider"]).length).toBeLessThan(300);
      const { sourcePosition: _position, stackTrace: _trace, ...kept } = resource as unknown as Record<string, unknown>;
      const { log: _log, result: _result, ...outputs } = resource.outputs;
      expect(JSON.stringify({ ...kept, outputs }).length, resource.urn).toBeLessThanOrEqual(1.3 * 1024);
    }
  });

  test("up: changes nothing when nothing changed", async () => {
    const before = await queriesOf(service);
    const run = await stack.up();
    expect(run.ok).toBe(true);
    expect(run.changes).toEqual({ same: 4 });
    expect(await queriesOf(service)).toEqual(before);
  });

  test("refresh: finds no changes", async () => {
    const before = (await stack.resources()).map(({ outputs }) => outputs);
    const run = await stack.refresh();
    expect(run.ok).toBe(true);
    expect(run.changes).toEqual({ refresh: 4 });
    expect((await stack.resources()).map(({ outputs }) => outputs)).toEqual(before);
  });

  test("up: runs only a changed query again, after the old one is deleted", async () => {
    query = query.replace("ORDER BY bird", "ORDER BY bird DESC");
    const preview = await stack.preview();
    expect(preview.changes).toMatchObject({ same: 3, replace: 1 });
    const run = await stack.up();
    expect(run.outputs).toMatchObject({
      rows: [
        ["wren", "167"],
        ["owl", "167"],
      ],
    });
    const order = run.events.flatMap(({ resourcePreEvent }) =>
      resourcePreEvent?.metadata.urn.endsWith("::counts") ? [resourcePreEvent.metadata.op] : [],
    );
    expect(order).toEqual(["delete-replaced", "replace", "create-replacement"]);
  });

  test("destroy: keeps tables, results and logs, and reports it", async () => {
    const run = await stack.destroy();
    expect(run.ok).toBe(true);
    expect(await stack.resources()).toEqual([]);
    const said = diagnostics(run).map(({ message }) => message);
    expect(said).toContainEqual(expect.stringContaining("the table wildlife.birds and its objects in"));
    expect(said).toContainEqual(expect.stringContaining("a restart of cluster demo cannot be undone"));
    expect(objectsUnder(service, "dag://wildlife/birds/")).toEqual(["000000_0"]);
  });
});
