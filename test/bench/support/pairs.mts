/** Measures in pairs: each round runs every contestant once, so that all run under the same conditions. */

interface Contestant {
  readonly name: string;
  /** Runs once; the next `prepare` deletes its output. */
  run(): Promise<void> | void;
}

export interface Round {
  /** Runs before each run and is not measured. */
  readonly prepare: () => void;
  readonly contestants: readonly Contestant[];
  readonly rounds: number;
}

/** Returns the seconds of each contestant, by round. */
export async function secondsOf({
  prepare,
  contestants,
  rounds,
}: Round): Promise<Readonly<Record<string, readonly number[]>>> {
  const timed = contestants.map((contestant) => async () => {
    prepare();
    const start = performance.now();
    await contestant.run();
    return (performance.now() - start) / 1000;
  });
  const seconds = await timePairs({ rounds, contestants: timed });
  return Object.fromEntries(contestants.map(({ name }, index) => [name, seconds[index]!]));
}

/** Returns the speeds in GB/s of runs that process so many bytes. */
export function speedsOf(
  seconds: Readonly<Record<string, readonly number[]>>,
  bytes: number,
): Readonly<Record<string, readonly number[]>> {
  return Object.fromEntries(
    Object.entries(seconds).map(([name, values]) => [name, values.map((value) => bytes / value / 1e9)]),
  );
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
