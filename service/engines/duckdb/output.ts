/**
 * Writes results: DuckDB writes one file, and a large file is cut into objects. `docs/engine.md` describes the formats.
 */
import { closeSync, fdatasyncSync, openSync, renameSync, statSync } from "node:fs";
import { rename, rm } from "node:fs/promises";
import { join } from "node:path";
import type { OutputFormat } from "../../../contract";
import { quoteLiteral } from "./sql-quoting";
import { syncFolder, syncFolderSync } from "../../../storage/durable";
import { objectName, syncFile } from "../../split/objects";
import { splitInThread } from "../../split/thread";
import type { JobTables } from "./tables";
import { escapedForTsv } from "./tables/text-scan";
import type { ResultQuery } from "./translation";

/** Returns the path of the file that DuckDB writes into the output folder, before it is turned into objects. */
export function resultFile(folder: string): string {
  return join(folder, "result");
}

/**
 * Returns the COPY statement that writes a query's rows to one file.
 * @param query `sql` is a SELECT with text columns only, and `withClause` defines the relations that it reads.
 */
export function copyStatement(
  { sql, withClause }: Pick<ResultQuery, "sql"> & Pick<JobTables, "withClause">,
  columnCount: number,
  format: OutputFormat,
  path: string,
): string {
  const names = Array.from({ length: columnCount }, (_, index) => `c${index}`);
  const layout = format === "csv" && columnCount === 1 ? "single-csv" : format;
  const cells = names.map((name) => `${cellSql[layout](name)} AS ${name}`);
  const rows = `SELECT ${cells.join(", ")} FROM (${sql}) AS result(${names.join(", ")})`;
  const options = ["FORMAT csv", "HEADER false", String.raw`NULLSTR '\N'`, ...layoutOptions[layout]];
  return `COPY (${withClause}${rows}) TO ${quoteLiteral(path)} (${options.join(", ")})`;
}

/**
 * Turns the result file into durable objects `000000_0`, …; resolves with their number and total size.
 * @param objectBytes maximum size of an object.
 */
export async function storeResult(folder: string, format: OutputFormat, objectBytes: number, signal: AbortSignal) {
  const path = resultFile(folder);
  const { size } = statSync(path);
  if (size <= smallBytes) {
    // A few calls that return at once take less time than as many turns of other threads. Named first, the file and its
    // name take one commit of the file system's journal.
    const named = join(folder, objectName(0));
    renameSync(path, named);
    const file = openSync(named, "r+");
    try {
      fdatasyncSync(file);
    } finally {
      closeSync(file);
    }
    syncFolderSync(folder);
    return { objects: 1, bytes: size };
  }
  if (size <= objectBytes) {
    await syncFile(path);
    await rename(path, join(folder, objectName(0)));
    await syncFolder(folder);
    return { objects: 1, bytes: size };
  }
  const run = { inputs: [{ path, location: "the result" }], format, output: folder, objectBytes };
  const { objects } = await splitInThread(run, { signal, progress: () => undefined });
  await rm(path);
  await syncFolder(folder);
  return { objects, bytes: size };
}

/** Bytes up to which a result is flushed to the disk without giving way to anything else. */
const smallBytes = 65_536;

/**
 * The layout of a result file. A csv with one column is quoted by our SQL and not by DuckDB: an empty cell must not
 * become a blank line, which most csv readers skip.
 */
type Layout = OutputFormat | "single-csv";

const layoutOptions: Readonly<Record<Layout, readonly string[]>> = {
  csv: ["DELIMITER ','", "QUOTE '\"'", "ESCAPE '\"'"],
  tsv: ["DELIMITER '\t'", "QUOTE ''", "ESCAPE ''"],
  "single-csv": ["DELIMITER ','", "QUOTE ''", "ESCAPE ''"],
};

const cellSql: Readonly<Record<Layout, (name: string) => string>> = {
  csv: (name) => name,
  tsv: escapedForTsv,
  "single-csv": (name) =>
    String.raw`CASE WHEN ${name} IN ('', '\N') OR regexp_matches(${name}, '[",\r\n]') THEN '"' || replace(${name}, '"', '""') || '"' ELSE ${name} END`,
};
