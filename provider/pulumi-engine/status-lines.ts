/** Limits the rate of progress lines: a line that is replaced at once is not sent. */

/** Sends one line to a resource's row. */
type SendLine = (urn: string, line: string) => void;

/** Delay before a line is sent, in milliseconds; shorter than the shortest wait for a query. */
const minDelay = 40;
/** Additional delay per row of the previous batch, in milliseconds, because many rows slow down the engine. */
const delayPerRow = 1;

/** Sends the newest line of each row after a short delay. */
export class StatusLines {
  readonly #pending = new Map<string, string>();
  readonly #sent = new Map<string, string>();
  #timer: NodeJS.Timeout | undefined;

  constructor(private readonly send: SendLine) {}

  /** Sets the line of a row. */
  set(urn: string, line: string): void {
    this.#pending.set(urn, line);
    if (!this.#timer) this.#scheduleFlush(0);
  }

  /** Sends the pending lines at once. */
  flush(): void {
    clearTimeout(this.#timer);
    const lines = [...this.#pending].filter(([urn, line]) => this.#sent.get(urn) !== line);
    this.#timer = undefined;
    this.#pending.clear();
    for (const [urn, line] of lines) {
      this.#sent.set(urn, line);
      this.send(urn, line);
    }
    if (lines.length > 0) this.#scheduleFlush(lines.length);
  }

  /** Schedules the next batch. The timer does not keep the process alive. */
  #scheduleFlush(rows: number): void {
    this.#timer = setTimeout(() => this.flush(), minDelay + delayPerRow * rows).unref();
  }
}
