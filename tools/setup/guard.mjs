/**
 * `guard.mjs COMMAND ARGS…`: runs a command that must not outlive set-up, as the leader of a process group that holds
 * nothing else. When set-up is gone, however it went, stdin ends, and so does the group: otherwise an orphaned npm
 * would go on writing where the next set-up works.
 */
import { spawn } from "node:child_process";

const [command = "", ...args] = process.argv.slice(2);
const child = spawn(command, args, { stdio: ["ignore", "inherit", "inherit"], shell: process.platform === "win32" });

process.stdin.once("end", endAll).once("error", endAll).resume();
// It was meant for the command, which is in the same group; this process passes on how the command ends.
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
