/** A split in a thread of its own: its synchronous reads and writes hold up nobody else. */
import { isMainThread, parentPort, Worker, workerData } from "node:worker_threads";
import { EngineError } from "../errors";
import { runSplit, SplitCancelled, type SplitRun, type SplitTotals } from "./run";

/** How a split is followed and ended. */
export interface SplitFollower {
  readonly signal: AbortSignal;
  /** Share of the input that is done, 0 to 100. */
  progress(percent: number): void;
}

interface ThreadData {
  readonly run: SplitRun;
  readonly shared: SharedArrayBuffer;
}

type ThreadResult = { readonly totals: SplitTotals } | { readonly cancelled: true } | { readonly failure: string };

/** Milliseconds between two looks at how far the thread is. */
const progressInterval = 200;

/**
 * Runs a split in a new thread.
 * @throws the signal's reason when it is aborted, EngineError where the split fails.
 */
export async function splitInThread(run: SplitRun, { signal, progress }: SplitFollower): Promise<SplitTotals> {
  signal.throwIfAborted();
  const shared = new SharedArrayBuffer(16);
  const state = sharedState(shared);
  const thread = new Worker(__filename, { workerData: { run, shared } satisfies ThreadData, env: {}, execArgv: [] });
  const cancel = () => Atomics.store(state.cancelled, 0, 1);
  signal.addEventListener("abort", cancel);
  const timer = setInterval(() => progress(state.share[0]! * 100), progressInterval);
  try {
    const result = await new Promise<ThreadResult>((resolve, reject) => {
      thread.once("message", resolve);
      thread.once("error", reject);
      thread.once("exit", () => reject(new EngineError("the thread of the split ended without a result")));
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
