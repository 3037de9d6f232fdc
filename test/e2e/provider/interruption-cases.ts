/** Tests of interrupted waits for both front ends, and the stack that they use. */
import type * as pulumi from "@pulumi/pulumi";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import type { SelectRecord } from "../../../contract";
import type { TestService } from "../../../service/testing";
import { clientOf, queriesOf, TestStack } from "./harness";
import { endless, startServiceOfNumbers } from "./numbers";
import { cliProcess, kill, killTree, until } from "./processes";

/** Creates the program's query with a front end. */
type MakeQuery = (
  args: { readonly clusterName: string; readonly query: string; readonly outputResourcePath: string },
  options: pulumi.CustomResourceOptions,
) => { readonly status: pulumi.Output<unknown>; readonly queryId: pulumi.Output<number> };

/** Takes several seconds also on a fast machine, and ends. */
const slow = "SELECT sum((a.n * b.n) % 7) AS s FROM data.numbers a CROSS JOIN data.numbers b";

/** A stack with one query, named `slow`; another one in each test. */
export class InterruptedStack {
  /** The statement of the program's query. */
  statement = slow;
  /** The query's customTimeouts. */
  timeout: string | undefined;
  stack!: TestStack;
  #service!: TestService;
  #path = "";

  /** Sets it up for the tests of a file. */
  constructor(make: MakeQuery) {
    let round = 0;
    beforeAll(async () => {
      this.#service = await startServiceOfNumbers(20_000);
      this.stack = await TestStack.create(this.#service);
      this.stack.program = () => {
        const { timeout } = this;
        const { status, queryId } = make(
          { clusterName: "demo", query: this.statement, outputResourcePath: this.#path },
          timeout === undefined ? {} : { customTimeouts: { create: timeout, update: timeout } },
        );
        return { status, id: queryId };
      };
    });
    beforeEach(() => {
      this.timeout = undefined;
      this.statement = slow;
      this.#path = `dag://results/round-${++round}/`;
    });
    afterAll(async () => {
      await this.stack?.[Symbol.asyncDispose]();
      await this.#service?.close();
    });
  }

  /** The queries of this test. */
  async queries(): Promise<SelectRecord[]> {
    await using client = clientOf(this.#service);
    const all = await queriesOf(this.#service);
    const records = await Promise.all(all.map(({ id }) => client.getQuery({ queryId: id })));
    return records
      .filter((record) => record.type === "select")
      .filter((record) => record.outputResourcePath === this.#path);
  }

  /** Begins to deploy; resolves once the query runs, with the end of the deployment. */
  async upUntilItRuns() {
    const end = this.stack.up();
    await until("the query runs", async () => (await this.queries()).some(({ status }) => status === "running"));
    return { end };
  }

  /** Cancels the query from outside. */
  async cancelQuery(): Promise<void> {
    await using client = clientOf(this.#service);
    await client.cancelQuery({ queryId: (await this.queries())[0]!.id });
  }
}

/** Deploys again until the running query is adopted, then cancels it. */
export async function adoptAndEnd(interrupted: InterruptedStack): Promise<void> {
  const { stack } = interrupted;
  const up = stack.up();
  let ended = false;
  void up.finally(() => (ended = true));
  const isAdopted = () => stack.said.includes("of an earlier run is identical and still running: it is adopted");
  await until("the query is adopted, or the deployment ends", () => isAdopted() || ended);
  expect(isAdopted(), stack.said).toBe(true);
  await interrupted.cancelQuery();
  const run = await up;
  expect(run.ok).toBe(false);
  expect(run.text).toMatch(/query \d+ on cluster "demo" was cancelled/);
  expect(await interrupted.queries()).toHaveLength(1);
}

/** Cancels the query, whose id the state holds, and expects that the next deployment reports its end. */
export async function endStored(interrupted: InterruptedStack): Promise<void> {
  await interrupted.cancelQuery();
  const run = await interrupted.stack.up();
  expect(run.ok).toBe(false);
  expect(run.text).toMatch(/query \d+ on cluster "demo" was cancelled/);
  expect(await interrupted.queries()).toHaveLength(1);
}

/** Tests that run with both front ends. */
export function testInterruptions(interrupted: InterruptedStack): void {
  test("one SIGINT: ends at once and stores the query's id, and the next up continues waiting for the same query", async () => {
    const { end } = await interrupted.upUntilItRuns();
    kill(cliProcess().pid, "SIGINT");
    const first = await end;
    expect(first.ok).toBe(false);
    expect(first.text).toMatch(/wait for query \d+ was interrupted.*run "pulumi up" again/s);
    expect(await interrupted.queries()).toMatchObject([{ status: "running" }]);
    await goesOn(interrupted);
  });

  test("timeout: stores the query's id, and the next up continues waiting for the same query", async () => {
    interrupted.timeout = "500ms";
    const first = await interrupted.stack.up();
    expect(first.ok).toBe(false);
    expect(first.text).toMatch(/query \d+ is still running after 500 ms.*run "pulumi up" again to continue waiting/s);
    interrupted.timeout = undefined;
    await goesOn(interrupted);
  });

  test("refresh: keeps an unfinished query, so that the next up continues waiting for it", async () => {
    interrupted.timeout = "500ms";
    expect((await interrupted.stack.up()).ok).toBe(false);
    interrupted.timeout = undefined;
    const run = await interrupted.stack.up({ refresh: true });
    expect(run.ok, run.text).toBe(true);
    expect(run.outputs).toMatchObject({ status: "finished" });
    expect((await interrupted.stack.resource("slow")).outputs).toHaveProperty("log");
    expect(await interrupted.queries()).toHaveLength(1);
  });

  test("kill -9 of the whole process tree: the next up adopts the running query", async () => {
    interrupted.statement = endless;
    const { end } = await interrupted.upUntilItRuns();
    killTree();
    expect((await end).ok).toBe(false);
    await interrupted.stack.stack.cancel();
    await adoptAndEnd(interrupted);
  });

  test("kill -9 of a replacement, whose query then finishes: the next up adopts its result", async () => {
    interrupted.statement = "SELECT 0 AS n";
    expect((await interrupted.stack.up()).ok).toBe(true);
    interrupted.statement = `${slow} WHERE a.n < 6000`;
    const { end } = await interrupted.upUntilItRuns();
    killTree();
    expect((await end).ok).toBe(false);
    await interrupted.stack.stack.cancel();
    const statuses = async () => (await interrupted.queries()).map(({ status }) => status);
    await until("the query finishes", async () => !(await statuses()).includes("running"));
    const run = await interrupted.stack.up();
    expect(run.ok, run.text).toBe(true);
    expect(run.text).toContain("of an interrupted run is identical and has finished");
    expect(run.text).not.toContain("the new query deletes all objects");
    expect(await statuses()).toEqual(["finished", "finished"]);
    expect(run.outputs).toEqual({ status: "finished", id: (await interrupted.queries())[1]!.id });
    expect((await interrupted.stack.up()).changes).toEqual({ same: 1 });
  });

  test("kill -9, then another statement: the next up cancels the query that the state has lost", async () => {
    interrupted.statement = endless;
    const { end } = await interrupted.upUntilItRuns();
    killTree();
    expect((await end).ok).toBe(false);
    await interrupted.stack.stack.cancel();
    const [lost] = await interrupted.queries();
    interrupted.statement = "SELECT 1 AS n";
    const run = await interrupted.stack.up();
    expect(run.ok, run.text).toBe(true);
    expect(run.text).toContain(
      `query ${lost!.id} of an interrupted run of this resource has other inputs: it is cancelled`,
    );
    expect((await interrupted.queries()).map(({ status }) => status)).toEqual(["canceled", "finished"]);
  });

  test("destroy: cancels an unfinished query", async () => {
    interrupted.timeout = "500ms";
    interrupted.statement = endless;
    expect((await interrupted.stack.up()).ok).toBe(false);
    expect((await interrupted.stack.destroy()).ok).toBe(true);
    expect(await interrupted.queries()).toMatchObject([{ status: "canceled" }]);
  });
}

async function goesOn(interrupted: InterruptedStack): Promise<void> {
  const { stack } = interrupted;
  const partial = await stack.resource("slow");
  expect(partial).toMatchObject({ outputs: { status: "running" } });
  expect(partial.initErrors).toHaveLength(1);
  expect(partial.outputs["__provider"]).toBe(partial.inputs["__provider"]);
  const run = await stack.up();
  expect(run.ok, run.text).toBe(true);
  expect(run.changes).toEqual({ update: 1 });
  expect(run.outputs).toEqual({ status: "finished", id: Number(partial.id) });
  expect((await stack.resource("slow")).initErrors ?? []).toEqual([]);
  expect(await interrupted.queries()).toMatchObject([{ id: Number(partial.id) }]);
}
