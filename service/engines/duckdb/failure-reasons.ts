/** Tells users why a query failed, in our own words: DuckDB's messages name its options and quote rows of tables. */
import { ApiError } from "../../../contract";
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

/**
 * Describes an error that ended a query, or the check of a statement.
 * @param parquet what a Parquet object that cannot be read is called when DuckDB does not name it.
 */
export function failureReason(
  error: unknown,
  { memoryBytes }: Pick<EngineSettings, "memoryBytes">,
  parquet = "a Parquet object",
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
    case "csv":
      return { reason: `${known.file} has a row that cannot be read: its text must be UTF-8` };
    case "json":
      return {
        reason: `${known.file} has a line that is not a JSON object (write one object a line, without a list around them), has half a surrogate pair such as \\ud800, or is longer than 16 MiB`,
      };
    case "parquet":
      return {
        reason: `${known.file ?? parquet} is damaged, or has texts that are not UTF-8: write it again, or remove it`,
      };
    case "infinity":
      return {
        reason: `${parquet} has a date or timestamp that is infinity, which HiveQL does not have: write it again with NULL or a date in its place, or do not select that column`,
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
    case "disk-full":
      return { reason: describeDiskProblem("full", place) };
    case "files":
      return {
        reason: "an object was changed or deleted while it was read, or cannot be read: submit the query again",
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
    case "other":
      return { reason: "the embedded engine failed", detail: known.message };
  }
}
