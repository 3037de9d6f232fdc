/** The command that set-up was asked to run, as if it had been run directly. */
import { spawn } from "node:child_process";
import { constants } from "node:os";
import { withPath } from "./layout.mjs";
import { SetupError } from "./progress.mjs";

const passedOn = /** @type {const} */ (["SIGINT", "SIGTERM", "SIGHUP", "SIGQUIT"]);

/**
 * Runs a command with some folders first on PATH.
 *
 * @param {readonly string[]} command the program and its arguments
 * @param {readonly string[]} folders
 * @returns {Promise<number>} its exit code; where a signal ended it, 128 and the signal's number
 */
export function runCommand(command, folders) {
  const [program = "", ...args] = command;
  return new Promise((resolve, reject) => {
    const child = spawn(program, args, {
      stdio: "inherit",
      env: withPath(folders),
      shell: process.platform === "win32",
    });
    for (const signal of passedOn) {
      process.on(signal, () => {
        // A terminal sends Ctrl-C to the command as well; twice would be taken for impatience.
        if (signal !== "SIGINT" || !process.stdin.isTTY) child.kill(signal);
      });
    }
    child.once("error", (error) => reject(new SetupError(`${program} cannot be started: ${error.message}`)));
    child.once("close", (code, signal) => resolve(code ?? 128 + (signal ? constants.signals[signal] : 0)));
  });
}
