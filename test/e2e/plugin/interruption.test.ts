import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import type { TestService } from "../../../service/testing";
import { clientOf, queriesOf, startService, TestStack } from "../provider/harness";
import { cliProcess, descendants, kill, killTree, until } from "../provider/processes";
import { PluginResource } from "./resources";

const numbers = Array.from({ length: 28_000 }, (_, n) => `${n}\n`).join("");
/** Takes several seconds also on a fast machine, and ends. */
const slow = "SELECT sum((a.n * b.n) % 7) AS s FROM data.numbers a CROSS JOIN data.numbers b";
const endless = "SELECT count(*) AS c FROM data.numbers a CROSS JOIN data.numbers b CROSS JOIN data.numbers c";

let service: TestService;
let stack: TestStack;
let timeout: string | undefined;
let statement = slow;
let path = "";
let round = 0;

beforeAll(async () => {
  service = await startService({
    objects: { "dag://data/numbers/n.csv": numbers },
    buckets: ["results"],
    tables: [{ database: "data", table: "numbers", format: "csv", schema: "bigint n" }],
  });
  stack = await TestStack.create(service);
  stack.program = () => {
    const query = new PluginResource(
      "SelectQuery",
      "slow",
      { clusterName: "demo", query: statement, outputResourcePath: path },
      timeout === undefined ? {} : { customTimeouts: { create: timeout, update: timeout } },
    );
    return { status: query.status, id: query.queryId };
  };
});

beforeEach(() => {
  timeout = undefined;
  statement = slow;
  round += 1;
  path = `dag://results/round-${round}/`;
});

afterAll(async () => {
  await stack?.[Symbol.asyncDispose]();
  await service?.close();
});

/** The queries of this round. */
const own = async () => {
  await using client = clientOf(service);
  const records = await Promise.all((await queriesOf(service)).map(({ id }) => client.getQuery({ queryId: id })));
  return records.filter((record) => record.type === "select" && record.outputResourcePath === path);
};

const runs = async () => (await own()).some(({ status }) => status === "running");

const plugins = () => descendants().filter(({ command }) => command.includes("pulumi-resource-dag"));

/** Deploys again until the running query is taken over, and ends it then. */
async function adoptAndEnd(): Promise<void> {
  const up = stack.up();
  const takenOver = "of an earlier run is the same and still runs: it is taken over";
  await until("the query is taken over", () => stack.said.includes(takenOver));
  await using client = clientOf(service);
  await client.cancelQuery({ queryId: (await own())[0]!.id });
  const run = await up;
  expect(run.ok).toBe(false);
  expect(run.text).toMatch(/query \d+ on cluster "demo" was cancelled/);
  expect(await own()).toHaveLength(1);
}

describe("a wait that is interrupted", () => {
  test("SIGINT: ends at once with the query's id, and the next up goes on waiting for that same query", async () => {
    const up = stack.up();
    await until("the query runs", runs);
    kill(cliProcess().pid, "SIGINT");
    const first = await up;
    expect(first.ok).toBe(false);
    expect(first.text).toMatch(/wait for query \d+ was interrupted.*run "pulumi up" again/s);
    expect(await runs()).toBe(true);
    const partial = await stack.resource("slow");
    expect(partial).toMatchObject({ id: String((await own())[0]!.id), outputs: { status: "running" } });
    expect(partial.initErrors).toHaveLength(1);

    const second = await stack.up();
    expect(second.ok, second.text).toBe(true);
    expect(second.changes).toEqual({ update: 1 });
    expect(second.outputs).toEqual({ status: "finished", id: Number(partial.id) });
    expect((await stack.resource("slow")).initErrors ?? []).toEqual([]);
    expect(await own()).toHaveLength(1);
  });

  test("timeout: of the program ends the wait, and a refresh says that the query still runs", async () => {
    timeout = "500ms";
    const first = await stack.up();
    expect(first.text).toMatch(/query \d+ still runs after/);
    const refreshed = await stack.refresh();
    expect(refreshed.text).toMatch(/query \d+ still runs/);
    expect((await stack.resource("slow")).initErrors).toHaveLength(1);

    timeout = undefined;
    const second = await stack.up({ refresh: true });
    expect(second.ok, second.text).toBe(true);
    expect(second.outputs).toMatchObject({ status: "finished" });
    expect(await own()).toHaveLength(1);
  });

  test("kill -9 of the whole process tree: the next up adopts the running query", async () => {
    statement = endless;
    const up = stack.up();
    await until("the query runs", runs);
    killTree();
    expect((await up).ok).toBe(false);
    await stack.stack.cancel();
    await adoptAndEnd();
  });

  test("kill -9 of the engine alone: the plugin ends by itself", async () => {
    statement = endless;
    const up = stack.up();
    await until("the query runs", runs);
    const [plugin] = plugins();
    kill(cliProcess().pid, "SIGKILL");
    expect((await up).ok).toBe(false);
    await until("the plugin is gone", () => {
      try {
        process.kill(plugin!.pid, 0);
        return false;
      } catch {
        return true;
      }
    });
    await stack.stack.cancel();
    await adoptAndEnd();
  });

  test("destroy: of an unfinished query cancels it", async () => {
    timeout = "500ms";
    statement = endless;
    expect((await stack.up()).ok).toBe(false);
    expect((await stack.destroy()).ok).toBe(true);
    expect(await own()).toMatchObject([{ status: "canceled" }]);
  });
});

describe("a query that another cancelled", () => {
  test("refresh: says so, and the next up runs it anew", async () => {
    timeout = "500ms";
    expect((await stack.up()).ok).toBe(false);
    await using client = clientOf(service);
    await client.cancelQuery({ queryId: (await own())[0]!.id });
    expect((await stack.refresh()).text).toMatch(/query \d+ was cancelled/);
    timeout = undefined;
    const run = await stack.up();
    expect(run.ok, run.text).toBe(true);
    expect((await own()).map(({ status }) => status).toSorted()).toEqual(["canceled", "finished"]);
  });
});
