/** Limits the rate of progress lines: a line that is replaced at once is not sent. */

import { formatDuration } from "../lifecycles/deadline";

/** Sends one line to a resource's row. */
type SendLine = (urn: string, line: string) => void;

/** Delay before a line is sent, in milliseconds; shorter than the shortest wait for a query. */
const minDelay = 40;
/** Additional delay per row of the previous batch, in milliseconds, because many rows slow down the engine. */
const delayPerRow = 1;

/** Sends the newest line of each row after a short delay. */
export class StatusLines {
  /** Minimum time between two progress lines of a row, and before its first one, in milliseconds. */
  interval = 0;
  readonly #pending = new Map<string, string>();
  readonly #sent = new Map<string, string>();
  /** The times from which the rows may get their next line of progress. */
  readonly #due = new Map<string, number>();
  /** The progress of the rows whose operation goes on, which each interval repeats. */
  readonly #running = new Map<string, { readonly line: string; readonly since: number; isShown: boolean }>();
  #timer: { readonly at: number; readonly handle: NodeJS.Timeout } | undefined;
  /** The time before which no batch is sent. */
  #notBefore = 0;

  constructor(private readonly send: SendLine) {}

  /** Sets the line of a row. */
  set(urn: string, line: string): void {
    this.#pending.set(urn, line);
    this.#due.delete(urn);
    this.#running.delete(urn);
    this.#wakeAt(performance.now() + minDelay);
  }

  /**
   * Sets the line of a row to a progress. With an interval, the newest one is sent each time that the interval has passed,
   * with the time since the operation began, also when it is the same: without a terminal, silence looks like a hang.
   */
  progress(urn: string, line: string): void {
    if (this.interval === 0) return this.set(urn, line);
    const now = performance.now();
    const due = this.#due.get(urn) ?? now + this.interval;
    const before = this.#running.get(urn);
    const isShown = before?.line === line && before.isShown;
    this.#running.set(urn, { line, since: before?.since ?? now, isShown });
    this.#due.set(urn, due);
    this.#pending.set(urn, line);
    this.#wakeAt(due);
  }

  /** Ends the progress of a row: its last line waits no longer. */
  settle(urn: string): void {
    this.#due.delete(urn);
    if (this.#running.get(urn)?.isShown) this.#pending.delete(urn);
    this.#running.delete(urn);
    if (this.#pending.has(urn)) this.#wakeAt(performance.now() + minDelay);
  }

  /** Sends the pending lines at once, except progress that must wait. */
  flush(): void {
    clearTimeout(this.#timer?.handle);
    this.#timer = undefined;
    const now = performance.now();
    let sent = 0;
    for (const [urn, line] of this.#pending) {
      const due = this.#due.get(urn);
      if (due !== undefined && due > now) continue;
      this.#pending.delete(urn);
      const running = due === undefined ? undefined : this.#running.get(urn);
      if (running) {
        this.#due.set(urn, now + this.interval);
        this.#pending.set(urn, running.line);
        running.isShown = true;
      }
      const text = running ? `${line} · ${formatDuration(Math.round((now - running.since) / 1000) * 1000)}` : line;
      if (this.#sent.get(urn) === text) continue;
      this.#sent.set(urn, text);
      this.send(urn, text);
      sent += 1;
    }
    if (sent > 0) this.#notBefore = now + minDelay + delayPerRow * sent;
    const waiting = [...this.#pending.keys()].map((urn) => this.#due.get(urn) ?? now);
    if (waiting.length > 0) this.#wakeAt(waiting.reduce((earliest, due) => Math.min(earliest, due)));
  }

  /** Schedules a batch, unless an earlier one is scheduled. The timer does not keep the process alive. */
  #wakeAt(time: number): void {
    const at = Math.max(time, this.#notBefore);
    if (this.#timer && this.#timer.at <= at) return;
    clearTimeout(this.#timer?.handle);
    this.#timer = { at, handle: setTimeout(() => this.flush(), Math.ceil(at - performance.now())).unref() };
  }
}
