/** Repeats what S3 does not answer for a while. */
import { setTimeout as sleep } from "node:timers/promises";
import { isTransientS3Error } from "./s3-problems";

/** Milliseconds for which work is repeated when S3 does not answer, and the pause between two tries. */
const longest = 60_000;
const pauses = { first: 500, longest: 8000 } as const;

/**
 * Runs work again while S3 does not answer, is too busy or fails by itself, for a minute at most, and not after the signal
 * is aborted. For work that is as good when it is done twice.
 *
 * @throws the error of the last try
 */
export async function repeatedWhileUnanswered<Result>(
  run: () => Promise<Result>,
  signal: AbortSignal,
): Promise<Result> {
  const end = performance.now() + longest;
  for (let pause: number = pauses.first; ; pause = Math.min(2 * pause, pauses.longest)) {
    try {
      return await run();
    } catch (error) {
      if (signal.aborted || !isTransientS3Error(error) || performance.now() > end) throw error;
    }
    await sleep(pause);
  }
}
