/** The service as the quickstart runs it: the built one, as a process of its own, on a free port. */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { createWriteStream, readFileSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { root } from "../setup/layout.mjs";
import { outsideEnvironment } from "./environment.mts";
import type { Folder } from "./folder.mts";
import { endForgotten, forget, remember } from "./forgotten.mts";
import { endProcess } from "./process-tree.mts";

const main = join(root, "service", "dist", "service", "main.js");
/** Time to end queries' engines and let answers finish. */
const graceMs = 10_000;

export interface RunningService {
  /** Where it listens. */
  readonly url: string;
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  /** Ends it and its engines; does nothing where it has ended. */
  stop(): Promise<void>;
}

/**
 * Starts the service and waits until it listens.
 *
 * @param folder the quickstart's
 * @param signal aborted when the user has had enough; the service is then stopped
 * @throws what the service said where it does not start
 */
export async function startService(folder: Folder, signal: AbortSignal): Promise<RunningService> {
  await endForgotten(folder.serviceProcess, folder.data, graceMs);
  signal.throwIfAborted();
  const args = [main, "--listen", "127.0.0.1:0", "--data", folder.data];
  // A group of its own: Ctrl-C must not end it before Pulumi is done with it.
  const child = spawn(process.execPath, args, {
    cwd: root,
    env: outsideEnvironment(),
    stdio: ["ignore", "pipe", "pipe"],
    detached: true,
  });
  const stop = async (): Promise<void> => {
    if (child.pid !== undefined && child.exitCode === null && child.signalCode === null) {
      await endProcess(child.pid, "SIGTERM", graceMs);
    }
    forget(folder.serviceProcess);
  };
  if (child.pid !== undefined) remember(folder.serviceProcess, child.pid);
  try {
    const url = await listening(child, folder.serviceLog, signal);
    return { url, ...JSON.parse(readFileSync(folder.credentials, "utf8")), stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

async function listening(child: ChildProcess, logFile: string, signal: AbortSignal): Promise<string> {
  const log = createWriteStream(logFile, { flags: "a", mode: 0o600 });
  let said = "";
  child.stderr?.on("data", (chunk: Buffer) => {
    said += chunk;
    log.write(chunk);
  });
  const lines = createInterface({ input: child.stdout as NodeJS.ReadableStream });
  const url = new Promise<string>((resolve) => {
    lines.on("line", (line) => {
      log.write(`${line}\n`);
      const found = urlOf(line);
      if (found !== undefined) resolve(found);
    });
  });
  const ended = once(child, "exit").then(([code]) => {
    throw new Error(`the service has ended with exit code ${code}: ${said.trim() || `see ${logFile}`}`);
  });
  const aborted = new Promise<never>((_, reject) => {
    signal.addEventListener("abort", () => reject(signal.reason), { once: true });
  });
  ended.catch(() => {});
  aborted.catch(() => {});
  return await Promise.race([url, ended, aborted]);
}

/** The line that says where it listens. */
function urlOf(line: string): string | undefined {
  try {
    const { msg, url } = JSON.parse(line) as { msg?: string; url?: string };
    return msg === "listening" ? url : undefined;
  } catch {
    return undefined;
  }
}
