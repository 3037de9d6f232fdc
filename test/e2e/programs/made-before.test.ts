/** A table that a run would purge and that the same program refers to by an id, or makes again by command. */
import { appendFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { TestService } from "../../../service/testing";
import { PluginResource } from "../plugin/resources";
import { clientOf, dag, diagnostics, objectsUnder, startService, TestStack, type Run } from "../provider/harness";
import { endless } from "../provider/numbers";
import { birds, frontEndOfToday, frontEnds, number, objects } from "./front-ends";

let service: TestService;
let stack: TestStack;
beforeAll(async () => {
  const numbers = { "dag://data/numbers/n.csv": Array.from({ length: 9999 }, (_, n) => `${n}\n`).join("") };
  service = await startService({ objects: { ...objects, ...numbers }, buckets: ["mart"] });
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
    // One that has not finished has written nothing yet.
    const submission = { clusterName: "demo", query: endless, outputResourcePath: "dag://mart/shared/" };
    const { queryId } = await client.submitSelect(submission);
    id = `${queryId}`;
    const early = messages(succeeded(await reading.up()));
    expect(early).toContain(`query ${id} still runs, so it has no result yet: run the program again when`);
    expect(early).toContain("no query is to run");
    await client.cancelQuery({ queryId });
    id = await write(3);
    expect(succeeded(await reading.up()).outputs["rows"]).toEqual([["3"]]);
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
  expect(run).toMatch(/of this resource, .* it is deleted \(deletionPolicy "purge"\), and its query runs/);
  expect(run).toContain("1 ran, 0 adopted, 0 kept");
  expect((await stack.resource("again")).id).not.toBe(id);
});

test("table with purge, --replace: it stays when its input is gone", async () => {
  const [dynamic] = frontEnds;
  const input = join(service.bucketsDirectory, "raw", "gone.csv");
  writeFileSync(input, "kite,4\n");
  const inputObjectKeys = ["dag://raw/gone.csv"];
  stack.program = () => void dynamic!.table("gone", birds("mart", { outputTable: "gone", inputObjectKeys }));
  succeeded(await stack.up());
  const { urn } = await stack.resource("gone");
  rmSync(input);
  const failed = await stack.up({ replace: [urn] });
  expect(failed.ok).toBe(false);
  expect(failed.text).toContain(
    'the table stays, because it could not be made again: the object "dag://raw/gone.csv" of inputObjectKeys does not exist',
  );
  expect(objectsUnder(service, "dag://mart/gone/")).toEqual(["000000_0"]);
  writeFileSync(input, "kite,5\n");
  expect(messages(succeeded(await stack.up({ replace: [urn] })))).toContain("1 ran, 0 adopted, 0 kept");
  expect(messages(succeeded(await stack.up()))).toContain("no query is to run");
});
