/**
 * `guard.mjs COMMAND ARGS…`: runs a command in a process group of its own and kills the group when stdin ends, which
 * happens when set-up exits for any reason. Otherwise an orphaned npm would write to files of the next set-up.
 */
import { spawn } from "node:child_process";
import { platformCommand } from "./platform-command.mjs";

const [command = "", ...args] = process.argv.slice(2);
const { file, args: words, shell } = platformCommand(command, args);
const child = spawn(file, words, { stdio: ["ignore", "inherit", "inherit"], shell });

process.stdin.once("end", endAll).once("error", endAll).resume();
// The command is in the same group and receives SIGTERM too; this process stays to report how the command ends.
process.on("SIGTERM", () => {});
child.once("error", (error) => {
  console.error(error.message);
  process.exit(127);
});
child.once("exit", (code, signal) => {
  if (signal) process.kill(process.pid, "SIGKILL");
  else process.exit(code ?? 1);
});

function endAll() {
  if (process.platform === "win32") child.kill();
  else process.kill(-process.pid, "SIGKILL");
}
