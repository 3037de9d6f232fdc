import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { DuckDBEngine } from "../../../../../service/engines/duckdb/engine";
import { ProcessEnded, type EndCause } from "../../../../../service/engines/duckdb/engine-errors";
import type { EngineProcess, RequestListener } from "../../../../../service/engines/duckdb/process/engine-process";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

/** An engine whose one process works as long as the test lets it, and takes all processor time. */
function start() {
  const ended = Promise.withResolvers<never>();
  const done = Promise.withResolvers<null>();
  let listener: RequestListener | undefined;
  const process = {
    get processorMilliseconds() {
      return performance.now();
    },
    end: (cause: EndCause, reason: string) => ended.reject(new ProcessEnded(cause, reason)),
    request: (_operation: string, _input: object, _signal: AbortSignal, given?: RequestListener) => {
      listener = given;
      return Promise.race([done.promise, ended.promise]);
    },
  } as unknown as EngineProcess;
  const use = (_use: string, _signal: AbortSignal, work: (process: EngineProcess) => Promise<unknown>) => work(process);
  const pool = { broken: new Promise(() => undefined), use } as unknown as ConstructorParameters<
    typeof DuckDBEngine
  >[0];
  const engine = new DuckDBEngine(pool, () => "", undefined as never);
  const control = { signal: new AbortController().signal, limited: true };
  const check = engine.checkSelect({ statement: "SELECT 1", tables: [] }, control);
  check.catch(() => undefined);
  return { check, finish: () => done.resolve(null), listed: () => listener!.progress(0, 1) };
}

test("checkSelect: the list of very many objects takes nothing from the time of the statement", async () => {
  const { check, finish, listed } = start();
  await vi.advanceTimersByTimeAsync(59_000);
  listed();
  await vi.advanceTimersByTimeAsync(9000);
  finish();
  await expect(check).resolves.toBeUndefined();
});

test("checkSelect: a statement has 10 s after that", async () => {
  const { check, listed } = start();
  await vi.advanceTimersByTimeAsync(59_000);
  listed();
  await vi.advanceTimersByTimeAsync(10_000);
  await expect(check).rejects.toThrow("the check of the statement takes longer than 10 s");
});

test("checkSelect: a list that takes a minute ends the check", async () => {
  const { check } = start();
  await vi.advanceTimersByTimeAsync(60_000);
  await expect(check).rejects.toThrow("the list of the tables' objects takes longer than 60 s");
});
