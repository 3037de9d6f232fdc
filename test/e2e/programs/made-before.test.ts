/** A table that a run would purge and that the same program refers to by an id, or makes again by command. */
import { appendFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { TestService } from "../../../service/testing";
import { PluginResource } from "../plugin/resources";
import { clientOf, dag, diagnostics, objectsUnder, startService, TestStack, type Run } from "../provider/harness";
import { birds, frontEndOfToday, frontEnds, number, objects } from "./front-ends";

let service: TestService;
let stack: TestStack;
beforeAll(async () => {
  service = await startService({ objects, buckets: ["mart"] });
  stack = await TestStack.create(service);
});
afterAll(async () => {
  await stack?.[Symbol.asyncDispose]();
  await service?.close();
});

const messages = (run: Run) =>
  diagnostics(run)
    .map(({ message }) => message)
    .join("\n");
const succeeded = (run: Run) => {
  expect(run.ok, run.text).toBe(true);
  return run;
};

describe.each(frontEndOfToday(1))("table, $name", (frontEnd) => {
  test("referred to by its id where its resource was: is kept by the purge, with a warning", async () => {
    stack.program = () => void frontEnd.table("birds", birds("mart"));
    succeeded(await stack.up());
    const id = (await stack.resource("birds")).id!;
    stack.program = () => {
      if (frontEnd.name === "plugin") new PluginResource("SplitTable", "same", {}, { id });
      else dag.SplitTable.get("same", id);
    };
    const run = succeeded(await stack.up());
    expect(messages(run)).toContain(
      'the objects in dag://mart/birds/ are kept, although deletionPolicy is "purge": the program refers to them by the id',
    );
    expect(objectsUnder(service, "dag://mart/birds/")).toEqual(["000000_0"]);
    succeeded(await stack.up());
    expect(objectsUnder(service, "dag://mart/birds/")).toEqual(["000000_0"]);
  });
});

describe.each(frontEndOfToday(0))("result, $name", (frontEnd) => {
  test("referred to by an id: a query that reads it runs again when the id is that of a later query", async () => {
    await using client = clientOf(service);
    const write = async (value: number) => {
      const outputResourcePath = "dag://mart/shared/";
      const query = `SELECT ${value} AS n`;
      const { queryId } = await client.submitSelect({ clusterName: "demo", query, outputResourcePath });
      await client.waitForQuery({ clusterName: "demo", queryId });
      return `${queryId}`;
    };
    await using reading = await TestStack.create(service);
    let id = await write(1);
    reading.program = () => {
      const shared =
        frontEnd.name === "plugin"
          ? new PluginResource("SelectQuery", "shared", {}, { id })
          : dag.SelectQuery.get("shared", id);
      const statement = { query: "SELECT n FROM mart.shared" };
      const reader = frontEnd.query("reader", number(0, "dag://mart/reader/", statement), { dependsOn: [shared] });
      return { rows: reader.result.apply((result) => result?.rows) };
    };
    expect(succeeded(await reading.up()).outputs["rows"]).toEqual([["1"]]);
    id = await write(2);
    const run = succeeded(await reading.up());
    expect(run.outputs["rows"]).toEqual([["2"]]);
    expect(messages(run)).toContain("1 ran, 0 adopted, 0 kept");
    expect(messages(succeeded(await reading.up()))).toContain("no query is to run");
  });
});

test("table with purge, --replace: the preview says what it deletes, and that its query then runs", async () => {
  const [dynamic] = frontEnds;
  stack.program = () => void dynamic!.table("again", birds("mart", { outputTable: "again", rerunOnInputChange: true }));
  succeeded(await stack.up());
  const { urn, id } = await stack.resource("again");
  const preview = messages(succeeded(await stack.preview({ replace: [urn] })));
  expect(preview).toContain(
    "cluster demo: no query is to run; 1 table will be adopted; 0 results are kept; " +
      "outputs that will be deleted: dag://mart/again/ (with --replace)",
  );
  expect(preview).toContain("it is adopted; with --replace, it is deleted before, and its query runs");
  // Of another content, it is still the resource's own, and not adopted.
  appendFileSync(join(service.bucketsDirectory, "raw", "birds.csv"), "kite,4\n");
  const run = messages(succeeded(await stack.up({ replace: [urn] })));
  expect(run).toContain("with --replace, the table is deleted before, and its query runs; otherwise");
  expect(run).toContain("1 ran, 0 adopted, 0 kept");
  expect((await stack.resource("again")).id).not.toBe(id);
});
