/** Infers the columns of a table of text from its first rows. */
import type { InputFormat } from "../../../../../contract";
import type { FileHead } from "../file-head";
import { firstRecords } from "../head";
import { SampledMembers } from "../json/columns";
import { parseFirstRows, type Cell } from "../rows";
import { unnamedHeader } from "./unnamed-header";
import { defaultNames, headerNames, isHeader, repeatsNames, SampledRows, type SampledColumn } from "./inference";

/** The columns of a table, as the first rows of some of its objects suggest them. */
export interface InferredTable {
  readonly columns: readonly SampledColumn[];
  /** The same columns, with the types that they have without the first rows of later objects that are like a header. */
  readonly columnsOfData: readonly SampledColumn[];
  /** True when the names come from a header row. */
  readonly header: boolean;
  /** What a note says of the first row of the first file, when it is read as data and may be meant as a header. */
  readonly doubt?: string | undefined;
}

/** Rows per file that are sampled. */
const sampleRows = 1000;
/** Rows below the first one that are compared with it. */
const comparedRows = 100;
/** A table without rows needs a column too, so that its rows can be counted. */
const noColumns: readonly SampledColumn[] = [{ name: defaultNames(1)[0]!, type: "string" }];
const withoutRows: InferredTable = { columns: noColumns, columnsOfData: noColumns, header: false };

/**
 * Infers the columns.
 * @param heads the beginnings of some files of the table, each with a whole row if its file has one
 * @param mayHaveHeader returns false for a file whose first row is data, whatever it is like
 */
export async function inferColumns(
  format: InputFormat,
  heads: AsyncIterable<FileHead>,
  mayHaveHeader: (file: FileHead) => boolean,
): Promise<InferredTable> {
  if (format === "json") {
    const members = new SampledMembers();
    for await (const head of heads) for (const record of firstRecords(head, format, sampleRows)) members.add(record);
    const columns = members.columns();
    return columns.length > 0 ? { columns, columnsOfData: columns, header: false } : withoutRows;
  }
  const sample = new SampledRows();
  const likeHeaders: (readonly Cell[])[] = [];
  let names: readonly string[] | undefined;
  /** The first row where it is no header, and some rows below it. Those of other files that are equal count as it does. */
  let top: readonly Cell[] | undefined;
  let next: readonly (readonly Cell[])[] = [];
  for await (const head of heads) {
    const rows = parseFirstRows(head, format, sampleRows);
    const [first] = rows;
    if (first && isHeader(first) && mayHaveHeader(head)) {
      if (names === undefined && top === undefined && sample.width === 0) names = headerNames(first);
      if (!repeatsNames(first, names ?? [])) likeHeaders.push(first);
      rows.shift();
    } else if (first && names === undefined && mayHaveHeader(head)) {
      if (top === undefined && sample.width === 0) [top, next] = [first, rows.slice(1, comparedRows)];
      if (top && isEqual(first, top)) rows.shift();
    }
    for (const row of rows) sample.add(row);
  }
  const named = () => sample.columns(names ?? defaultNames(sample.width));
  const doubt = top && unnamedHeader({ row: top, below: named(), next });
  if (top) sample.add(top);
  const columnsOfData = named();
  for (const row of likeHeaders) sample.add(row);
  if (names === undefined && sample.width === 0) return withoutRows;
  return { columns: named(), columnsOfData, header: names !== undefined, doubt };
}

const isEqual = (one: readonly Cell[], other: readonly Cell[]) =>
  one.length === other.length && one.every((cell, index) => cell === other[index]);
