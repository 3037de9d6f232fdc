/** Finds cycles of resources that read from each other. */

/** Which resource of a program reads from which. */
export class DependencyOrder {
  readonly #readsFrom = new Map<string, Set<string>>();

  /** Adds what a resource reads from. Returns the cycle that this closes, such as `["a", "b", "a"]`, if it closes one. */
  add(owner: string, others: Iterable<string>): readonly string[] | undefined {
    this.#readsFrom.set(owner, new Set([...(this.#readsFrom.get(owner) ?? []), ...others]));
    return this.#pathTo(owner, owner, new Set());
  }

  #pathTo(end: string, from: string, visited: Set<string>): string[] | undefined {
    for (const next of this.#readsFrom.get(from) ?? []) {
      if (next === end) return [from, end];
      if (visited.has(next)) continue;
      visited.add(next);
      const rest = this.#pathTo(end, next, visited);
      if (rest) return [from, ...rest];
    }
    return undefined;
  }
}

/** Returns the message about a cycle. */
export function cycleMessage([first, second, ...others]: readonly string[]): string {
  const rest = others.map((other) => `, which reads from ${other}`).join("");
  return (
    `${first} reads from ${second}${rest}: none of them can be made before the others. ` +
    `Change the statement or the output of one of them.`
  );
}
