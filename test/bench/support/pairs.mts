/** Measures in pairs: each round runs every contestant once, so that all run under the same conditions. */

export interface Contestant {
  readonly name: string;
  /** Runs once; the next `prepare` deletes its output. */
  run(): Promise<void> | void;
}

export interface Round {
  /** Runs before each run and is not measured. */
  readonly prepare: () => void;
  readonly contestants: readonly Contestant[];
  /** The number of bytes that each run processes. */
  readonly bytes: number;
  /** @default 5 */
  readonly rounds?: number;
}

/** Prints each contestant's median speed, and the median of the speed ratios of the first contestant to each other. */
export async function comparePairs(title: string, { prepare, contestants, bytes, rounds = 5 }: Round): Promise<void> {
  const timed = contestants.map((contestant) => async () => {
    prepare();
    const start = performance.now();
    await contestant.run();
    return (performance.now() - start) / 1000;
  });
  const seconds = await timePairs({ rounds, contestants: timed });
  const [first = []] = seconds;
  console.log(title);
  for (const [index, { name }] of contestants.entries()) {
    const own = seconds[index]!;
    const speed = `${(bytes / median(own) / 1e9).toFixed(2)} GB/s`;
    const ratio =
      index === 0
        ? ""
        : `  ${contestants[0]!.name} is ${median(own.map((time, round) => time / first[round]!)).toFixed(2)} times as fast`;
    console.log(`  ${name.padEnd(34)} ${speed}${ratio}`);
  }
}

/** Runs each contestant once in each round and returns the results of each contestant, by round. */
export async function timePairs<Result>({
  rounds,
  warmUps = [],
  contestants,
}: {
  readonly rounds: number;
  /** Run once before the first round; their results are ignored. */
  readonly warmUps?: readonly (() => Promise<unknown>)[];
  readonly contestants: readonly (() => Promise<Result>)[];
}): Promise<Result[][]> {
  for (const warmUp of warmUps) await warmUp();
  const results = contestants.map((): Result[] => []);
  for (let round = 0; round < rounds; round++) {
    for (const turn of contestants.keys()) {
      // Rotates the order, so that no contestant is always the first.
      const index = (turn + round) % contestants.length;
      results[index]!.push(await contestants[index]!());
    }
  }
  return results;
}

export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  const middle = Math.floor(sorted.length / 2);
  return sorted.length % 2 === 1 ? sorted[middle]! : (sorted[middle - 1]! + sorted[middle]!) / 2;
}
