/** The thread of the watchdog (watchdog.ts). */
import { writeSync } from "node:fs";
import { workerData } from "node:worker_threads";
import { reportDescriptor, sharedState } from "./watchdog";

/** Milliseconds between reports while a request runs, and while none does. */
const intervals = { busy: 50, idle: 500 } as const;

function report(line: string): void {
  try {
    writeSync(reportDescriptor, line);
  } catch (error) {
    // A full pipe means that the parent is slow; any other error that it is gone.
    if ((error as NodeJS.ErrnoException).code !== "EAGAIN") process.kill(process.pid, "SIGKILL");
  }
}

const { requests, ticks } = sharedState(workerData as SharedArrayBuffer);
let seen = Atomics.load(ticks, 0);
let reacted = performance.now();
for (;;) {
  const running = Atomics.load(requests, 0);
  const tick = Atomics.load(ticks, 0);
  const now = performance.now();
  if (tick !== seen || running === 0) reacted = now;
  seen = tick;
  const { user, system } = process.cpuUsage();
  report(`${process.memoryUsage.rss()} ${Math.round(now - reacted)} ${Math.round((user + system) / 1000)}\n`);
  Atomics.wait(requests, 0, running, running === 0 ? intervals.idle : intervals.busy);
}
