/**
 * Ends this process when npm has ended. npm runs a script in a shell: some shells replace themselves by the command
 * (bash), others wait for it (dash, cmd.exe). A shell that waits does not pass on a signal that npm sends it, and does not
 * end when npm is killed.
 */
import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { isShell, WaitingShell } from "./waiting-shell.mjs";

const intervalMs = 200;

/** Sends SIGTERM to this process as soon as the shell that npm started for it, or npm itself, is gone or interrupted. */
export function endWithNpm() {
  const parent = process.ppid;
  const watched = [parent, parentOf(parent)].filter((pid) => pid !== undefined && pid > 1);
  let shell = isShell(parent) ? new WaitingShell(parent) : undefined;
  // A terminal's Ctrl-C goes to this process, too, which a second signal would end without its cleaning up.
  if (shell) {
    process.once("SIGINT", () => {
      shell = undefined;
      if (process.listenerCount("SIGINT") === 0) process.kill(process.pid, "SIGINT");
    });
  }
  const watch = setInterval(() => {
    if (process.ppid === parent && watched.every(isRunning) && !shell?.wasInterrupted()) return;
    clearInterval(watch);
    process.kill(process.pid, "SIGTERM");
  }, intervalMs);
  watch.unref();
}

/**
 * @param {number} pid
 * @param {NodeJS.Platform} [platform]
 * @returns {number | undefined} the parent's pid; undefined where the platform does not tell it, as on Windows
 */
export function parentOf(pid, platform = process.platform) {
  if (platform === "win32") return undefined;
  try {
    // The second field is the program's name in parentheses, which may contain spaces and parentheses.
    if (platform === "linux")
      return Number(
        readFileSync(`/proc/${pid}/stat`, "utf8")
          .replace(/^.*\) /s, "")
          .split(" ")[1],
      );
    return Number(execFileSync("ps", ["-o", "ppid=", "-p", String(pid)], { encoding: "utf8" }));
  } catch {
    return undefined;
  }
}

/** @param {number | undefined} pid */
function isRunning(pid) {
  try {
    return pid === undefined || process.kill(pid, 0);
  } catch (error) {
    return /** @type {NodeJS.ErrnoException} */ (error).code === "EPERM";
  }
}
