/**
 * Tells whether somebody watches the progress of a run. The engine does not tell its providers, so this looks at the
 * Pulumi CLI, which is among the ancestors of a provider process.
 */
import { closeSync, openSync, readFileSync, readlinkSync } from "node:fs";

/**
 * Returns true when the Pulumi CLI shows its progress on a terminal, where a new line replaces the one before. Where the
 * CLI cannot be found, the answer is whether this process belongs to a terminal.
 */
export function isOnTerminal(environment: Readonly<Record<string, string | undefined>> = process.env): boolean {
  // The CLI prints each line below the other there, too.
  if (environment["CI"] || environment["TERM"]?.toLowerCase() === "dumb") return false;
  if (process.platform === "win32") return true;
  return ancestorOnTerminal(process.ppid) ?? belongsToTerminal();
}

/** Maximum number of processes between the CLI and this one: shells, the language host, an older Node. */
const maxAncestors = 8;

/** Returns what the CLI among the ancestors of a process says; undefined if there is none, or no /proc to find it. */
function ancestorOnTerminal(start: number): boolean | undefined {
  try {
    let pid = start;
    for (let level = 0; level < maxAncestors && pid > 1; level += 1) {
      const status = readFileSync(`/proc/${pid}/status`, "utf8");
      if (/^Name:\tpulumi$/m.test(status)) return isInteractive(pid);
      pid = Number(/^PPid:\t(\d+)$/m.exec(status)?.[1] ?? 0);
    }
  } catch {
    // Not Linux, or a process of another user.
  }
  return undefined;
}

/** Returns true when a CLI reads from a terminal and writes to one, and was not told otherwise. */
function isInteractive(pid: number): boolean {
  const flags = readFileSync(`/proc/${pid}/cmdline`, "utf8").split("\0");
  const isTerminal = (file: number) => /^\/dev\/(pts\/|tty|console)/.test(readlinkSync(`/proc/${pid}/fd/${file}`));
  return !flags.includes("--non-interactive") && isTerminal(0) && isTerminal(1);
}

function belongsToTerminal(): boolean {
  try {
    closeSync(openSync("/dev/tty", "r"));
    return true;
  } catch {
    return false;
  }
}
