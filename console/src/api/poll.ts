/** Keeps a view up to date: reads again at an interval, while the page is visible. */
import { useEffect, useRef, useState } from "preact/hooks";
import { ConnectionLost, lostSince } from "./client";

/** The latest answer. */
export interface Polled<Value> {
  readonly value: Value | undefined;
  /** Why the last read failed; a lost connection is reported at the top of the page instead. */
  readonly error: Error | undefined;
  /** Reads now. */
  readonly refresh: () => void;
}

/** Returns the milliseconds between two tries to reach a service that does not answer. */
export function retryPause(failures: number): number {
  return Math.min(10_000, 500 * 1.5 ** failures);
}

/**
 * Reads at an interval.
 * @param read what to read; undefined to stop.
 * @param interval milliseconds; 0 to read once.
 * @param key starts again when it changes.
 */
export function usePoll<Value>(
  read: ((signal: AbortSignal) => Promise<Value>) | undefined,
  interval: number,
  key: string,
): Polled<Value> {
  const [state, setState] = useState<{ key: string; value?: Value; error?: Error }>({ key });
  const latest = useRef({ read, interval });
  latest.current = { read, interval };
  const wake = useRef(() => {});
  useEffect(() => {
    const stop = new AbortController();
    let timer: ReturnType<typeof setTimeout> | undefined;
    let failures = 0;
    let busy = false;
    const schedule = () => {
      clearTimeout(timer);
      const pause = failures > 0 ? retryPause(failures) : latest.current.interval;
      if (pause > 0 && !stop.signal.aborted) timer = setTimeout(() => void run(), pause);
    };
    const run = async () => {
      if (busy || stop.signal.aborted) return;
      if (document.hidden || !latest.current.read) return schedule();
      busy = true;
      try {
        const value = await latest.current.read(stop.signal);
        failures = 0;
        if (!stop.signal.aborted) setState({ key, value });
      } catch (error) {
        if (stop.signal.aborted) return;
        const lost = error instanceof ConnectionLost;
        failures = lost ? failures + 1 : 0;
        if (!lost) setState((before) => ({ ...before, key, error: error as Error }));
      } finally {
        busy = false;
        schedule();
      }
    };
    wake.current = () => void run();
    const onVisible = () => !document.hidden && void run();
    document.addEventListener("visibilitychange", onVisible);
    const unsubscribe = lostSince.subscribe((since) => {
      if (since === undefined && failures > 0) void run();
    });
    void run();
    return () => {
      stop.abort();
      clearTimeout(timer);
      unsubscribe();
      document.removeEventListener("visibilitychange", onVisible);
    };
  }, [key]);
  const current = state.key === key ? state : { value: undefined, error: undefined };
  return { value: current.value, error: current.error, refresh: () => wake.current() };
}
