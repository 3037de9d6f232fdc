/**
 * The watchdog of an engine process: a thread that reports to the parent that the process is alive, how much memory it
 * uses and for how long its main thread has been busy, and that kills the process when the parent is gone. It works
 * while the main thread computes in JavaScript, which sees neither messages nor the end of the parent.
 */
import { join } from "node:path";
import { Worker } from "node:worker_threads";

/** File descriptor on which an engine process writes the reports of its watchdog. */
export const reportDescriptor = 4;

/** Milliseconds between the signs of life of the main thread while a request runs. */
const tickMilliseconds = 50;

/**
 * A report: resident memory in bytes, milliseconds since the main thread last reacted during a request, and milliseconds
 * of processor time that the process has used since its start.
 */
export interface Report {
  readonly rssBytes: number;
  readonly blockedMilliseconds: number;
  readonly processorMilliseconds: number;
}

/** Parses a line of the pipe; undefined when it is not a report. */
export function parseReport(line: string): Report | undefined {
  const [, rss, blocked, processor] = /^(\d+) (\d+) (\d+)$/.exec(line) ?? [];
  if (rss === undefined) return undefined;
  return { rssBytes: Number(rss), blockedMilliseconds: Number(blocked), processorMilliseconds: Number(processor) };
}

/** What the threads share: the number of running requests, and a counter that the main thread increases. */
export function sharedState(shared: SharedArrayBuffer) {
  return { requests: new Int32Array(shared, 0, 1), ticks: new Int32Array(shared, 4, 1) };
}

/** Starts the watchdog of this process. Returns a function that notifies it of the begin of a request. */
export function startWatchdog(): () => Disposable {
  const shared = new SharedArrayBuffer(8);
  const { requests, ticks } = sharedState(shared);
  const thread = new Worker(join(__dirname, "watchdog-thread.js"), {
    workerData: shared,
    env: {},
    execArgv: [],
    resourceLimits: { maxYoungGenerationSizeMb: 1, maxOldGenerationSizeMb: 16, stackSizeMb: 1 },
  });
  // A process without its watchdog could outlive its service.
  thread.once("exit", () => process.kill(process.pid, "SIGKILL"));
  thread.unref();
  let running = 0;
  let timer: NodeJS.Timeout | undefined;
  const publish = () => {
    Atomics.add(ticks, 0, 1);
    Atomics.store(requests, 0, running);
    Atomics.notify(requests, 0);
  };
  return () => {
    running += 1;
    timer ??= setInterval(() => Atomics.add(ticks, 0, 1), tickMilliseconds);
    publish();
    return {
      [Symbol.dispose]: () => {
        running -= 1;
        publish();
        if (running > 0) return;
        clearInterval(timer);
        timer = undefined;
      },
    };
  };
}
