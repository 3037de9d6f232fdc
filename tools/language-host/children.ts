/** The processes that the host runs for the engine; they end with the host. */
import { type ChildProcess, spawn, type SpawnOptions } from "node:child_process";

const children = new Set<ChildProcess>();

/** The exit code of a process, or the signal that ended it. */
export interface ExitStatus {
  code: number | null;
  signal: NodeJS.Signals | null;
}

/** Starts a process that {@link stopChildren} ends. */
export function startChild(command: string, args: readonly string[], options: SpawnOptions): ChildProcess {
  const child = spawn(command, args, options);
  children.add(child);
  child.once("close", () => children.delete(child));
  return child;
}

/**
 * Waits until a process has ended and its output is complete.
 *
 * @throws Error from the system when the process could not be started
 */
export function waitForExit(child: ChildProcess): Promise<ExitStatus> {
  return new Promise((resolve, reject) => {
    child.once("error", reject);
    child.once("close", (code, signal) => resolve({ code, signal }));
  });
}

/** Sends a signal to all child processes. */
export function stopChildren(signal: NodeJS.Signals): void {
  for (const child of children) child.kill(signal);
}
