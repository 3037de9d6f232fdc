/** Measuring in pairs: each round runs every contestant once, so that all see the same machine. */

export interface Contestant {
  readonly name: string;
  /** Runs once; what it leaves is cleaned up by the next `prepare`. */
  run(): Promise<void> | void;
}

export interface Round {
  /** Before each single run, outside the time. */
  readonly prepare: () => void;
  readonly contestants: readonly Contestant[];
  /** Bytes that each run handles. */
  readonly bytes: number;
  /** @default 5 */
  readonly rounds?: number;
}

/** Prints each contestant's median speed, and the median of the rounds' ratios of the first to each other one. */
export async function comparePairs(title: string, { prepare, contestants, bytes, rounds = 5 }: Round): Promise<void> {
  const timed = contestants.map((contestant) => async () => {
    prepare();
    const start = performance.now();
    await contestant.run();
    return (performance.now() - start) / 1000;
  });
  const seconds = await timePairs({ rounds, contestants: timed });
  const [ours = []] = seconds;
  console.log(title);
  for (const [index, { name }] of contestants.entries()) {
    const own = seconds[index]!;
    const speed = `${(bytes / median(own) / 1e9).toFixed(2)} GB/s`;
    const ratio =
      index === 0 ? "" : `  ours is ${median(own.map((time, round) => time / ours[round]!)).toFixed(2)} times as fast`;
    console.log(`  ${name.padEnd(34)} ${speed}${ratio}`);
  }
}

/** Runs each contestant once a round; answers each one's results, round by round. */
export async function timePairs<Result>({
  rounds,
  warmUps = [],
  contestants,
}: {
  readonly rounds: number;
  /** Run once, before the first round; their results are dropped. */
  readonly warmUps?: readonly (() => Promise<unknown>)[];
  readonly contestants: readonly (() => Promise<Result>)[];
}): Promise<Result[][]> {
  for (const warmUp of warmUps) await warmUp();
  const results = contestants.map((): Result[] => []);
  for (let round = 0; round < rounds; round++) {
    for (const turn of contestants.keys()) {
      // Nobody runs always first or always behind the same other one.
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
