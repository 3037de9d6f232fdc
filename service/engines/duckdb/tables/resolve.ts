/** Determines how to read a table's text files and which columns it has. */
import { isWrittenObject, limits, shortened, type InputFormat, type QueryNote } from "../../../../contract";
import type { EngineFile, ReadableFile } from "../files";
import { EngineError } from "../engine-errors";
import { readFileHead, type FileHead, type FileHeadOptions } from "./file-head";
import { firstRecords, hasWholeRows, inferredRows, notUtf8 } from "./head";
import { Contradictions, requireNames } from "./undeclared/contradictions";
import { inferColumns, type InferredTable } from "./undeclared/infer-columns";
import { repeatsNames, type SampledColumn } from "./undeclared/inference";
import type { PartitionedTable } from "./partitions/index";
import { Pauses } from "../../../../storage/pauses";
import { startsWithMark, textProblem } from "../../../../storage/foreign-formats";
import { parseFirstRows, type Cell } from "./rows";
import { separatorNote } from "./separator";
import type { TextFile, TextFormat } from "./text-scan";

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
  readonly notes: readonly QueryNote[];
}

export interface ResolvedFile extends TextFile, ReadableFile {
  /** Cache key that changes when the file changes. */
  readonly identity: string;
}

/** Maximum number of files that are sampled. */
const sampleFiles = 20;
/** Bytes that suffice to detect gzip and empty content, and have the first rows of most objects. */
const shortHeadBytes = 4096;
/** Rows of each object that are compared with those of the others. */
const comparedRows = 10;
/** Number of files that are read concurrently. */
const batchSize = 16;
/** Milliseconds after a change in which another one may have the same time: in whole seconds, and in ticks of a clock. */
const settling = { seconds: 2000, ticks: 50 } as const;

/** How the files of a table are read. */
export interface ResolveOptions extends Pick<FileHeadOptions, "holdsLoop"> {
  readonly signal?: AbortSignal | undefined;
}

/**
 * Reads the heads of a table's files.
 * @throws EngineError when a first row that tells the columns is longer than any that can be read, or objects contradict
 * each other; the signal's reason when it is aborted.
 */
export async function resolveTable(
  table: PartitionedTable,
  format: InputFormat,
  options: ResolveOptions = {},
): Promise<ResolvedTable> {
  const declared = table.columns?.length ? table.columns : undefined;
  const byPath = new Map(table.files.map((file) => [file.path, file]));
  const mayHaveHeader = ({ path }: FileHead) => table.mayHaveHeader !== false || !isWrittenObject(path);
  if (!declared) requireNames(table.files, { format, formatFound: table.formatFound === true });
  const found = declared
    ? { columns: declared, header: false }
    : await inferColumns(format, sampleHeads(format, table.sampled ?? table.files, options), mayHaveHeader);
  const { columns, header } = found;
  const names = columns.map(({ name }) => name);
  const contradictions =
    "columnsOfData" in found ? new Contradictions({ format, header, columns: found.columnsOfData }) : undefined;
  const files: ResolvedFile[] = [];
  let separator: QueryNote | undefined;
  const declaredHeaders = new DeclaredHeaders(names);
  const now = Date.now();
  let isSettled = true;
  for await (const head of readHeads(table.files, header ? undefined : shortHeadBytes, options)) {
    const { path, gzip, size, modified, changed, inode } = head;
    const identity = JSON.stringify([path, size, modified, changed, inode]);
    isSettled &&= changed + (changed % 1000 === 0 ? settling.seconds : settling.ticks) < now;
    requireText(head, format);
    const { location, etag, partition, shownLocation } = byPath.get(path)!;
    if (format === "csv" && files.length === 0) separator = separatorNote(location, head, declared?.length);
    if (declared) declaredHeaders.add(location, head, format);
    const rows = contradictions ? await firstRows(format, head) : [];
    const isHeaderRow = header && repeatsNames(rows[0], names);
    if (isHeaderRow) requireReadableHeader(await withWholeRows(head, format), format);
    contradictions?.add({
      location,
      isJson: beginsWithJson(head),
      rows: isHeaderRow ? rows.slice(1) : rows,
      hasHeader: isHeaderRow,
      mayHaveHeader: mayHaveHeader(head) && !continuesInput(files.at(-1), head, format),
    });
    files.push({ path, location, size, etag, gzip, header: isHeaderRow, identity, partition, shownLocation });
  }
  const identity = JSON.stringify([format, header, ...files.map((file) => file.identity)]);
  const notes = [
    ...headerNotes(files, found),
    ...(separator ? [separator] : []),
    ...declaredHeaders.notes(),
    ...(contradictions?.end() ?? []),
  ];
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

/** Yields the heads of some non-empty files, each with the rows that columns are inferred from, if its file has them. */
async function* sampleHeads(format: InputFormat, files: readonly EngineFile[], options: ResolveOptions) {
  let sampled = 0;
  for await (const head of readHeads(files, undefined, options)) {
    requireText(head, format);
    yield await withWholeRows(head, format, inferredRows(format));
    sampled += 1;
    if (sampled === sampleFiles) break;
  }
}

/** Returns the first rows of csv and tsv. */
async function firstRows(format: InputFormat, head: FileHead): Promise<readonly (readonly Cell[])[]> {
  // Nothing but zeros was read of a file without an outline, and no row begins with one.
  if (format === "json" || head.bytes[0] === 0) return [];
  return parseFirstRows(await withWholeRows(head, format), format, comparedRows);
}

/** Returns true when the first row begins as an object of json does: with a brace and the name of a member. */
const beginsWithJson = ({ bytes }: FileHead) => /^\s*\{\s*"[^"\n]*"\s*:/.test(bytes.toString("utf8", 0, 1024));

/** Heads are read several at a time; one that does not have whole rows is large, and is read again alone. */
function withWholeRows(head: FileHead, format: InputFormat, rows = 1): FileHead | Promise<FileHead> {
  return hasWholeRows(head, format, rows) ? head : readFileHead(head.path, { format, rows });
}

/** Refuses objects that are no text of the format, although another object of the table is. */
function requireText(head: FileHead, format: InputFormat): void {
  if (head.raw.indexOf("PAR1") === 0) {
    throw new EngineError(
      `${head.path} is Parquet, and its table is read as ${format}: move it to the folder of another table`,
    );
  }
  const problem = textProblem(head.bytes, format);
  if (problem !== undefined) throw new EngineError(`${head.path} ${problem}`);
}

/** Returns true for an object of a split that continues the input of the one before, where its first row had no place. */
function continuesInput(before: ResolvedFile | undefined, head: FileHead, format: InputFormat): boolean {
  if (before === undefined || !isWrittenObject(before.path) || !isWrittenObject(head.path)) return false;
  const [row = ""] = firstRecords(head, format, 1);
  return before.size + Buffer.byteLength(row) + "\r\n".length > limits.splitObjectBytes;
}

/** Returns notes on a first row that only its form makes a header, or data. */
function headerNotes(
  files: readonly ResolvedFile[],
  { columns, doubt }: Pick<InferredTable, "columns" | "doubt">,
): QueryNote[] {
  const [first] = files;
  if (first && doubt !== undefined)
    return [{ severity: "warning", text: `the first row of ${first.location} ${doubt}` }];
  const withHeader = files.find(({ header }) => header);
  // In a table of texts only, nothing else tells a row of names from data.
  if (!withHeader || columns.some(({ type }) => type !== "string")) return [];
  const names = shortened(columns.map(({ name }) => name).join(", "), 200);
  const text = `the first row of ${withHeader.location} is taken for the names of the columns (${names}): declare the columns if it is data`;
  return [{ severity: "note", text }];
}

/** Finds the objects that no query wrote, whose first row has names of declared columns: all their rows are data. */
class DeclaredHeaders {
  readonly #places: ReadonlyMap<string, number>;
  readonly #found: string[] = [];
  /** The cells of the first such row whose columns stand in another order. */
  #otherOrder: readonly string[] | undefined;

  constructor(names: readonly string[]) {
    this.#places = new Map(names.map((name, place) => [name.toLowerCase(), place]));
  }

  add(location: string, head: FileHead, format: InputFormat): void {
    if (format === "json" || isWrittenObject(head.path) || !hasWholeRows(head, format, 1)) return;
    const cells = firstCells(head, format);
    const names = cells.filter((cell) => this.#places.has(cell));
    // One name alone may be a value.
    const isHeader = names.length === cells.length || (names.length > 1 && names.length * 2 >= cells.length);
    if (cells.length === 0 || !isHeader || new Set(names).size < names.length) return;
    this.#found.push(location);
    const isMoved = cells.some((cell, place) => this.#places.has(cell) && this.#places.get(cell) !== place);
    if (isMoved) this.#otherOrder ??= cells;
  }

  notes(): QueryNote[] {
    const [first, ...more] = this.#found;
    if (first === undefined) return [];
    const others = more.length === 0 ? "" : ` (and that of ${more.length} more of the table's objects)`;
    const order = this.#otherOrder
      ? `. The columns stand in another order there (${shortened(this.#otherOrder.join(", "), 200)}), and declared ones are found by their places: declare them in that order`
      : "";
    const text = `the first row of ${first}${others} has names of the declared columns, and counts as data: remove it${order}`;
    return [{ severity: "warning", text }];
  }
}

/** Returns the cells of the first row in lower case; none where quotes do not enclose whole cells, which is refused where rows are read. */
function firstCells(head: FileHead, format: TextFormat): readonly string[] {
  try {
    return (parseFirstRows(head, format, 1)[0] ?? []).map((cell) => cell?.trim().toLowerCase() ?? "");
  } catch (error) {
    if (error instanceof EngineError) return [];
    throw error;
  }
}

/**
 * Refuses a header that is not UTF-8, and one that DuckDB leaves out wrongly: after a byte order mark, it takes quotes for a
 * part of the name.
 */
function requireReadableHeader(head: FileHead, format: InputFormat): void {
  const [header] = firstRecords(head, format, 1);
  // Other bytes are read as the replacement character, which text may have too.
  if (header?.includes("\u{fffd}") && !head.bytes.includes(header)) throw notUtf8(head.path);
  if (format !== "csv" || !startsWithMark(head.bytes) || !header || !/[\r\n]/.test(header)) return;
  throw new EngineError(
    `${head.path} begins with a byte order mark, and a name in its header has a line break: remove one of the two`,
  );
}
