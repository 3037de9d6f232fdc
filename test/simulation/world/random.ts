/** Random numbers from a seed: the same seed gives the same numbers. */

export type Random = ReturnType<typeof randomFrom>;

/** Returns a generator of random numbers (mulberry32). */
export function randomFrom(seed: number) {
  let state = seed >>> 0;
  /** Returns a number from 0 up to but not including 1. */
  function next(): number {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  }
  return {
    next,
    /** Returns a whole number from `low` to `high`. */
    between: (low: number, high: number): number => low + Math.floor(next() * (high - low + 1)),
    chance: (probability: number): boolean => next() < probability,
    pick: <Item>(items: readonly Item[]): Item => items[Math.floor(next() * items.length)]!,
  };
}
