/** Finds, interrupts and kills the processes that a test starts through the engine. */
import { execFileSync } from "node:child_process";

interface Process {
  readonly pid: number;
  readonly parent: number;
  readonly command: string;
}

/** All descendants of this process, the nearest first. */
export function descendants(of: number = process.pid): Process[] {
  const all = processes();
  const children = all.filter(({ parent }) => parent === of);
  return [...children, ...children.flatMap(({ pid }) => descendants(pid))];
}

/** The running Pulumi CLI. */
export function cliProcess(): Process {
  const found = descendants().find(({ command }) => /\/pulumi (up|destroy|preview|refresh) /.test(command));
  if (!found) throw new Error("no Pulumi CLI runs");
  return found;
}

/** Kills the CLI and all its descendants with SIGKILL. */
export function killTree(): void {
  const cli = cliProcess();
  for (const { pid } of [cli, ...descendants(cli.pid)]) kill(pid, "SIGKILL");
}

/** The engine processes of a service that runs in this process. */
export function engineProcesses(): number[] {
  return descendants()
    .filter(({ command }) => command.includes("engines/duckdb"))
    .map(({ pid }) => pid);
}

export function kill(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ESRCH") throw error;
  }
}

export function isAlive(pid: number): boolean {
  return processes().some((one) => one.pid === pid && !one.command.includes("<defunct>"));
}

/** Resolves when a condition is true. */
export async function until(
  what: string,
  condition: () => boolean | Promise<boolean>,
  milliseconds = 60_000,
): Promise<void> {
  const end = Date.now() + milliseconds;
  while (!(await condition())) {
    if (Date.now() > end) throw new Error(`gave up waiting until ${what}`);
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

function processes(): Process[] {
  const lines = execFileSync("ps", ["-eo", "pid=,ppid=,args="], { maxBuffer: 1e8 }).toString().trim().split("\n");
  return lines.map((line) => {
    const [, pid, parent, command = ""] = /^\s*(\d+)\s+(\d+)\s+(.*)$/.exec(line) ?? [];
    return { pid: Number(pid), parent: Number(parent), command };
  });
}
