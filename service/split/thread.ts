/** Runs a split in threads of its own, because it reads and writes synchronously: several inputs use all cores. */
import { availableParallelism } from "node:os";
import { basename, extname, join } from "node:path";
import { isMainThread, parentPort, Worker, workerData } from "node:worker_threads";
import { EngineError } from "../core/ports/engine-error";
import { nameObjects } from "./objects";
import { cutInputs, sizeOf, SplitCancelled, type FileSplit, type SplitTotals } from "./cut-files";

/** Cancels a split and receives its progress. */
export interface SplitThreadControl {
  readonly signal: AbortSignal;
  /** Reports the percentage of the input that is done. */
  progress(percent: number): void;
}

interface ThreadData {
  readonly split: FileSplit;
  readonly shared: SharedArrayBuffer;
  /** Which of the numbers in `shared` is this thread's progress. */
  readonly thread: number;
}

type ThreadResult =
  | { readonly counts: readonly (readonly [input: number, objects: number])[] }
  | { readonly cancelled: true }
  | { readonly failure: string };

/** The heap of a thread, which holds little: the bytes are outside of it. */
const resourceLimits = { maxYoungGenerationSizeMb: 2, maxOldGenerationSizeMb: 128 } as const;
/** The folder of this module, also in the bundle of the engine process (`engines/duckdb/process`), which contains it. */
const folder = basename(__dirname) === "split" ? __dirname : join(__dirname, "..", "..", "..", "split");
const threadFile = join(folder, `thread${extname(__filename)}`);
/** Interval in which the threads' progress is polled. */
const progressIntervalMilliseconds = 200;

/**
 * Runs a split in new threads, at most one for each core and for each input.
 * @throws the signal's reason when it is aborted, or EngineError when the split fails.
 */
export async function splitInThread(split: FileSplit, { signal, progress }: SplitThreadControl): Promise<SplitTotals> {
  signal.throwIfAborted();
  const bytes = split.inputs.reduce((sum, { path, location }) => sum + sizeOf(path, location), 0);
  const threads = Math.max(1, Math.min(availableParallelism(), split.inputs.length));
  const shared = new SharedArrayBuffer(8 + 8 * threads);
  const state = sharedState(shared);
  const cancel = () => Atomics.store(state.cancelled, 0, 1);
  signal.addEventListener("abort", cancel);
  const report = () => progress(percentOf(state.doneBytes, bytes));
  const timer = setInterval(report, progressIntervalMilliseconds);
  try {
    const results = await Promise.all(
      Array.from({ length: threads }, async (_, thread) => {
        const result = await runInThread({ split, shared, thread });
        // One thread that fails stops the others.
        if (!("counts" in result)) cancel();
        return result;
      }),
    );
    signal.throwIfAborted();
    const failed = results.find((result) => "failure" in result);
    if (failed !== undefined) throw new EngineError(failed.failure);
    const counts: number[] = [];
    for (const result of results) {
      if (!("counts" in result)) throw new EngineError("the split was cancelled");
      for (const [input, objects] of result.counts) counts[input] = objects;
    }
    return { objects: await nameObjects(split.output, counts, split.durable ?? true), bytes };
  } finally {
    clearInterval(timer);
    signal.removeEventListener("abort", cancel);
  }
}

async function runInThread(data: ThreadData): Promise<ThreadResult> {
  const thread = new Worker(threadFile, { workerData: data, env: {}, execArgv: [], resourceLimits });
  return new Promise<ThreadResult>((resolve) => {
    thread.once("message", resolve);
    thread.once("error", ({ message }) => resolve({ failure: message }));
    thread.once("exit", () => resolve({ failure: "a thread of the split ended without a result" }));
  });
}

function percentOf(doneBytes: Float64Array, bytes: number): number {
  return bytes === 0 ? 100 : Math.min(100, (doneBytes.reduce((sum, each) => sum + each, 0) / bytes) * 100);
}

/** What the threads share: one number for all of them, and one for each. */
function sharedState(shared: SharedArrayBuffer) {
  return {
    cancelled: new Int32Array(shared, 0, 1),
    nextInput: new Int32Array(shared, 4, 1),
    doneBytes: new Float64Array(shared, 8),
  };
}

async function runThread({ split, shared, thread }: ThreadData): Promise<ThreadResult> {
  const { cancelled, nextInput, doneBytes } = sharedState(shared);
  try {
    const counts = await cutInputs(split, numbersFrom(nextInput, split.inputs.length), {
      cancelled: () => Atomics.load(cancelled, 0) !== 0,
      progress: (bytes) => void (doneBytes[thread] = bytes),
    });
    return { counts };
  } catch (error) {
    if (error instanceof SplitCancelled) return { cancelled: true };
    return { failure: error instanceof Error ? error.message : String(error) };
  }
}

/** Takes the next number below the end that no other thread has taken. */
function* numbersFrom(next: Int32Array, end: number): Generator<number> {
  for (let number = Atomics.add(next, 0, 1); number < end; number = Atomics.add(next, 0, 1)) yield number;
}

if (!isMainThread && parentPort !== null) {
  const port = parentPort;
  void runThread(workerData as ThreadData).then((result) => port.postMessage(result));
}
