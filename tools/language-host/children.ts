/** The processes that the host runs for the engine: none outlives it. */
import { type ChildProcess, spawn, type SpawnOptions } from "node:child_process";

const children = new Set<ChildProcess>();

/** How a process ended; `code` is null where a signal ended it. */
export interface Ended {
  code: number | null;
  signal: NodeJS.Signals | null;
}

/** Starts a process that ends at the latest with the host. */
export function startChild(command: string, args: readonly string[], options: SpawnOptions): ChildProcess {
  const child = spawn(command, args, options);
  children.add(child);
  child.once("close", () => children.delete(child));
  return child;
}

/**
 * Waits for a process's end and the end of its output.
 *
 * @throws the system's error where it could not be started
 */
export function ended(child: ChildProcess): Promise<Ended> {
  return new Promise((resolve, reject) => {
    child.once("error", reject);
    child.once("close", (code, signal) => resolve({ code, signal }));
  });
}

/** Sends a signal to all of them. */
export function stopChildren(signal: NodeJS.Signals): void {
  for (const child of children) child.kill(signal);
}
