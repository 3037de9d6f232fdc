import { describe, expect, test } from "vitest";
import { adoptAndEnd, InterruptedStack, testInterruptions } from "../provider/interruption-cases";
import { endless } from "../provider/numbers";
import { cliProcess, descendants, isAlive, kill, until } from "../provider/processes";
import { PluginResource } from "./resources";

const interrupted = new InterruptedStack((args, options) => new PluginResource("SelectQuery", "slow", args, options));

describe("an interrupted wait", () => {
  testInterruptions(interrupted);

  test("refresh: reports that the query is still running, and keeps it unfinished", async () => {
    interrupted.timeout = "500ms";
    expect((await interrupted.stack.up()).text).toMatch(/query \d+ is still running after/);
    const refreshed = await interrupted.stack.refresh();
    expect(refreshed.text).toMatch(/query \d+ is still running/);
    expect((await interrupted.stack.resource("slow")).initErrors).toHaveLength(1);
    expect((await interrupted.stack.destroy()).ok).toBe(true);
  });

  test("kill -9 of the engine: the plugin exits by itself", async () => {
    interrupted.statement = endless;
    const { end } = await interrupted.upUntilItRuns();
    const plugin = descendants().find(({ command }) => command.includes("pulumi-resource-dag"));
    kill(cliProcess().pid, "SIGKILL");
    expect((await end).ok).toBe(false);
    await until("the plugin is gone", () => !isAlive(plugin!.pid));
    await interrupted.stack.stack.cancel();
    await adoptAndEnd(interrupted);
  });
});

describe("a query that was cancelled outside of Pulumi", () => {
  test("refresh: reports it, and the next up runs the query again", async () => {
    interrupted.timeout = "500ms";
    expect((await interrupted.stack.up()).ok).toBe(false);
    await interrupted.cancelQuery();
    expect((await interrupted.stack.refresh()).text).toMatch(/query \d+ was cancelled/);
    interrupted.timeout = undefined;
    const run = await interrupted.stack.up();
    expect(run.ok, run.text).toBe(true);
    expect((await interrupted.queries()).map(({ status }) => status).toSorted()).toEqual(["canceled", "finished"]);
  });
});
