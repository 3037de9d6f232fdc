/**
 * Ends this process when npm has ended. npm runs a script in a shell: some shells replace themselves by the command
 * (bash), others wait for it (dash, cmd.exe). A shell that waits does not pass on a SIGTERM that npm sends it, and does
 * not end when npm is killed. A SIGINT to npm alone stays in such a shell; a terminal's Ctrl-C goes to all processes.
 */
import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";

const intervalMs = 200;

/** Sends SIGTERM to this process as soon as the shell that npm started for it, or npm itself, is gone. */
export function endWithNpm() {
  const parent = process.ppid;
  const watched = [parent, parentOf(parent)].filter((pid) => pid !== undefined && pid > 1);
  const watch = setInterval(() => {
    if (process.ppid === parent && watched.every(isRunning)) return;
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
