/** The prompt of the built `dag-service sql`, on a terminal. */
import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { useService } from "../service/fixture";
import { environmentFor, main } from "./command";

const fixture = useService();
/** util-linux's `script` runs a command in a terminal of its own. */
const hasTerminal = spawnSync("script", ["--version"], { encoding: "utf8" }).stdout?.includes("util-linux") ?? false;

/** Starts the prompt on a terminal. */
function startPrompt() {
  const state = mkdtempSync(join(tmpdir(), "dag-prompt-"));
  onTestFinished(() => rmSync(state, { recursive: true, force: true }));
  const env = { ...environmentFor(fixture), XDG_STATE_HOME: state, NO_COLOR: "1" };
  const child = spawn("script", ["-qefc", `"${process.execPath}" "${main}" sql --csv`, "/dev/null"], { env });
  let output = "";
  child.stdout.on("data", (chunk) => (output += chunk));
  const sees = async (text: string | RegExp) => {
    await expect.poll(() => output, { timeout: 60_000 }).toMatch(text);
  };
  const exitCode = once(child, "close").then(([code]) => code as number);
  return { child, sees, state, exitCode };
}

test.skipIf(!hasTerminal)(
  "sql: asks for statements at a prompt, keeps a history and goes on after an error",
  async () => {
    const { child, sees, state, exitCode } = startPrompt();
    await sees("dag> ");
    child.stdin.write("selec 1;\r");
    await sees(/InvalidDMLStatement/);
    child.stdin.write("select 'a;b' x,\r 41 + 1 y; show databases;\r");
    await sees(/a;b,42/);
    await sees(/database_name[^]*data/);
    // Ctrl-C discards what is typed.
    child.stdin.write("half");
    await sees(/half/);
    child.stdin.write("\u0003");
    child.stdin.write("select 43 z;\r");
    await sees(/\n43\r?\n/);
    child.stdin.write("select * from data.ev\t");
    await sees(/data\.events/);
    child.stdin.write(" where false;\r");
    child.stdin.write("show tables in dat\t");
    await sees(/show tables in data(?!\.)/);
    child.stdin.write(";\rexit\r");
    expect(await exitCode).toBe(0);
    expect(readFileSync(join(state, "dag-service/history"), "utf8").split("\n")[0]).toBe("selec 1;");
  },
);

test.skipIf(!hasTerminal)(
  "sql: statements that are pasted with the end of the input all run, and the prompt ends",
  async () => {
    const { child, sees, exitCode } = startPrompt();
    await sees("dag> ");
    child.stdin.write("select 44 a;\rselect 45 b;\r\u0004");
    await sees(/\n44\r?\n[^]*\n45\r?\n/);
    expect(await exitCode).toBe(0);
  },
);
