/** What a resource wrote: its objects and, of a select's result, the first rows. */
import { CsvError, parse } from "csv-parse/sync";
import * as z from "zod";
import { asFolder, formatLocation, parseLocation, type Location, type OutputFormat } from "../../../contract";
import type { Storage } from "../../../storage";

/** Objects that the state lists at most. */
const listedObjects = 100;
/** Rows that `resultRows` can ask for. */
export const mostRows = 1_000;

const objectSchema = z
  .object({
    location: z.string().describe("Where the object lies, `dag://<bucket>/<path>`."),
    size: z.int().describe("Size in bytes."),
  })
  .meta({ title: "ResultObject", description: "An object in storage." });

const listFields = {
  objects: z
    .array(objectSchema)
    .describe(`The objects in the order of their names, the first ${listedObjects} of them.`),
  count: z.int().optional().describe("Number of all objects, where not all are listed."),
  size: z.int().optional().describe("Size of all objects in bytes, where not all are listed."),
};

export const objectsSchema = z
  .object(listFields)
  .meta({ title: "ObjectList", description: "The objects under a folder." });

export const resultSchema = z
  .object({
    ...listFields,
    rows: z
      .array(z.array(z.string().nullable()))
      .optional()
      .describe("The first `resultRows` rows, each value as text; NULL is null."),
  })
  .meta({ title: "QueryResult", description: "What a query wrote." });

export type ObjectList = z.output<typeof objectsSchema>;
export type QueryResult = z.output<typeof resultSchema>;

/** The objects under a folder. */
export async function listObjects(storage: Storage, folder: string): Promise<ObjectList> {
  const objects: ObjectList["objects"] = [];
  let count = 0;
  let total = 0;
  for await (const { location, size } of storage.list(folderOf(folder))) {
    if (isTemporary(location)) continue;
    if (objects.length < listedObjects) objects.push({ location: formatLocation(location), size });
    count += 1;
    total += size;
  }
  return count > objects.length ? { objects, count, size: total } : { objects };
}

/** Whether anything lies under a folder. */
export async function holdsObjects(storage: Storage, folder: string): Promise<boolean> {
  for await (const { location } of storage.list(folderOf(folder))) if (!isTemporary(location)) return true;
  return false;
}

/** Deletes everything under a folder. */
export async function purge(storage: Storage, folder: string): Promise<void> {
  await storage.deleteFolder(folderOf(folder));
}

/** The first rows of a result. */
export async function firstRows(
  storage: Storage,
  objects: ObjectList["objects"],
  format: OutputFormat,
  rows: number,
): Promise<(string | null)[][]> {
  const found: (string | null)[][] = [];
  for (const { location, size } of objects) {
    if (found.length >= rows) break;
    found.push(...(await rowsOf(storage, location, size, format, rows - found.length)));
  }
  return found;
}

/** A location's text as the folder that it names, ending in `/`. */
export function folderText(location: string): string {
  return formatLocation(folderOf(location));
}

function folderOf(location: string): Location {
  return asFolder(parseLocation(location));
}

function isTemporary({ key }: Location): boolean {
  return key.startsWith("tmp/") || key.startsWith("tmp_$folder$");
}

/** Bytes of an object that are read for its first rows, at first; doubled while no whole row is among them. */
const firstRead = 65_536;
const longestRead = 16_777_216;

async function rowsOf(storage: Storage, location: string, size: number, format: OutputFormat, rows: number) {
  for (let end = firstRead; ; end *= 4) {
    const bytes = await storage.read(parseLocation(location), { end: Math.min(end, size) });
    const text = Buffer.concat(await bytes.toArray()).toString();
    const whole = end >= size;
    const found = format === "tsv" ? tsvRows(text, whole) : csvRows(text, rows, whole);
    if (found.length >= rows || whole || end >= longestRead) return found.slice(0, rows);
  }
}

function csvRows(text: string, rows: number, whole: boolean): (string | null)[][] {
  try {
    // In a part of an object the last row may be cut, so one more than asked for is parsed.
    const found = parse(text, {
      to: rows + 1,
      relax_column_count: true,
      cast: (value, { quoting }) => (!quoting && value === "\\N" ? null : value),
    }) as (string | null)[][];
    return whole || found.length > rows ? found : found.slice(0, -1);
  } catch (error) {
    if (whole || !(error instanceof CsvError)) throw error;
    return [];
  }
}

function tsvRows(text: string, whole: boolean): (string | null)[][] {
  const lines = text.split("\n");
  // After the last line's end there is nothing; in a part of an object, there is a row that is cut.
  if (!whole || lines.at(-1) === "") lines.pop();
  return lines.map((line) => line.split("\t").map((value) => (value === "\\N" ? null : unescapeTsv(value))));
}

const escapes: Readonly<Record<string, string>> = { t: "\t", n: "\n", r: "\r", "\\": "\\" };

function unescapeTsv(value: string): string {
  return value.replace(/\\(.)/gs, (_all, character: string) => escapes[character] ?? character);
}
