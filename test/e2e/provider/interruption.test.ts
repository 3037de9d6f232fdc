import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { dag, root } from "./harness";
import { adoptAndEnd, endStored, InterruptedStack, testInterruptions } from "./interruption-cases";
import { endless } from "./numbers";
import { cliProcess, descendants, isAlive, kill, killTree, until } from "./processes";

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

  test("kill -9: Pulumi warns of the pending creation as docs/troubleshooting.md says, until a refresh clears it", async () => {
    const { stack } = interrupted;
    interrupted.statement = endless;
    const { end } = await interrupted.upUntilItRuns();
    killTree();
    expect((await end).ok).toBe(false);
    await stack.stack.cancel();
    expect(quotedWarning.length).toBeGreaterThan(2);
    interrupted.statement = "SELECT 1 AS n";
    for (const changes of [{ create: 1 }, { same: 1 }]) {
      const run = await stack.up();
      expect(run.ok, run.text).toBe(true);
      expect(run.changes).toEqual(changes);
      expect(quotedWarning.filter((part) => !run.text.includes(part))).toEqual([]);
    }
    expect((await stack.refresh({ clearPendingCreates: true })).ok).toBe(true);
    const last = await stack.up();
    expect([last.ok, last.changes, last.text.includes("pending operations")]).toEqual([true, { same: 1 }, false]);
    expect((await interrupted.queries()).map(({ status }) => status)).toEqual(["canceled", "finished"]);
  });
});

/** The parts of Pulumi's warning that the page quotes. */
const [warningRow = ""] =
  /^\| Pulumi's `Attempting to deploy.* after an /m.exec(readFileSync(join(root, "docs/troubleshooting.md"), "utf8")) ??
  [];
const quotedWarning = [...warningRow.matchAll(/`([^`]{9,})`/g)].flatMap(([, text]) => text!.split(" … "));
