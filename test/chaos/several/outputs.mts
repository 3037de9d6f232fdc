/** Watches the folders of the results: which result is in each, and whether an earlier one comes back. */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import type { Findings } from "./findings.mts";

/** Milliseconds between two looks. */
const interval = 100;

export class Outputs {
  readonly #findings: Findings;
  /** The results that were seen: by the query's label, a value that each execution makes anew. */
  readonly #seen = new Map<string, string>();
  /** The label of the result that was seen last in each folder. */
  readonly #last = new Map<string, string>();
  readonly #stop = new AbortController();
  readonly #watching: Promise<void>;

  readonly #folder: string;
  readonly #targets: readonly string[];

  /** @param folder whose subfolders are those of the results */
  constructor(folder: string, targets: readonly string[], findings: Findings) {
    this.#findings = findings;
    this.#folder = folder;
    this.#targets = targets;
    this.#watching = this.#watch();
  }

  /** The number of results that were seen. */
  get count(): number {
    return this.#seen.size;
  }

  /** Returns the label of the query whose result is in a folder; undefined when none is. */
  labelIn(target: string): string | undefined {
    return this.#look(target);
  }

  async close(): Promise<void> {
    this.#stop.abort();
    await this.#watching;
  }

  async #watch(): Promise<void> {
    while (!this.#stop.signal.aborted) {
      for (const target of this.#targets) this.#look(target);
      await sleep(interval);
    }
  }

  #look(target: string): string | undefined {
    const content = contentOf(join(this.#folder, target));
    // The gap of a publication, or its beginning.
    if (content === undefined) return undefined;
    const [, label, execution] = /^(q\d+),([\da-f-]{36}),\d+\n$/.exec(content) ?? [];
    if (label === undefined || execution === undefined) {
      this.#findings.push(`half-written: out/${target} is ${JSON.stringify(content.slice(0, 200))}`);
      return undefined;
    }
    const earlier = this.#seen.get(label);
    const last = this.#last.get(target);
    if (earlier !== undefined && earlier !== execution) this.#findings.push(`twice: the result of ${label}`);
    if (earlier !== undefined && last !== label) this.#findings.push(`twice: the result of ${label}, after ${last}`);
    this.#seen.set(label, execution);
    this.#last.set(target, label);
    return label;
  }
}

/** Returns the text of a folder's objects; undefined when it has none. */
export function contentOf(folder: string): string | undefined {
  for (let attempt = 1; ; attempt += 1) {
    try {
      const names = readdirSync(folder).toSorted();
      if (names.length === 0) return undefined;
      return names.map((name) => readFileSync(join(folder, name), "utf8")).join("");
    } catch (error) {
      // Another result has just taken its place.
      if ((error as NodeJS.ErrnoException).code !== "ENOENT") throw error;
      if (attempt === 3) return undefined;
    }
  }
}
