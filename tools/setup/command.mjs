/** Runs the command given to set-up, with the signals and exit code of a direct call. */
import { spawn } from "node:child_process";
import { constants } from "node:os";
import { withPath } from "./layout.mjs";
import { platformCommand } from "./platform-command.mjs";
import { SetupError } from "./progress.mjs";

const forwardedSignals = /** @type {const} */ (["SIGINT", "SIGTERM", "SIGHUP", "SIGQUIT"]);

/**
 * Runs a command with some folders first on PATH.
 *
 * @param {readonly string[]} command the program and its arguments
 * @param {readonly string[]} folders
 * @returns {Promise<number>} its exit code; 128 plus the signal's number when a signal ended it
 * @throws {SetupError} when the command cannot be started
 */
export function runCommand(command, folders) {
  const [program = "", ...args] = command;
  return new Promise((resolve, reject) => {
    const call = platformCommand(program, args);
    const child = spawn(call.file, call.args, { stdio: "inherit", env: withPath(folders), shell: call.shell });
    for (const signal of forwardedSignals) {
      process.on(signal, () => {
        // A terminal sends Ctrl-C to the command as well, and many programs abort at the second SIGINT.
        if (signal !== "SIGINT" || !process.stdin.isTTY) child.kill(signal);
      });
    }
    child.once("error", (error) => reject(new SetupError(`cannot start the command ${program}: ${error.message}`)));
    child.once("close", (code, signal) => resolve(code ?? 128 + (signal ? constants.signals[signal] : 0)));
  });
}
