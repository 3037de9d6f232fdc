/** Runs child processes of set-up: collects their output for error messages, and ends them when set-up ends. */
import { spawn } from "node:child_process";
import { constants } from "node:os";
import { fileURLToPath } from "node:url";

/** @typedef {{ code: number | null, signal: NodeJS.Signals | null, output: string }} ExitResult */

const guard = fileURLToPath(new URL("guard.mjs", import.meta.url));
/** The time that a program has to clean up when set-up receives a signal. */
const graceMs = 3_000;

/** @type {Set<import("node:child_process").ChildProcess>} */
const running = new Set();
const signals = /** @type {const} */ (["SIGHUP", "SIGINT", "SIGTERM"]);

/**
 * Runs a program to its end.
 *
 * @param {string} command
 * @param {readonly string[]} args
 * @param {{ cwd?: string, env?: NodeJS.ProcessEnv, timeoutMs?: number, onLine?: (line: string) => void }} [options]
 * @returns {Promise<ExitResult>} its exit code or signal, and stdout and stderr as one text; the code is 127 when the
 *   program cannot be started
 */
export function run(command, args, { cwd, env = process.env, timeoutMs, onLine } = {}) {
  return new Promise((resolve) => {
    const child = spawn(process.execPath, [guard, command, ...args], {
      cwd,
      env,
      stdio: ["pipe", "pipe", "pipe"],
      detached: process.platform !== "win32",
    });
    track(child);
    let output = "";
    let partial = "";
    const collect = (/** @type {Buffer} */ chunk) => {
      output += chunk;
      const lines = (partial + chunk).split("\n");
      partial = /** @type {string} */ (lines.pop());
      if (onLine) for (const line of lines) onLine(line);
    };
    child.stdout.on("data", collect);
    child.stderr.on("data", collect);
    const timer = timeoutMs ? setTimeout(() => signalTree(child, "SIGKILL"), timeoutMs) : undefined;
    const end = (/** @type {ExitResult} */ ended) => {
      clearTimeout(timer);
      forget(child);
      resolve(ended);
    };
    child.once("error", (error) => end({ code: 127, signal: null, output: String(error) }));
    child.once("close", (code, signal) => end({ code, signal, output }));
  });
}

/**
 * Returns the last lines of a program's output, for an error message.
 *
 * @param {string} output
 * @param {number} [lines]
 */
export function tail(output, lines = 15) {
  return output.trimEnd().split("\n").slice(-lines).join("\n");
}

/** @param {import("node:child_process").ChildProcess} child */
function track(child) {
  running.add(child);
  if (running.size === 1) for (const name of signals) process.on(name, endAll);
}

/** @param {import("node:child_process").ChildProcess} child */
function forget(child) {
  running.delete(child);
  if (running.size === 0) for (const name of signals) process.off(name, endAll);
}

/**
 * Ends all child processes, then this process.
 *
 * @param {NodeJS.Signals} signal
 */
function endAll(signal) {
  const code = 128 + constants.signals[signal];
  const children = [...running];
  let left = children.length;
  for (const child of children) {
    child.once("close", () => --left === 0 && process.exit(code));
    signalTree(child, "SIGTERM");
  }
  setTimeout(() => {
    for (const child of children) signalTree(child, "SIGKILL");
    process.exit(code);
  }, graceMs);
}

/**
 * @param {import("node:child_process").ChildProcess} child
 * @param {NodeJS.Signals} signal
 */
function signalTree(child, signal) {
  if (child.pid === undefined) return;
  try {
    // Signals the whole group, because npm and go start processes of their own.
    if (process.platform === "win32") child.kill(signal);
    else process.kill(-child.pid, signal);
  } catch {
    // The process has ended in the meantime.
  }
}
