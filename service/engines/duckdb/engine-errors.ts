/** Errors of the engine, and the classification of DuckDB's errors. */
import { systemErrorReason } from "../../../storage/filesystem";
import { EngineError } from "../../core/ports/engine-error";

export { EngineError };

/**
 * Why an engine process ended: it was closed; its request needed too much memory or time; it no longer responded; or it
 * crashed or was killed by hand.
 */
export type EndCause = "closed" | "memory" | "time" | "unresponsive" | "crash";

/** The process of a request ended before the request did. */
export class ProcessEnded extends EngineError {
  override readonly name = "ProcessEnded";

  constructor(
    readonly endCause: EndCause,
    reason: string,
  ) {
    super(reason);
  }
}

/** An error of DuckDB. */
export type DuckDBError =
  | {
      readonly kind:
        | "out-of-memory"
        | "interrupted"
        | "range"
        | "conversion"
        | "beyond-moments"
        | "disk-full"
        | "file-too-large";
    }
  /** Raised by the statement itself, with a reason of ours. */
  | { readonly kind: "raised"; readonly reason: string }
  /** A row of a text object is not UTF-8, a line of a json object, or a part of a Parquet object cannot be read. */
  | { readonly kind: "not-utf8" | "json"; readonly file: string }
  /** The name is absent where DuckDB does not say which object it reads. */
  | { readonly kind: "parquet"; readonly file: string | undefined }
  /** An exception that is not DuckDB's own: its reader of Parquet has them from libraries, of parts that cannot be decoded. */
  | { readonly kind: "library"; readonly file: string | undefined; readonly message: string }
  /** The file is named when it was opened, and a part of it cannot be read. */
  | { readonly kind: "files"; readonly file?: string | undefined; readonly message: string }
  /** The service's user may not read the file. */
  | { readonly kind: "denied"; readonly file: string; readonly reason: string }
  /** DuckDB takes no more statements, because of an internal error of an earlier one. */
  | { readonly kind: "invalidated"; readonly message: string }
  /** DuckDB's planner cannot resolve what a subquery reads of the outer query. */
  | { readonly kind: "correlated"; readonly message: string }
  | { readonly kind: "parallel-csv" | "translation" | "other"; readonly message: string };

/**
 * Returns what DuckDB, or the file system, reports. DuckDB's binding has no codes: the kind is the first words of the message, such as
 * `Out of Memory Error: …`, and the object that cannot be read stands in it. No other code parses the messages.
 */
export function duckdbError(error: unknown): DuckDBError {
  const message = error instanceof Error ? error.message : String(error);
  const { code, path } = (error ?? {}) as NodeJS.ErrnoException;
  if (code === "ENOENT") return { kind: "files", message };
  if (code === "EFBIG") return { kind: "file-too-large" };
  if ((code === "EACCES" || code === "EPERM") && path !== undefined)
    return { kind: "denied", file: path, reason: systemErrorReason(error) };
  const [, type, text = ""] = /^([A-Za-z ]+) Error: ?([^]*)$/.exec(message) ?? [];
  switch (type) {
    case "Out of Memory":
      return { kind: "out-of-memory" };
    case "INTERRUPT":
      return { kind: "interrupted" };
    case "Parameter Not Allowed":
      return { kind: "parallel-csv", message };
    case "Not implemented":
      // A line break in a quoted cell at the end of the 64 MiB that one thread reads.
      if (text.startsWith("The Parallel CSV Reader")) return { kind: "parallel-csv", message };
      return damagedParquet(text) ?? translationError(text, message);
    case "Out of Range":
      return { kind: "range" };
    case "Conversion":
      return { kind: text.startsWith(tooLateMoment) ? "beyond-moments" : "conversion" };
    case "HTTP":
      // The rest is the server's answer.
      return { kind: "files", message: message.split("\n", 1)[0]! };
    case "Invalid":
      return { kind: "library", file: parquetFile(text), message };
    case "IO": {
      if (fullDisk.test(text)) return { kind: "disk-full" };
      if (tooLargeFile.test(text)) return { kind: "file-too-large" };
      const denied = deniedFile.exec(text);
      if (denied) return { kind: "denied", file: denied[1]!, reason: "permission denied (EACCES)" };
      return damagedParquet(text) ?? { kind: "files", file: partlyRead.exec(text)?.[1], message };
    }
    case "FATAL":
      return { kind: "invalidated", message };
    case "Binder":
      return translationError(text, message);
    case "Catalog":
    case "Parser":
    case "INTERNAL":
      return { kind: "translation", message };
    case "Invalid Input":
      return inputError(text);
    default:
      return { kind: "other", message };
  }
}

/** What DuckDB says only of subqueries that read columns of the outer query. */
const unresolved = /\bcorrelated\b|\bdependent ?joins?\b|\blateral\b/i;

/** The kind of error of SQL that DuckDB does not run. A name in quotes is no word of DuckDB's. */
const translationError = (text: string, message: string): DuckDBError => ({
  kind: unresolved.test(text.replaceAll(/"[^"]*"/g, "")) ? "correlated" : "translation",
  message,
});

/** What DuckDB says of a timestamp of a Parquet object, in milliseconds, that it has no microseconds for. */
const tooLateMoment = "Could not convert Timestamp(MS) to Timestamp(US)";

/** What the operating system says of ENOSPC and EDQUOT: DuckDB passes only the text on. */
const fullDisk = /: (?:No space left on device|Disk quota exceeded)/;

/** What the operating system says of EFBIG. */
const tooLargeFile = /: File too large/;

/** What DuckDB says of a file that it may not open: EACCES. */
const deniedFile = /^Cannot open file "([^"]+)": Permission denied/;

/** What DuckDB says of a file whose end, or another part, cannot be read after it was opened. */
const partlyRead = /^Could not read (?:enough bytes )?from file "([^"]+)"/;

/** What DuckDB says only of Parquet objects that it cannot decode. */
const undecoded = /parquet|corrupt|ColumnReader|^Failed to read file|^Incorrect stats size/i;

/** Returns the error if DuckDB says that a Parquet object is damaged. A name in quotes is no word of DuckDB's. */
const damagedParquet = (text: string): DuckDBError | undefined =>
  undecoded.test(text.replaceAll(/"[^"]*"/g, "")) ? { kind: "parquet", file: parquetFile(text) } : undefined;

/** Returns the object that an error names, if it names one. */
function parquetFile(text: string): string | undefined {
  return (/\bfile (?:"([^"]+)"|'([^']+)')|outside file: (.+), attempted/i.exec(text) ?? []).slice(1).find(Boolean);
}

/** What the reasons that the translation raises begin with. */
const ownReason = "HiveQL: ";

/** What DuckDB says of the bytes of a text in json. */
const invalidUtf8 = "invalid UTF-8 encoding";

/** The kind of error that a statement raises by the function `error`, as the readers of files do. */
function inputError(text: string): DuckDBError {
  if (text.startsWith(ownReason)) return { kind: "raised", reason: text.slice(ownReason.length) };
  if (text.startsWith("CSV Error"))
    return { kind: "not-utf8", file: /^ *file = (.+)$/m.exec(text)?.[1] ?? "an object" };
  const json = /^(?:Malformed JSON|"maximum_object_size").* file "([^"]+)"/.exec(text);
  if (json) return { kind: text.includes(`: ${invalidUtf8}`, json[0].length) ? "not-utf8" : "json", file: json[1]! };
  // A function in JavaScript made a text that is too long for it.
  if (/^Invalid (?:string length|count value)/.test(text)) return { kind: "range" };
  if (/^Type \S+ with value -?infinity can't be cast/.test(text)) return { kind: "beyond-moments" };
  return damagedParquet(text) ?? { kind: "other", message: `Invalid Input Error: ${text}` };
}

/** Returns the kind of an error of DuckDB. */
export const duckdbErrorKind = (error: unknown): DuckDBError["kind"] => duckdbError(error).kind;
