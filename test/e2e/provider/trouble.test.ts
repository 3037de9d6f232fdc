import { cpSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import type { TestService } from "../../../service/testing";
import { dag, diagnostics, queriesOf, setFaults, TestStack } from "./harness";
import { endless, startServiceOfNumbers } from "./numbers";
import { engineProcesses, kill, until } from "./processes";

const quick = "SELECT max(n) AS n FROM data.numbers";

let service: TestService;
let stack: TestStack;
let statements: readonly string[] = [];
let round = 0;

beforeAll(async () => {
  service = await startServiceOfNumbers(20_000);
  stack = await TestStack.create(service);
  stack.program = () => {
    statements.forEach((query, index) => {
      const outputResourcePath = `dag://results/${round}/${index}/`;
      new dag.SelectQuery(`q${round}-${index}`, { clusterName: "demo", query, outputResourcePath });
    });
  };
});

beforeEach(() => {
  round += 1;
});

afterAll(async () => {
  await stack?.[Symbol.asyncDispose]();
  await service?.close();
});

const labels = async () => (await queriesOf(service)).map(({ label }) => label);

describe("a failing service", () => {
  test("failure: a failed query fails the deployment with the last lines of its log, and the next up runs it again", async () => {
    statements = [endless];
    const up = stack.up();
    // A query whose process ends before it has begun is begun in another one.
    const hasBegun = async () => (await queriesOf(service)).some((query) => query.type === "select" && query.stage > 0);
    await until("the query has begun", hasBegun);
    for (const pid of engineProcesses()) kill(pid, "SIGKILL");
    const run = await up;
    expect(run.ok).toBe(false);
    const error = diagnostics(run).find(({ severity, urn }) => severity === "error" && urn.endsWith(`q${round}-0`));
    expect(error!.message).toMatch(/query 1 on cluster "demo" failed: .*\nThe last lines of its log:\n/);
    expect(await stack.resources()).toEqual([]);
    statements = [quick];
    expect((await stack.up()).ok).toBe(true);
    expect(await labels()).toHaveLength(2);
  });

  test("a connection that is dropped after execution: no query is submitted twice", async () => {
    await setFaults(service, [{ operation: "submitSelect", probability: 1, dropConnection: "after" }]);
    statements = [quick, quick];
    const run = await stack.up();
    await setFaults(service, []);
    expect(run.ok, run.text).toBe(true);
    expect(await labels()).toHaveLength(4);
  });

  test("bursts of 503 and 429 and dropped connections: the deployment succeeds, and nothing runs twice", async () => {
    await setFaults(service, [
      { operation: "*", probability: 0.1, code: "ServiceUnavailable" },
      { operation: "*", probability: 0.1, code: "TooManyRequests" },
      { operation: "*", probability: 0.1, dropConnection: "after" },
    ]);
    statements = [quick, quick];
    const run = await stack.up();
    await setFaults(service, []);
    expect(run.ok, run.text).toBe(true);
    const found = await labels();
    expect(found).toHaveLength(6);
    expect(new Set(found).size).toBe(6);
  });

  test("20 minutes of clock skew: the client corrects the time, and the deployment succeeds", async () => {
    service.clock.advance(20 * 60_000);
    statements = [quick];
    const run = await stack.up();
    expect(run.ok, run.text).toBe(true);
  });

  test("a missing query record: refresh keeps the resource and reports it, and nothing runs again", async () => {
    statements = [quick];
    expect((await stack.up()).ok).toBe(true);
    const kept = join(service.dataDirectory, "kept");
    cpSync(service.bucketsDirectory, kept, { recursive: true });
    await service.reset();
    cpSync(kept, service.bucketsDirectory, { recursive: true });
    const refreshed = await stack.refresh();
    expect(refreshed.ok, refreshed.text).toBe(true);
    expect(refreshed.text).toContain("no longer has the record of query");
    expect(await stack.resource(`q${round}-0`)).toMatchObject({ outputs: { recordExpired: true, status: "finished" } });
    expect((await stack.up()).changes).toEqual({ same: 1 });
    expect(await labels()).toEqual([]);
    expect((await stack.destroy()).ok).toBe(true);
  });

  test("a missing query record and a deleted result: refresh says it, and the next up makes the result again", async () => {
    statements = [quick];
    expect((await stack.up()).ok).toBe(true);
    await service.reset();
    const refreshed = await stack.refresh();
    expect(refreshed.ok, refreshed.text).toBe(true);
    expect(refreshed.text).toContain("were deleted, so the result no longer exists");
    expect((await stack.up()).changes).toMatchObject({ create: 1 });
    expect(await labels()).toHaveLength(1);
    expect((await stack.destroy()).ok).toBe(true);
  });

  test("a query that did not finish: before another one runs, what others have put into its folder is named", async () => {
    const [{ program }, folder] = [stack, `${round}/0/`];
    const programOf = (query: string) => () =>
      void new dag.SelectQuery(
        `q${round}-0`,
        { clusterName: "demo", query, outputResourcePath: `dag://results/${folder}` },
        { customTimeouts: { create: "3s" } },
      );
    stack.program = programOf(endless);
    expect((await stack.up()).text).toContain("is still running after 3 s");
    mkdirSync(join(service.bucketsDirectory, "results", folder), { recursive: true });
    writeFileSync(join(service.bucketsDirectory, "results", folder, "mine.csv"), "1\n");
    stack.program = programOf(quick);
    const said = new RegExp(
      `the new query deletes all objects in dag://results/${folder}, none of which its old query \\d+ published`,
    );
    expect((await stack.preview()).text).toMatch(said);
    const run = await stack.up();
    expect(run.ok, run.text).toBe(true);
    expect(run.text).toMatch(said);
    stack.program = program;
  });
});
