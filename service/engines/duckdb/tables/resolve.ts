/** Determines how to read a table's text files and which columns it has. */
import type { InputFormat } from "../../../../contract";
import type { EngineFile, ReadableFile } from "../files";
import { EngineError } from "../engine-errors";
import { readFileHead, type FileHead, type FileHeadOptions } from "./file-head";
import { firstRecords, hasWholeRow, startsWithMark } from "./head";
import { defaultNames, headerNames, isHeader, repeatsNames, SampledRows, type SampledColumn } from "./inference";
import { SampledMembers } from "./json/columns";
import type { PartitionedTable } from "./partitions";
import { Pauses } from "../../../../storage/pauses";
import { parseFirstRows, type Cell } from "./rows";
import type { TextFile } from "./text-scan";

/** A table of text, with its columns and the properties of its files. */
export interface ResolvedTable {
  readonly table: PartitionedTable;
  readonly format: InputFormat;
  /** Without the partition columns: the declared columns, or the columns that the first rows suggest. */
  readonly columns: readonly SampledColumn[];
  /** True when the columns are declared. */
  readonly declared: boolean;
  /** Non-empty files, in the order of their names. */
  readonly files: readonly ResolvedFile[];
  /** Cache key that changes when a file of the table changes. */
  readonly identity: string;
  /** False when a file changed just now: a further change might keep its size and its times. */
  readonly isSettled: boolean;
  /** What the user should know of how the files are read. */
  readonly notes: readonly string[];
}

export interface ResolvedFile extends TextFile, ReadableFile {
  /** Cache key that changes when the file changes. */
  readonly identity: string;
}

/** Rows per file that are sampled to infer undeclared columns. */
const sampleRows = 1000;
/** Maximum number of files that are sampled. */
const sampleFiles = 20;
/** Bytes that suffice to detect gzip and empty content. */
const shortHeadBytes = 4096;
/** Number of files that are read concurrently. */
const batchSize = 16;
/** Milliseconds after a change in which another one may have the same time. */
const settleMilliseconds = 2000;

/** How the files of a table are read. */
export interface ResolveOptions extends Pick<FileHeadOptions, "holdsLoop"> {
  readonly signal?: AbortSignal | undefined;
}

/**
 * Reads the heads of a table's files.
 * @throws EngineError when a first row that tells the columns is longer than any that can be read; the signal's reason
 * when it is aborted.
 */
export async function resolveTable(
  table: PartitionedTable,
  format: InputFormat,
  options: ResolveOptions = {},
): Promise<ResolvedTable> {
  const declared = table.columns?.length ? table.columns : undefined;
  const { columns, header } = declared
    ? { columns: declared, header: false }
    : await inferColumns(format, table.sampled ?? table.files, table.mayHaveHeader ?? true, options);
  const names = columns.map(({ name }) => name);
  const files: ResolvedFile[] = [];
  const byPath = new Map(table.files.map((file) => [file.path, file]));
  const settledBefore = Date.now() - settleMilliseconds;
  let isSettled = true;
  const otherHeaders: string[] = [];
  let otherFormat: string | undefined;
  for await (const head of readHeads(table.files, header ? undefined : shortHeadBytes, options)) {
    const { path, gzip, size, modified, changed, inode } = head;
    const identity = JSON.stringify([path, size, modified, changed, inode]);
    isSettled &&= changed < settledBefore;
    requireText(head, format);
    const first = header ? await firstRow(format, head) : undefined;
    const isHeaderRow = repeatsNames(first, names);
    if (isHeaderRow) requireReadableHeader(await withWholeRow(head, format), format);
    const { location, etag, partition, shownLocation } = byPath.get(path)!;
    if (!isHeaderRow && first && isHeader(first) && sharesName(first, names)) otherHeaders.push(location);
    if (namesOtherFormat(location, format)) otherFormat ??= location;
    files.push({ path, location, size, etag, gzip, header: isHeaderRow, identity, partition, shownLocation });
  }
  const identity = JSON.stringify([format, header, ...files.map((file) => file.identity)]);
  const notes = otherHeaders.length === 0 ? [] : [otherHeaderNote(otherHeaders, names)];
  const withHeader = files.find((file) => file.header);
  if (withHeader && notes.length === 0 && columns.every(({ type }) => type === "string")) {
    notes.push(headerNote(withHeader, names));
  }
  if (otherFormat !== undefined && !declared) notes.push(otherFormatNote(otherFormat, format));
  return { table, format, columns, declared: declared !== undefined, files, identity, isSettled, notes };
}

/** Yields the heads of the non-empty files in order; reads a few at a time, because a table may have very many. */
async function* readHeads(
  files: readonly EngineFile[],
  bytes: number | undefined,
  { signal, holdsLoop = false }: ResolveOptions,
): AsyncGenerator<FileHead> {
  const pauses = new Pauses();
  const some = files.filter(({ size }) => size > 0);
  for (let index = 0; index < some.length; index += batchSize) {
    await pauses.pause();
    signal?.throwIfAborted();
    const heads = some.slice(index, index + batchSize).map(({ path }) => readFileHead(path, { bytes, holdsLoop }));
    yield* (await Promise.all(heads)).filter((head) => head.bytes.length > 0 || head.more);
  }
}

/** What the first rows tell. */
interface Inferred {
  readonly columns: readonly SampledColumn[];
  /** True when the names come from a header row. */
  readonly header: boolean;
}

/** A table without rows needs a column too, so that its rows can be counted. */
const withoutRows: Inferred = { columns: [{ name: defaultNames(1)[0]!, type: "string" }], header: false };

async function inferColumns(
  format: InputFormat,
  files: readonly EngineFile[],
  mayHaveHeader: boolean,
  options: ResolveOptions,
): Promise<Inferred> {
  const heads = sampleHeads(format, files, options);
  if (format === "json") {
    const members = new SampledMembers();
    for await (const head of heads) for (const record of firstRecords(head, format, sampleRows)) members.add(record);
    const columns = members.columns();
    return columns.length > 0 ? { columns, header: false } : withoutRows;
  }
  const sample = new SampledRows();
  let names: readonly string[] | undefined;
  for await (const head of heads) {
    const rows = parseFirstRows(head, format, sampleRows);
    const [first] = rows;
    if (mayHaveHeader && names === undefined && sample.width === 0 && first && isHeader(first))
      names = headerNames(first);
    if (names && repeatsNames(first, names)) rows.shift();
    for (const row of rows) sample.add(row);
  }
  if (names) return { columns: sample.columns(names), header: true };
  return sample.width === 0 ? withoutRows : { columns: sample.columns(defaultNames(sample.width)), header: false };
}

/** Yields the heads of some non-empty files, each with a whole row if its file has one. */
async function* sampleHeads(format: InputFormat, files: readonly EngineFile[], options: ResolveOptions) {
  let sampled = 0;
  for await (const head of readHeads(files, undefined, options)) {
    yield await withWholeRow(head, format);
    sampled += 1;
    if (sampled === sampleFiles) break;
  }
}

async function firstRow(format: InputFormat, head: FileHead): Promise<readonly Cell[] | undefined> {
  // Nothing but zeros was read of a file without an outline, and a header cannot begin with one.
  if (format === "json" || head.bytes[0] === 0) return undefined;
  return parseFirstRows(await withWholeRow(head, format), format, 1)[0];
}

/** Heads are read several at a time; one that does not have a whole row is large, and is read again alone. */
function withWholeRow(head: FileHead, format: InputFormat): FileHead | Promise<FileHead> {
  return hasWholeRow(head, format) ? head : readFileHead(head.path, { format });
}

/** Refuses objects that are no text of the format, although another object of the table is. */
function requireText(head: FileHead, format: InputFormat): void {
  if (head.raw.indexOf("PAR1") === 0) {
    throw new EngineError(
      `${head.path} is Parquet, and its table is read as ${format}: move it to the folder of another table`,
    );
  }
  if (format === "json" && startsWithMark(head.bytes)) {
    throw new EngineError(`${head.path} begins with a byte order mark, which json must not have: remove it`);
  }
}

const sharesName = (row: readonly string[], names: readonly string[]) =>
  headerNames(row).some((name) => names.includes(name));

function otherHeaderNote([location]: readonly string[], names: readonly string[]): string {
  return (
    `warning: ${location} begins with a row of names that are not the columns of its table (${names.join(", ")}) in their order: ` +
    "the row is read as data, so all columns are string; give all objects the same header, or declare the columns"
  );
}

/** Returns true when an object's name says that its text has another format than its table. */
function namesOtherFormat(location: string, format: InputFormat): boolean {
  const [, extension] = /\.(csv|tsv|json|jsonl|ndjson)(?:\.gz)?$/i.exec(location) ?? [];
  if (extension === undefined) return false;
  const named = /json/i.test(extension) ? "json" : extension.toLowerCase();
  return named !== format;
}

const otherFormatNote = (location: string, format: InputFormat) =>
  `warning: ${location} is read as ${format}, which is the format of the first object of its table: ` +
  "move it to the folder of another table, or declare the table if all its objects have one format";

/** In a table of texts only, nothing but its form tells a row of names from data. */
const headerNote = ({ location }: ResolvedFile, names: readonly string[]) =>
  `the first row of ${location} is taken for the names of the columns (${names.join(", ")}): declare the columns if it is data`;

/** Refuses a header that DuckDB leaves out wrongly: after a byte order mark, it takes quotes for a part of the name. */
function requireReadableHeader(head: FileHead, format: InputFormat): void {
  const [header] = firstRecords(head, format, 1);
  if (format !== "csv" || !startsWithMark(head.bytes) || !header || !/[\r\n]/.test(header)) return;
  throw new EngineError(
    `${head.path} begins with a byte order mark, and a name in its header has a line break: remove one of the two`,
  );
}
