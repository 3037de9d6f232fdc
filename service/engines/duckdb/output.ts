/** How a result is written: one file by DuckDB, cut into objects where it is large. `docs/engine.md` has the formats. */
import { rename, rm, stat } from "node:fs/promises";
import { join } from "node:path";
import type { OutputFormat } from "../../../contract";
import { quoteText } from "./sql";
import { objectName, syncFile, syncFolder } from "./split/objects";
import { splitInThread } from "./split/thread";
import { escapedForTsv } from "./tables/text";

/** The file in the output folder that DuckDB writes before it becomes the objects. */
export function resultFile(folder: string): string {
  return join(folder, "result");
}

/**
 * A COPY of a statement's rows into one file.
 * @param sql a SELECT whose columns are all texts.
 */
export function copyStatement(sql: string, columnCount: number, format: OutputFormat, path: string): string {
  const names = Array.from({ length: columnCount }, (_, index) => `c${index}`);
  const layout = format === "csv" && columnCount === 1 ? "single-csv" : format;
  const cells = names.map((name) => `${cellSql[layout](name)} AS ${name}`);
  const rows = `SELECT ${cells.join(", ")} FROM (${sql}) AS result(${names.join(", ")})`;
  const options = ["FORMAT csv", "HEADER false", String.raw`NULLSTR '\N'`, ...layoutOptions[layout]];
  return `COPY (${rows}) TO ${quoteText(path)} (${options.join(", ")})`;
}

/**
 * Turns the result file into durable objects `000000_0`, …; resolves to their number and total size.
 * @param objectBytes greatest size of an object.
 */
export async function storeResult(folder: string, format: OutputFormat, objectBytes: number, signal: AbortSignal) {
  const path = resultFile(folder);
  const { size } = await stat(path);
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

/** A csv of one column is quoted here, not by DuckDB: most readers of csv pass over a blank line, so an empty cell must not become one. */
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
