/** Waiting for an engine that may end before it answers. */
import { ApiError } from "../../../contract";
import { systemClock } from "../clock";
import type { Engine } from "../ports/engine";

/** Milliseconds in which the reason of an engine's end follows the errors that the end causes. */
const reasonFollows = 100;

/**
 * The answer of an engine; where the engine ends before it, the error that `lost` makes of the reason.
 *
 * Engines live long: who waits is kept here and forgotten when it has its answer, while handlers on the engine's own
 * `ended` would stay for as long as it lives.
 */
export async function whileEngineRuns<Answer>(
  engine: Engine,
  answer: Promise<Answer>,
  lost: (reason: string) => Error,
): Promise<Answer> {
  const { waiting, ended } = watchOf(engine);
  const end = Promise.withResolvers<never>();
  end.promise.catch(() => undefined);
  const told = (reason: string) => end.reject(lost(reason));
  waiting.add(told);
  if (ended !== undefined) told(ended);
  try {
    return await Promise.race([answer, end.promise]);
  } catch (error) {
    // An engine that ends breaks what runs on it in ways that say less than why it ended.
    if (!(error instanceof ApiError)) await Promise.race([end.promise, systemClock.sleep(reasonFollows)]);
    throw error;
  } finally {
    waiting.delete(told);
  }
}

/** Those who wait for an engine, and why it ended once it has. */
interface Watch {
  readonly waiting: Set<(reason: string) => void>;
  ended?: string;
}

const watches = new WeakMap<Engine, Watch>();

function watchOf(engine: Engine): Watch {
  const known = watches.get(engine);
  if (known) return known;
  const watch: Watch = { waiting: new Set() };
  watches.set(engine, watch);
  void tellWhenEnded(engine, watch);
  return watch;
}

async function tellWhenEnded(engine: Engine, watch: Watch): Promise<void> {
  const { reason } = await engine.ended;
  watch.ended = reason;
  for (const told of watch.waiting) told(reason);
}
