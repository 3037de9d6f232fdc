/** Waits for the response of an engine that may end first. */
import { ApiError } from "../../../contract";
import type { Engine } from "../ports/engine";
import type { Clock } from "../ports/platform";

/** What {@link whileEngineRuns} needs besides the engine and its answer. */
export interface EngineWatchOptions {
  readonly clock: Clock;
  /** Returns the error when the engine ends first. */
  readonly toError: (reason: string) => Error;
}

/** Milliseconds after an error in which the end of the engine may be reported as its cause. */
const endReasonGrace = 100;

/**
 * Resolves with the engine's response; when the engine ends first, rejects with `toError(reason)`.
 *
 * The listeners are removed when the response arrives. Handlers on the promise `engine.ended` would accumulate for the
 * whole life of the engine.
 */
export async function whileEngineRuns<Answer>(
  engine: Engine,
  answer: Promise<Answer>,
  { clock, toError }: EngineWatchOptions,
): Promise<Answer> {
  const { listeners, ended } = watchOf(engine);
  const end = Promise.withResolvers<never>();
  end.promise.catch(() => undefined);
  const onEnd = (reason: string) => end.reject(toError(reason));
  listeners.add(onEnd);
  if (ended !== undefined) onEnd(ended);
  try {
    return await Promise.race([answer, end.promise]);
  } catch (error) {
    // When an engine ends, its jobs fail with errors that explain less than the reason of the end.
    if (!(error instanceof ApiError)) await Promise.race([end.promise, clock.sleep(endReasonGrace)]);
    throw error;
  } finally {
    listeners.delete(onEnd);
  }
}

/** The callers that wait for an engine, and the reason of its end. */
interface EngineWatch {
  readonly listeners: Set<(reason: string) => void>;
  ended?: string;
}

const watches = new WeakMap<Engine, EngineWatch>();

function watchOf(engine: Engine): EngineWatch {
  const known = watches.get(engine);
  if (known) return known;
  const watch: EngineWatch = { listeners: new Set() };
  watches.set(engine, watch);
  void notifyWhenEnded(engine, watch);
  return watch;
}

async function notifyWhenEnded(engine: Engine, watch: EngineWatch): Promise<void> {
  const { reason } = await engine.ended;
  watch.ended = reason;
  for (const onEnd of watch.listeners) onEnd(reason);
}
