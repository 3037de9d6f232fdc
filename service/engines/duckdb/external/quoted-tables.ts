/** Checks tables of csv whose cells are in quotes. */
import type { ResolvedFile, ResolvedTable } from "../tables/resolve";
import { cannotRead, inBatches, type Scan } from "./facts";
import { QuotedCells } from "./quoted-cells";

const quote = 0x22;

/** Returns true when an object has a quote. */
export async function includesQuote(file: ResolvedFile, { chunks }: Scan): Promise<boolean> {
  for await (const chunk of chunks(file)) {
    if (chunk.includes(quote)) return true;
  }
  return false;
}

/**
 * Checks csv with quotes, and returns true when the rows end at CR LF.
 * @param isByLine true for a reader that takes lines apart, and not rows
 * @throws EngineError
 */
export async function checkQuotedCells(
  table: ResolvedTable,
  { columnCount, chunks }: Scan,
  isByLine: boolean,
): Promise<boolean> {
  const ends = await inBatches(table.files, async (file) => {
    const cells = new QuotedCells(columnCount, isByLine);
    const problem = (why: string | undefined) => {
      if (why !== undefined) throw cannotRead(table, `has quotes in csv and ${why}`, file);
    };
    for await (const chunk of chunks(file)) {
      problem(cells.push(chunk));
    }
    problem(cells.end());
    return cells.rowEnd;
  });
  const kinds = new Set(ends.filter((end) => end !== undefined));
  if (kinds.size > 1) throw cannotRead(table, "has quotes in csv, and rows that end at LF and at CR LF");
  return kinds.has("CRLF");
}
