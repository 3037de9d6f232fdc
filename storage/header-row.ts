/** Finds inputs of a split whose first row is a header, although the columns are declared: then it counts as data. */
import { formatLocation, type InputFormat, type Location } from "../contract";
import { gunzipHead } from "./gzip-head";
import type { Storage } from "./storage";

/** Maximum number of inputs that are read. */
const maxInputs = 20;
/** Bytes that are read of an input; a longer first row is not compared. */
const headBytes = 65_536;

/** The inputs and the declared columns of a split. */
interface DeclaredInputs {
  readonly inputs: readonly Location[];
  readonly format: InputFormat;
  readonly columns: readonly { readonly name: string }[];
}

/**
 * Returns a warning that names the inputs, of the first 20, whose first row has the names of the declared columns;
 * undefined without any. Inputs that cannot be read are left out.
 */
export async function headerWarning(
  storage: Storage,
  { inputs, format, columns }: DeclaredInputs,
): Promise<string | undefined> {
  if (format === "json") return undefined;
  const found = await Promise.all(
    inputs.slice(0, maxInputs).map(async (location) => {
      const line = await firstLine(storage, location).catch(() => undefined);
      return line !== undefined && isHeader(line, format, columns) ? [formatLocation(location)] : [];
    }),
  );
  const [first, ...others] = found.flat();
  if (first === undefined) return undefined;
  const more = others.length === 0 ? "" : ` and of ${others.length} more ${others.length === 1 ? "input" : "inputs"}`;
  return (
    `the first row of ${first}${more} has the names of the columns in schema, and counts as data, because every row ` +
    `does when there is a schema: remove that row, or omit schema`
  );
}

async function firstLine(storage: Storage, location: Location): Promise<string | undefined> {
  const chunks = await (await storage.read(location, { end: headBytes })).toArray();
  const stored = Buffer.concat(chunks as Buffer[]);
  const isGzip = stored[0] === 0x1f && stored[1] === 0x8b;
  const bytes = isGzip ? (await gunzipHead(stored, headBytes)).bytes : stored;
  const end = bytes.indexOf("\n");
  if (end < 0 && bytes.length >= headBytes) return undefined;
  return bytes.subarray(0, end < 0 ? bytes.length : end).toString();
}

function isHeader(line: string, format: InputFormat, columns: DeclaredInputs["columns"]): boolean {
  const cells = line.replace(/^\uFEFF/, "").split(format === "tsv" ? "\t" : ",");
  return cells.length === columns.length && cells.every((cell, index) => nameIn(cell) === nameIn(columns[index]!.name));
}

/** Returns the name in a cell, without the quotes around it. */
function nameIn(cell: string): string {
  return cell
    .trim()
    .replace(/^"(.*)"$/s, "$1")
    .trim()
    .toLowerCase();
}
