/** Tells users why a query failed, in our own words: DuckDB's messages name its options and quote rows of tables. */
import { ApiError, errors } from "../../../contract";
import { describeDiskProblem, diskProblem } from "../../../storage/disk-errors";
import { duckdbError } from "./engine-errors";
import { formatBytes } from "./process/exit";
import type { EngineSettings } from "./process/protocol";

/** What users know of the place of the data. */
const place = "the service";

/** What the user sees of an error, and the message for the log of the cluster's engine. */
export interface FailureReason {
  readonly reason: string;
  /** DuckDB's message, if it has no row of a table in it. */
  readonly detail?: string;
}

/** The Parquet objects that a statement reads. */
export interface ParquetObjects {
  /** What one of them is called when DuckDB does not name it. */
  readonly name: string;
  /** Returns true when the file is one of them, and has the size that it had before. */
  isUnchanged(path: string): boolean;
}

/**
 * Describes an error that ended a query, or the check of a statement.
 * @param parquet the Parquet objects that the statement reads; undefined when it reads none.
 */
export function failureReason(
  error: unknown,
  { memoryBytes }: Pick<EngineSettings, "memoryBytes">,
  parquet?: ParquetObjects,
): FailureReason {
  if (error instanceof ApiError) return { reason: error.message };
  const disk = diskProblem(error);
  if (disk) return { reason: describeDiskProblem(disk, place) };
  const known = duckdbError(error);
  switch (known.kind) {
    case "out-of-memory":
      return { reason: `the query ran out of memory (the cluster's limit is ${formatBytes(memoryBytes)})` };
    case "raised":
      return { reason: known.reason };
    case "not-utf8":
      return { reason: `${known.file} has a row that cannot be read: its text must be UTF-8` };
    case "json":
      return {
        reason: `${known.file} has a line that is not a JSON object (write one object a line, without a list around them), has half a surrogate pair such as \\ud800, or is longer than 16 MiB`,
      };
    case "parquet":
      return { reason: damaged(known.file, parquet) };
    case "library":
      return { reason: parquet ? damaged(known.file, parquet) : engineFailed, detail: known.message };
    case "beyond-moments":
      return {
        reason: `${parquet?.name ?? someParquet} has a date or timestamp that HiveQL does not have, such as infinity: write it again with NULL or a date in its place, or do not select that column`,
      };
    case "range":
      return {
        reason:
          "a number, date or text is too large for the type in which it is computed: compute numbers as double, or select smaller values",
      };
    case "conversion":
      return {
        reason:
          "a number or date is too large for the type that it is converted to: cast numbers to double, or select smaller values",
      };
    case "denied":
      return { reason: deniedReason(known) };
    case "file-too-large":
      return {
        reason:
          "the result, or what the query keeps on the disk until it ends, cannot be written: file too large (EFBIG): raise the largest size of a file that the service may write (ulimit -f, or LimitFSIZE of systemd), or select less",
      };
    case "disk-full":
      return { reason: describeDiskProblem("full", place) };
    case "files":
      if (known.file !== undefined && parquet?.isUnchanged(known.file))
        return { reason: damaged(known.file, parquet), detail: known.message };
      return {
        reason:
          "an object or folder that the query reads or writes was changed or deleted meanwhile, or cannot be accessed: submit it again",
        detail: known.message,
      };
    case "correlated":
      return {
        reason:
          "the embedded engine cannot run a correlated subquery of the statement: compare columns of the outer query in WHERE of the subquery only, and move what it joins into WITH",
        detail: known.message,
      };
    case "translation":
      return {
        reason: "the embedded engine cannot run the translation of the statement, which is a fault of the translator",
        detail: known.message,
      };
    case "interrupted":
      return { reason: "the query was interrupted" };
    case "parallel-csv":
    case "invalidated":
    case "other":
      return { reason: engineFailed, detail: known.message };
  }
}

/** Returns the error of an object that the service's user may not read; undefined for another error. */
export function accessDenied(error: unknown): ApiError | undefined {
  const known = duckdbError(error);
  return known.kind === "denied" ? new errors.StorageAccessError(deniedReason(known), { cause: error }) : undefined;
}

const deniedReason = ({ file, reason }: { readonly file: string; readonly reason: string }) =>
  `${file} cannot be accessed: ${reason}`;

const engineFailed = "the embedded engine failed";
const someParquet = "a Parquet object";

const damaged = (file: string | undefined, parquet: ParquetObjects | undefined) =>
  `${file ?? parquet?.name ?? someParquet} is damaged, or has texts that are not UTF-8: write it again, or remove it`;
