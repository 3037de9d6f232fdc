/** Describes why an engine process ended by itself. */
import type { EndCause } from "../engine-errors";

/** The exit of a process. */
export interface ProcessExit {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  /** The end of its stderr output. */
  readonly stderr: string;
  readonly heapMebibytes: number;
}

/** The cause and the reason of an end; the reason is for the logs of queries. */
export interface ProcessEnd {
  readonly cause: EndCause;
  readonly reason: string;
}

/** Returns why a process ended that nobody has ended. */
export function describeExit({ code, signal, stderr, heapMebibytes }: ProcessExit): ProcessEnd {
  // V8 reports an exhausted heap only on stderr, and then aborts.
  if (/JavaScript heap out of memory/.test(stderr)) {
    return { cause: "memory", reason: `the query ran out of JavaScript heap (limit ${heapMebibytes} MiB)` };
  }
  if (signal === "SIGKILL") {
    const reason =
      "the query's process was killed (SIGKILL), by hand or because the machine ran out of memory: lower the cluster's memory if it was the latter";
    return { cause: "crash", reason };
  }
  if (signal !== null) return { cause: "crash", reason: `the query's process crashed (${signal})${errorLine(stderr)}` };
  return { cause: "crash", reason: `the query's process exited with code ${code ?? "unknown"}${errorLine(stderr)}` };
}

/** Formats a number of bytes, such as `2.0 GB`. */
export function formatBytes(bytes: number): string {
  const units = ["B", "kB", "MB", "GB", "TB", "PB"];
  const step = bytes < 1 ? 0 : Math.min(units.length - 1, Math.floor(Math.log10(bytes) / 3));
  return step === 0 ? `${bytes} B` : `${(bytes / 1000 ** step).toFixed(1)} ${units[step]}`;
}

/** Returns the line of Node's crash output that names the error, or the last line. */
function errorLine(stderr: string): string {
  const lines = stderr.trim().split("\n");
  const line = lines.find((text) => /^\w*Error\b/.test(text)) ?? lines.at(-1);
  return line ? `: ${line.trim()}` : "";
}
