/** Runs the built service in a process of its own, on a free port. */
import { type ChildProcess, execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { createWriteStream, readFileSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { promisify } from "node:util";
import { root } from "../setup/layout.mjs";
import { inheritedEnvironment, type ServiceAccess } from "./environment.mts";
import type { QuickstartFolder } from "./folder.mts";
import { endLeftoverProcess, removePidFile, writePidFile } from "./pid-file.mts";
import { terminateTree } from "./process-tree.mts";

const main = join(root, "service", "dist", "service", "main.js");
/** The time that the service has to end the engines of queries and to finish its responses. */
const graceMs = 10_000;

export interface RunningService extends ServiceAccess {
  /** Ends the service and its engines; does nothing when the service has ended. */
  stop(): Promise<void>;
}

/**
 * Starts the service and waits until it listens.
 *
 * @param folder of the quickstart
 * @param signal aborted when the user interrupts; the service is then stopped
 * @throws Error with the service's error output when the service does not start
 */
export async function startService(folder: QuickstartFolder, signal: AbortSignal): Promise<RunningService> {
  await endLeftoverProcess(folder.servicePidFile, folder.data, graceMs);
  signal.throwIfAborted();
  const args = [main, "--listen", "127.0.0.1:0", "--data", folder.data];
  // Has a process group of its own, because Ctrl-C must not end the service before Pulumi.
  const child = spawn(process.execPath, args, {
    cwd: root,
    env: inheritedEnvironment(),
    stdio: ["ignore", "pipe", "pipe"],
    detached: true,
  });
  const stop = async (): Promise<void> => {
    if (child.pid !== undefined && child.exitCode === null && child.signalCode === null) {
      await terminateTree(child.pid, "SIGTERM", graceMs);
    }
    removePidFile(folder.servicePidFile);
  };
  if (child.pid !== undefined) writePidFile(folder.servicePidFile, child.pid);
  try {
    const url = await waitUntilListening(child, folder.serviceLog, signal);
    return { url, ...JSON.parse(readFileSync(folder.credentials, "utf8")), stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

/**
 * Returns a link that opens the service's console, signed in. It works once.
 *
 * @param folder of the quickstart
 * @param url of its service
 */
export async function signInLink(folder: QuickstartFolder, url: string): Promise<string> {
  const args = [main, "open", "--print", "--endpoint", url, "--data", folder.data];
  const { stdout } = await promisify(execFile)(process.execPath, args, { env: inheritedEnvironment() });
  return stdout.trim();
}

async function waitUntilListening(child: ChildProcess, logFile: string, signal: AbortSignal): Promise<string> {
  const log = createWriteStream(logFile, { flags: "a", mode: 0o600 });
  let errorOutput = "";
  child.stderr?.on("data", (chunk: Buffer) => {
    errorOutput += chunk;
    log.write(chunk);
  });
  const lines = createInterface({ input: child.stdout as NodeJS.ReadableStream });
  const url = new Promise<string>((resolve) => {
    lines.on("line", (line) => {
      log.write(`${line}\n`);
      const found = parseListeningUrl(line);
      if (found !== undefined) resolve(found);
    });
  });
  const ended = once(child, "exit").then(([code]) => {
    throw new Error(`the service ended with exit code ${code}: ${errorOutput.trim() || `see its log ${logFile}`}`);
  });
  const aborted = new Promise<never>((_, reject) => {
    signal.addEventListener("abort", () => reject(signal.reason), { once: true });
  });
  ended.catch(() => {});
  aborted.catch(() => {});
  return await Promise.race([url, ended, aborted]);
}

/** Returns the service's endpoint when the log line has it, else undefined. */
function parseListeningUrl(line: string): string | undefined {
  try {
    const { msg, url } = JSON.parse(line) as { msg?: string; url?: string };
    return msg === "listening" ? url : undefined;
  } catch {
    return undefined;
  }
}
