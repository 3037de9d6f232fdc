/** Processes that a quickstart left behind when it was killed outright: they hold the data folder and the stack. */
import { existsSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { commandOf, endProcess, isAlive } from "./process-tree.mts";

/**
 * Notes a process for the next run, until `forget` is called.
 *
 * @param file where to
 * @param pid the process
 */
export function remember(file: string, pid: number): void {
  writeFileSync(file, String(pid));
}

export function forget(file: string): void {
  rmSync(file, { force: true });
}

/**
 * Ends the process that was noted, if it still runs.
 *
 * @param file where it was noted
 * @param mark what its command line holds: the number may belong to another process by now
 * @param graceMs how long it may take to end by itself
 */
export async function endForgotten(file: string, mark: string, graceMs: number): Promise<void> {
  if (!existsSync(file)) return;
  const pid = Number(readFileSync(file, "utf8"));
  if (isAlive(pid) && commandOf(pid).includes(mark)) await endProcess(pid, "SIGTERM", graceMs);
  forget(file);
}
