/** An engine process: receives the requests of one query or check at a time over IPC, and ends with its parent. */
// The watchdog comes first, before the modules that take long to load: from here on the process ends with its parent.
import { beginRequest } from "./started-watchdog";
import { readdirSync, writeFileSync } from "node:fs";
import { flushCompileCache } from "node:module";
import { setPriority } from "node:os";
import { createDispatcher, type Dispatcher } from "./dispatch";
import type { FromEngine, ToEngine } from "./protocol";

/** What is sent when the process waits for something again: one message of several takes less time than several. */
let unsent: FromEngine[] = [];

function send(message: FromEngine): void {
  unsent.push(message);
  // From here on the request counts as begun, whatever happens to this process.
  if (message.type === "jobId") sendAll();
  else if (unsent.length === 1) process.nextTick(sendAll);
}

function sendAll(): void {
  const messages = unsent;
  unsent = [];
  if (messages.length > 0 && process.connected) process.send!(messages, undefined, undefined, () => undefined);
}

/** Kills this process at once, because DuckDB's threads may not stop and must not outlive the parent. */
function killSelf(): never {
  process.kill(process.pid, "SIGKILL");
  throw new Error("unreachable");
}

/** Half of the processor's time of a process with the normal priority, when both want all of it. */
const niceness = 3;

let dispatcher: Promise<Dispatcher> | undefined;

async function receive(message: ToEngine): Promise<void> {
  if (message.type === "start") {
    dispatcher = createDispatcher(message.settings, send);
    await dispatcher;
    yieldToService();
    return send({ type: "ready", rssBytes: process.memoryUsage.rss() });
  }
  const target = (await dispatcher)!;
  switch (message.type) {
    case "request": {
      using _running = beginRequest();
      await target.request(message);
      // The first process that has run a statement keeps the compiled code for all later ones.
      return flushCompileCache();
    }
    case "cancel":
      return target.cancel(message.id);
    case "memory":
      return target.limitMemory(message.bytes);
  }
}

/** Reports the reason to the parent and ends the process. */
function endWithReason(error: unknown): void {
  const reason = `the query's process failed: ${error instanceof Error ? error.message : String(error)}`;
  if (!process.connected) killSelf();
  sendAll();
  process.send!([{ type: "ending", reason }] satisfies FromEngine[], undefined, undefined, killSelf);
}

/**
 * Lets the service and starting processes go first: they get the processor when several want it, and when the machine's
 * memory is exhausted, Linux ends this process before them.
 */
function yieldToService(): void {
  try {
    const isLinux = process.platform === "linux";
    if (isLinux) writeFileSync("/proc/self/oom_score_adj", "500");
    // On Linux each thread has a priority of its own, which new threads inherit.
    const threads = isLinux ? readdirSync("/proc/self/task").map(Number) : [process.pid];
    for (const thread of threads) setPriority(thread, niceness);
  } catch {
    // Some systems do not permit it; the process works without.
  }
}

process.on("message", (message) => void receive(message as ToEngine).catch(endWithReason));
process.on("disconnect", killSelf);
process.on("uncaughtException", endWithReason);
process.on("unhandledRejection", endWithReason);
// Ctrl-C in a terminal signals the whole process group; the parent decides when its engines end.
process.on("SIGINT", () => undefined);
