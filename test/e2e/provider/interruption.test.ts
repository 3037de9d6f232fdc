import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import type { TestService } from "../../../service/testing";
import { clientOf, dag, queriesOf, startService, TestStack } from "./harness";
import { cliProcess, descendants, isAlive, kill, killTree, until } from "./processes";

const numbers = Array.from({ length: 15_000 }, (_, n) => `${n}\n`).join("");
const short = "SELECT max(n) AS m FROM data.numbers";
/** Takes a few seconds, and ends. */
const long = "SELECT sum((a.n * b.n) % 7) AS s FROM data.numbers a CROSS JOIN data.numbers b";
const endless = "SELECT count(*) AS c FROM data.numbers a CROSS JOIN data.numbers b CROSS JOIN data.numbers c";

let service: TestService;
let stack: TestStack;
let timeout: string | undefined;
let statement = short;
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
    const query = new dag.SelectQuery(
      "slow",
      { clusterName: "demo", query: statement, outputResourcePath: path },
      timeout === undefined ? {} : { customTimeouts: { create: timeout, update: timeout } },
    );
    return { status: query.status, id: query.queryId };
  };
});

beforeEach(() => {
  timeout = undefined;
  statement = short;
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
  test("timeout: keeps the query's id as partial state, and the next up goes on waiting for that same query", async () => {
    timeout = "1ms";
    const first = await stack.up();
    expect(first.ok).toBe(false);
    expect(first.text).toMatch(/query \d+ still runs after 1 ms.*run "pulumi up" again to go on waiting/s);
    const partial = await stack.resource("slow");
    expect(partial).toMatchObject({ id: String((await own())[0]!.id), outputs: { status: "running" } });
    expect(partial.initErrors).toHaveLength(1);
    expect(partial.outputs["__provider"]).toBe(partial.inputs["__provider"]);

    timeout = undefined;
    const second = await stack.up();
    expect(second.text).toContain("1 updated");
    expect(second.outputs).toEqual({ status: "finished", id: Number(partial.id) });
    expect((await stack.resource("slow")).initErrors ?? []).toEqual([]);
    expect(await own()).toHaveLength(1);
  });

  test("refresh: of an unfinished query is not the end of the wait", async () => {
    timeout = "1ms";
    statement = long;
    expect((await stack.up()).ok).toBe(false);
    timeout = undefined;
    const run = await stack.up({ refresh: true });
    expect(run.ok, run.text).toBe(true);
    expect(run.outputs).toMatchObject({ status: "finished" });
    expect((await stack.resource("slow")).outputs).toHaveProperty("log");
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

  test("one SIGINT: the engine waits for the query, and its result is kept", async () => {
    statement = long;
    const up = stack.up();
    await until("the query runs", runs);
    kill(cliProcess().pid, "SIGINT");
    const run = await up;
    expect(run.ok).toBe(false);
    expect(await stack.resource("slow")).toMatchObject({ outputs: { status: "finished" } });
    expect((await stack.up()).changes).toEqual({ same: 1 });
    expect(await own()).toHaveLength(1);
  });

  test("two SIGINTs: nothing is left behind, and the next up adopts the running query", async () => {
    statement = endless;
    const up = stack.up();
    await until("the query runs", runs);
    const providers = descendants(cliProcess().pid).filter(({ command }) => command.includes("dynamic-provider"));
    expect(providers.length).toBeGreaterThan(0);
    kill(cliProcess().pid, "SIGINT");
    await new Promise((resolve) => setTimeout(resolve, 300));
    kill(cliProcess().pid, "SIGINT");
    expect((await up).ok).toBe(false);
    await until("the provider has ended", () => !providers.some(({ pid }) => isAlive(pid)));
    await adoptAndEnd();
  });

  test("destroy: of an unfinished query cancels it", async () => {
    timeout = "1ms";
    statement = endless;
    expect((await stack.up()).ok).toBe(false);
    expect((await stack.destroy()).ok).toBe(true);
    expect(await own()).toMatchObject([{ status: "canceled" }]);
  });
});
