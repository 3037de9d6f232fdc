/** What is wrong, each thing once, printed when it is found. */
export class Findings {
  readonly #found = new Set<string>();

  get count(): number {
    return this.#found.size;
  }

  push(...found: readonly string[]): void {
    for (const one of found) {
      if (this.#found.has(one)) continue;
      this.#found.add(one);
      console.error(`${new Date().toISOString()} ${one}`);
    }
  }
}
