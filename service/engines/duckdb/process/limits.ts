/** The limits of the processes of a cluster: memory together and alone, and the time without a reaction. */
import type { EndCause } from "../engine-errors";
import { formatBytes } from "./exit";

/** What a process is used for: the check of a submission, or a query. */
export type Use = "check" | "query";

const MiB = 1024 * 1024;

/** Time limit of a check in milliseconds, after its tables were listed. */
export const checkMilliseconds = 10_000;
/** Time limit of listing the tables of a check in milliseconds: it depends on their objects, and not on the statement. */
export const listMilliseconds = 60_000;
/** Processor time in milliseconds from which a check beyond its time limit is the statement's fault. */
const checkProcessorMilliseconds = 3000;
/** Memory limit of a check in bytes. */
export const checkBytes = 256 * MiB;
/** Memory in bytes that a query's process has for itself, beyond the cluster's limit: grammar, code, caches, garbage. */
const ownBytes = 80 * MiB;
/** Part of its share that DuckDB may use; the rest is for JavaScript and for what DuckDB does not count. */
const databasePart = 0.8;
/** The smallest limit of DuckDB's memory that makes sense, in bytes. */
const minDatabaseBytes = 32 * MiB;

/** Milliseconds after which a process that sends no report is ended: it is stopped, or the machine does not run it. */
const silence: Readonly<Record<Use | "idle", number>> = { check: 5000, idle: 15_000, query: 60_000 };
/** Milliseconds that one call of a function in JavaScript may take, with all rows that it gets at once. */
const callMilliseconds = 60_000;

/** The observed state of a process. */
export interface ObservedProcess {
  /** Memory beyond what it uses without a request. */
  readonly usedBytes: number;
  /** The part of it that is of earlier requests. */
  readonly keptBytes: number;
  readonly silentMilliseconds: number;
  readonly blockedMilliseconds: number;
}

/** Returns DuckDB's memory limit in each of a number of queries that run at the same time. */
export function memoryShare(memoryBytes: number, queries: number): number {
  return Math.max(minDatabaseBytes, Math.floor((memoryBytes / Math.max(1, queries)) * databasePart));
}

/** A process to end, with the reason. */
export interface ProcessToEnd<Process> {
  readonly process: Process;
  readonly reason: string;
}

/** Finds the process to end when a limit of memory is exceeded: the one that uses most. */
export function findProcessToEnd<Process extends ObservedProcess>(
  busy: ReadonlyMap<Process, Use>,
  memoryBytes: number,
): ProcessToEnd<Process> | undefined {
  let sum = 0;
  let most: Process | undefined;
  for (const [process, use] of busy) {
    if (use === "check") {
      if (process.usedBytes - process.keptBytes <= checkBytes) continue;
      return { process, reason: `the check of the statement needs more than ${formatBytes(checkBytes)} of memory` };
    }
    sum += Math.max(0, process.usedBytes - ownBytes);
    if (most === undefined || process.usedBytes > most.usedBytes) most = process;
  }
  if (most === undefined || sum <= memoryBytes) return undefined;
  const used = formatBytes(most.usedBytes - ownBytes);
  const others = sum > most.usedBytes - ownBytes ? `, all queries of the cluster ${formatBytes(sum)}` : "";
  return {
    process: most,
    reason: `the query ran out of memory (the cluster's limit is ${formatBytes(memoryBytes)}): it used ${used}${others}`,
  };
}

/** Returns why a check beyond its time limit ends: the statement needs the time, or the machine had none for it. */
export function lateCheckEnd(processorMilliseconds: number): { readonly cause: EndCause; readonly reason: string } {
  const seconds = checkMilliseconds / 1000;
  return processorMilliseconds >= checkProcessorMilliseconds
    ? { cause: "time", reason: `the check of the statement takes longer than ${seconds} s` }
    : { cause: "unresponsive", reason: `the machine had too little time for it within ${seconds} s` };
}

/** Why a check ends whose tables have too many objects. */
export const lateListEnd = {
  cause: "time",
  reason: `the list of the tables' objects takes longer than ${listMilliseconds / 1000} s`,
} as const;

/** Returns why a process is to be ended that does not react; undefined when it does. */
export function unresponsiveReason(process: ObservedProcess, use: Use | "idle"): string | undefined {
  if (process.silentMilliseconds > silence[use]) {
    return `the query's process did not respond for ${silence[use] / 1000} s: it was stopped, or the machine had no time for it`;
  }
  if (use !== "query" || process.blockedMilliseconds <= callMilliseconds) return undefined;
  return `a function of the statement took longer than ${callMilliseconds / 1000} s for one batch of rows, such as a regular expression that tries too many ways to match: simplify it`;
}
