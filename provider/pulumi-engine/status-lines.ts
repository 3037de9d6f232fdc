/** Decides which of the lines that rows could show are worth a message: nobody reads what is replaced at once. */

/** Sends one line to a resource's row. */
type Show = (urn: string, line: string) => void;

/** How long a line waits for one that replaces it, in milliseconds: no longer than the shortest wait for a query. */
const shortest = 40;
/** How much longer for each row that was just shown, in milliseconds: many that change at once take the engine's time. */
const perRow = 1;

/** The newest line of each row, shown after a moment unless another took its place. */
export class StatusLines {
  readonly #waiting = new Map<string, string>();
  readonly #shown = new Map<string, string>();
  #timer: NodeJS.Timeout | undefined;

  constructor(private readonly show: Show) {}

  /** Takes a row's new line. */
  set(urn: string, line: string): void {
    this.#waiting.set(urn, line);
    if (!this.#timer) this.#flushLater(0);
  }

  #flush(): void {
    const lines = [...this.#waiting].filter(([urn, line]) => this.#shown.get(urn) !== line);
    this.#timer = undefined;
    this.#waiting.clear();
    for (const [urn, line] of lines) {
      this.#shown.set(urn, line);
      this.show(urn, line);
    }
    if (lines.length > 0) this.#flushLater(lines.length);
  }

  /** A process that has nothing else to do ends nevertheless. */
  #flushLater(rows: number): void {
    this.#timer = setTimeout(() => this.#flush(), shortest + perRow * rows).unref();
  }
}
