import { describe, expect, test } from "vitest";
import { dag } from "./harness";
import { adoptAndEnd, endStored, InterruptedStack, testInterruptions } from "./interruption-cases";
import { endless } from "./numbers";
import { cliProcess, descendants, isAlive, kill, until } from "./processes";

const interrupted = new InterruptedStack((args, options) => new dag.SelectQuery("slow", args, options));

describe("an interrupted wait", () => {
  testInterruptions(interrupted);

  test("two SIGINTs: end all processes at once, and the next up finds the running query", async () => {
    interrupted.statement = endless;
    const { end } = await interrupted.upUntilItRuns();
    const cli = cliProcess().pid;
    const providers = descendants(cli).filter(({ command }) => command.includes("dynamic-provider"));
    expect(providers.length).toBeGreaterThan(0);
    for (const { pid } of providers) kill(pid, "SIGSTOP");
    kill(cli, "SIGINT");
    await until("the first is heard", () => interrupted.stack.said.includes("^C received"));
    kill(cli, "SIGINT");
    await until("the second is heard", () => interrupted.stack.said.includes("terminating"));
    // The engine waits 40 seconds for a provider that is stopped.
    for (const { pid } of providers) kill(pid, "SIGCONT");
    expect((await end).ok).toBe(false);
    await until("the provider has ended", () => !providers.some(({ pid }) => isAlive(pid)));
    // The provider's last answer, which has the id, may still have reached the engine.
    const isStored = (await interrupted.stack.resources()).length > 0;
    await (isStored ? endStored(interrupted) : adoptAndEnd(interrupted));
  });
});
