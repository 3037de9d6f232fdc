/** Runs a split in a separate thread, because it reads and writes synchronously. */
import { isMainThread, parentPort, Worker, workerData } from "node:worker_threads";
import { EngineError } from "../engine-errors";
import { runSplit, SplitCancelled, type SplitRun, type SplitTotals } from "./run";

/** Cancels a split and receives its progress. */
export interface SplitThreadControl {
  readonly signal: AbortSignal;
  /** Reports the percentage of the input that is done. */
  progress(percent: number): void;
}

interface ThreadData {
  readonly run: SplitRun;
  readonly shared: SharedArrayBuffer;
}

type ThreadResult = { readonly totals: SplitTotals } | { readonly cancelled: true } | { readonly failure: string };

/** Interval in which the thread's progress is polled. */
const progressIntervalMilliseconds = 200;

/**
 * Runs a split in a new thread.
 * @throws the signal's reason when it is aborted, or EngineError when the split fails.
 */
export async function splitInThread(run: SplitRun, { signal, progress }: SplitThreadControl): Promise<SplitTotals> {
  signal.throwIfAborted();
  const shared = new SharedArrayBuffer(16);
  const state = sharedState(shared);
  const thread = new Worker(__filename, { workerData: { run, shared } satisfies ThreadData, env: {}, execArgv: [] });
  const cancel = () => Atomics.store(state.cancelled, 0, 1);
  signal.addEventListener("abort", cancel);
  const timer = setInterval(() => progress(state.share[0]! * 100), progressIntervalMilliseconds);
  try {
    const result = await new Promise<ThreadResult>((resolve, reject) => {
      thread.once("message", resolve);
      thread.once("error", reject);
      thread.once("exit", () => reject(new EngineError("the split thread ended without a result")));
    });
    if ("totals" in result) return result.totals;
    signal.throwIfAborted();
    throw new EngineError("failure" in result ? result.failure : "the split was cancelled");
  } finally {
    clearInterval(timer);
    signal.removeEventListener("abort", cancel);
  }
}

function sharedState(shared: SharedArrayBuffer) {
  return { share: new Float64Array(shared, 0, 1), cancelled: new Int32Array(shared, 8, 1) };
}

async function runThread({ run, shared }: ThreadData): Promise<ThreadResult> {
  const state = sharedState(shared);
  try {
    const totals = await runSplit(run, {
      cancelled: () => Atomics.load(state.cancelled, 0) !== 0,
      progress: (done, total) => void (state.share[0] = total === 0 ? 1 : Math.min(1, done / total)),
    });
    return { totals };
  } catch (error) {
    if (error instanceof SplitCancelled) return { cancelled: true };
    return { failure: error instanceof Error ? error.message : String(error) };
  }
}

if (!isMainThread && parentPort !== null) {
  const port = parentPort;
  void runThread(workerData as ThreadData).then((result) => port.postMessage(result));
}
