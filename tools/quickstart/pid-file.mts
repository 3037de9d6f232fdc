/** PID files, by which a quickstart finds and ends the processes of an earlier run that was killed with SIGKILL. */
import { existsSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { commandLineOf, terminateTree, isAlive } from "./process-tree.mts";

/**
 * Writes a process id to a file, so that the next run can end the process.
 */
export function writePidFile(file: string, pid: number): void {
  writeFileSync(file, String(pid));
}

export function removePidFile(file: string): void {
  rmSync(file, { force: true });
}

/**
 * Ends the process of a PID file if it still runs.
 *
 * @param file the PID file
 * @param commandText text of the process's command line; without it, the id belongs to another process by now
 * @param graceMs time that the process has to end by itself
 */
export async function endLeftoverProcess(file: string, commandText: string, graceMs: number): Promise<void> {
  if (!existsSync(file)) return;
  const pid = Number(readFileSync(file, "utf8"));
  if (isAlive(pid) && commandLineOf(pid).includes(commandText)) await terminateTree(pid, "SIGTERM", graceMs);
  removePidFile(file);
}
