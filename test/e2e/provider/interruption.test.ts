import { describe, expect, test } from "vitest";
import { dag } from "./harness";
import { adoptAndEnd, InterruptedStack, testInterruptions } from "./interruptions";
import { endless } from "./numbers";
import { cliProcess, descendants, isAlive, kill, until } from "./processes";

const interrupted = new InterruptedStack((args, options) => new dag.SelectQuery("slow", args, options));

describe("a wait that is interrupted", () => {
  testInterruptions(interrupted);

  test("two SIGINTs: end at once what does not end by itself, and the next up adopts the running query", async () => {
    interrupted.statement = endless;
    const { end } = await interrupted.upUntilItRuns();
    const cli = cliProcess().pid;
    const providers = descendants(cli).filter(({ command }) => command.includes("dynamic-provider"));
    expect(providers.length).toBeGreaterThan(0);
    for (const { pid } of providers) kill(pid, "SIGSTOP");
    kill(cli, "SIGINT");
    await until("the first is heard", () => interrupted.stack.said.includes("^C received"));
    kill(cli, "SIGINT");
    expect((await end).ok).toBe(false);
    for (const { pid } of providers) kill(pid, "SIGCONT");
    await until("the provider has ended", () => !providers.some(({ pid }) => isAlive(pid)));
    await adoptAndEnd(interrupted);
  });
});
