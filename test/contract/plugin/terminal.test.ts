import { execFileSync } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { root } from "./plugin-process";

/** A shell with the name of the Pulumi CLI, which starts a process that asks whether it is on a terminal. */
const folder = mkdtempSync(join(tmpdir(), "dag-terminal-"));
const cli = join(folder, "pulumi");
symlinkSync("/bin/sh", cli);
const ask = join(folder, "ask.js");
const terminal = join(root, "dist/provider/pulumi-engine/terminal.js");
writeFileSync(ask, `console.log("shown:", require(${JSON.stringify(terminal)}).isOnTerminal());`);
const start = join(folder, "start.sh");
// As the engine starts a provider: with other standard streams than its own. The result is written to the side.
writeFileSync(start, `"${process.execPath}" "${ask}" < /dev/null 2>&1 | cat > "${folder}/answer"; exit 0\n`);

afterAll(() => rmSync(folder, { recursive: true, force: true }));

const onTerminal = "/usr/bin/script";
const environment = { PATH: process.env["PATH"] ?? "", TERM: "xterm" };

function shown(command: string, env: Readonly<Record<string, string>> = environment): boolean {
  execFileSync(onTerminal, ["-qec", command, "/dev/null"], { env, stdio: "pipe" });
  return /shown: (true|false)/.exec(readFileSync(join(folder, "answer"), "utf8"))![1] === "true";
}

const command = (...more: string[]) => [cli, start, ...more].join(" ");

const reason = process.platform === "linux" && existsSync(onTerminal) ? undefined : "it needs Linux and script(1)";
if (reason !== undefined) console.log(`skipped: isOnTerminal: ${reason}`);

test.skipIf(reason !== undefined)("isOnTerminal: what the CLI's own input and output are counts", () => {
  expect(shown(command())).toBe(true);
  expect(shown(`${command()} | cat`)).toBe(false);
  expect(shown(`${command()} < /dev/null`)).toBe(false);
  expect(shown(command("up", "--non-interactive"))).toBe(false);
  expect(shown(command(), { ...environment, CI: "true" })).toBe(false);
  expect(shown(command(), { ...environment, TERM: "dumb" })).toBe(false);
  // Without a CLI above it, the terminal to which the process belongs counts.
  expect(shown(`/bin/sh ${start} | cat`)).toBe(true);
});
