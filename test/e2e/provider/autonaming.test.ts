import * as pulumi from "@pulumi/pulumi";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { TestService } from "../../../service/testing";
import { dag, objectsUnder, queriesOf, startService, TestStack, type Run } from "./harness";

let service: TestService;
let stack: TestStack;
let deletionPolicy: "keep" | "purge" = "keep";
let trigger = 1;

beforeAll(async () => {
  service = await startService({
    objects: { "dag://landing/birds.csv": "owl,1\nkite,2\n" },
    buckets: ["wildlife", "results"],
  });
  stack = await TestStack.create(service);
  stack.program = () => {
    const table = new dag.SplitTable("Rare-Birds", {
      clusterName: "demo",
      inputObjectKeys: ["dag://landing/birds.csv"],
      outputDatabase: "wildlife",
      schema: "string bird, int n",
      triggers: [trigger],
      deletionPolicy,
    });
    const sum = new dag.SelectQuery("sum", {
      clusterName: "demo",
      query: pulumi.interpolate`SELECT sum(n) AS s FROM ${table.qualifiedName}`,
      outputResourcePath: "dag://results/sum/",
      resultRows: 1,
    });
    return { table: table.outputTable, rows: sum.result.apply((result) => result?.rows) };
  };
});

afterAll(async () => {
  await stack?.[Symbol.asyncDispose]();
  await service?.close();
});

const nameIn = (run: Run) => String(run.outputs["table"]);

/** The engine's operations on the table, in order. */
const operations = (run: Run) =>
  run.events.flatMap(({ resourcePreEvent }) =>
    resourcePreEvent?.metadata.urn.endsWith("::Rare-Birds") ? [resourcePreEvent.metadata.op] : [],
  );

describe("a table without a name", () => {
  const names: string[] = [];

  test("up: the table is named after its resource, and the queries that read it use the name", async () => {
    const run = await stack.up();
    expect(run.ok, run.text).toBe(true);
    expect(run.outputs["rows"]).toEqual([["3"]]);
    names.push(nameIn(run));
    expect(names[0]).toMatch(/^rare_birds_[0-9a-f]{7}$/);
    expect(objectsUnder(service, `dag://wildlife/${names[0]}/`)).toEqual(["000000_0"]);
  });

  test("up, refresh: the table keeps its name, and nothing runs again", async () => {
    const before = await queriesOf(service);
    for (const run of [await stack.up(), await stack.up({ refresh: true })]) {
      expect(run.ok, run.text).toBe(true);
      expect(run.changes["same"]).toBe(2);
      expect(nameIn(run)).toBe(names[0]);
    }
    expect(await queriesOf(service)).toEqual(before);
  });

  test("up: a changed trigger creates a new table with a new name, and keeps the old table", async () => {
    trigger = 2;
    const run = await stack.up();
    expect(run.ok, run.text).toBe(true);
    expect(operations(run)).toEqual(["delete-replaced", "replace", "create-replacement"]);
    expect(run.text).toContain(`the table wildlife.${names[0]} and its objects in`);
    names.push(nameIn(run));
    expect(names[1]).toMatch(/^rare_birds_[0-9a-f]{7}$/);
    expect(names[1]).not.toBe(names[0]);
    for (const name of names) expect(objectsUnder(service, `dag://wildlife/${name}/`)).toEqual(["000000_0"]);
    expect(run.outputs["rows"]).toEqual([["3"]]);
  });

  test("up, destroy: deletionPolicy purge deletes the replaced table, and in the end the last one", async () => {
    deletionPolicy = "purge";
    const updated = await stack.up();
    expect(updated.changes).toMatchObject({ update: 1, same: 1 });
    expect(nameIn(updated)).toBe(names[1]);
    trigger = 3;
    const run = await stack.up();
    expect(run.ok, run.text).toBe(true);
    names.push(nameIn(run));
    expect(objectsUnder(service, `dag://wildlife/${names[1]}/`)).toEqual([]);
    expect(objectsUnder(service, `dag://wildlife/${names[2]}/`)).toEqual(["000000_0"]);
    expect((await stack.destroy()).ok).toBe(true);
    expect(objectsUnder(service, `dag://wildlife/${names[2]}/`)).toEqual([]);
    expect(objectsUnder(service, `dag://wildlife/${names[0]}/`)).toEqual(["000000_0"]);
  });
});
