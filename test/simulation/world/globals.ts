/** Replaces the time, the timers and the random numbers of the language by those of the world. */
import { world, type Step } from "./world";

/** What the world itself needs of the real ones. */
export const real = {
  setImmediate: globalThis.setImmediate,
  now: performance.now.bind(performance),
};

/** A timer, as Node.js returns it. */
class Timer {
  constructor(readonly step: { current: Step }) {}
  unref(): this {
    return this;
  }
  ref(): this {
    return this;
  }
  [Symbol.dispose](): void {
    this.step.current.isCancelled = true;
  }
}

function start(milliseconds: number, run: () => void, isRepeated: boolean): Timer {
  const duration = () => Math.max(isRepeated ? 1 : 0, Number.isFinite(milliseconds) ? milliseconds : 0);
  const actor = world().current;
  const begin = (): Step =>
    world().after(
      duration() / actor.rate,
      () => {
        if (isRepeated) step.current = begin();
        run();
      },
      actor,
    );
  const step: { current: Step } = { current: undefined as unknown as Step };
  step.current = begin();
  return new Timer(step);
}

const cancel = (timer: Timer | undefined) => {
  if (timer) timer.step.current.isCancelled = true;
};

/** Date, whose present is that of the actor's clock. */
const RealDate = Date;
class WorldDate extends RealDate {
  constructor(...given: unknown[]) {
    super(...((given.length === 0 ? [WorldDate.now()] : given) as [number]));
  }
  static override now(): number {
    return world().timeOf(world().current);
  }
}

function replaceGlobals(): void {
  const replaced = {
    setTimeout: (run: (...given: unknown[]) => void, milliseconds = 1, ...given: unknown[]) =>
      start(Math.max(1, milliseconds), () => run(...given), false),
    setInterval: (run: (...given: unknown[]) => void, milliseconds = 1, ...given: unknown[]) =>
      start(milliseconds, () => run(...given), true),
    setImmediate: (run: (...given: unknown[]) => void, ...given: unknown[]) => start(0, () => run(...given), false),
    clearTimeout: cancel,
    clearInterval: cancel,
    clearImmediate: cancel,
    Date: WorldDate,
  };
  Object.assign(globalThis, replaced);
  Math.random = () => world().names.next();
  Object.defineProperty(performance, "now", {
    value: () => world().now * world().current.rate,
  });
  process.nextTick = ((run: (...given: unknown[]) => void, ...given: unknown[]) =>
    queueMicrotask(() => run(...given))) as typeof process.nextTick;
  AbortSignal.timeout = (milliseconds: number) => {
    const controller = new AbortController();
    setTimeout(() => controller.abort(new DOMException("the operation timed out", "TimeoutError")), milliseconds);
    return controller.signal;
  };
}

replaceGlobals();
