/** Lists a resource's objects and reads the first rows of a select's result. */
import { createHash } from "node:crypto";
import { CsvError, parse } from "csv-parse/sync";
import * as z from "zod";
import {
  errors,
  asFolder,
  formatLocation,
  parseLocation,
  type Location,
  type OutputFormat,
  type QueryRecord,
} from "../../../contract";
import type { Storage } from "../../../storage";

/** Length of an etag: 36 bits tell one state of a folder from the next; the state of every resource contains it. */
const etagLength = 6;
/** Maximum number of objects that the state lists. */
const maxListedObjects = 100;
/** Maximum of `resultRows`. */
export const maxRows = 1_000;

const objectSchema = z
  .object({
    location: z.string().describe("Location of the object, `dag://<bucket>/<path>`."),
    size: z.int().describe("Size in bytes."),
  })
  .meta({ title: "ResultObject", description: "An object in storage." });

const listFields = {
  objects: z.array(objectSchema).describe(`The first ${maxListedObjects} objects, sorted by name.`),
  count: z.int().optional().describe("Total number of objects; set only when not all objects are listed."),
  size: z.int().optional().describe("Total size of all objects in bytes; set only when not all objects are listed."),
  etag: z
    .string()
    .optional()
    .describe("Changes with every name, size, time or etag of the objects. A purge deletes only what still has it."),
};

export const objectsSchema = z
  .object(listFields)
  .meta({ title: "ObjectList", description: "The objects in a folder." });

export const resultSchema = z
  .object({
    ...listFields,
    rows: z
      .array(z.array(z.string().nullable()))
      .optional()
      .describe(
        "The first `resultRows` rows. Each value is a string; NULL is null, but in Go, whose lists have no null, an empty string.",
      ),
  })
  .meta({ title: "QueryResult", description: "The result of a query." });

/** Descriptions of the output `result` of a table and of a query. */
export const resultTexts = {
  table: "The first 100 objects of the table; if there are more, `count` and `size` of all. Requires `dag:storage`.",
  query:
    "The first 100 objects of the result; if there are more, `count` and `size` of all; and its first rows. Requires `dag:storage`.",
} as const;

export type ObjectList = z.output<typeof objectsSchema>;
type QueryResult = z.output<typeof resultSchema>;

/** Lists the objects in a folder, without temporary objects. */
export async function listObjects(storage: Storage, folder: string): Promise<ObjectList> {
  const objects: ObjectList["objects"] = [];
  let count = 0;
  let total = 0;
  const hash = createHash("sha256");
  for await (const { location, size, lastModified, etag: version = "" } of storage.list(folderOf(folder))) {
    if (isTemporary(location)) continue;
    if (objects.length < maxListedObjects) objects.push({ location: formatLocation(location), size });
    count += 1;
    total += size;
    hash.update(`${location.key}\n${size}\n${lastModified.getTime()}\n${version}\n`);
  }
  const etag = hash.digest("base64url").slice(0, etagLength);
  return count > objects.length ? { objects, count, size: total, etag } : { objects, etag };
}

/** Returns true when a folder contains an object that is not temporary. */
export async function hasObjects(storage: Storage, folder: string): Promise<boolean> {
  for await (const { location } of storage.list(folderOf(folder))) if (!isTemporary(location)) return true;
  return false;
}

/** Returns true when a folder is known to contain no object; false also when nobody can tell. */
export async function isKnownEmpty(storage: Storage | undefined, folder: string): Promise<boolean> {
  try {
    return storage !== undefined && !(await hasObjects(storage, folder));
  } catch {
    return false;
  }
}

/** Deletes all objects in a folder. */
export async function purge(storage: Storage, folder: string): Promise<void> {
  await storage.deleteFolder(folderOf(folder));
}

/** Reads the first rows of a result. @throws an error with the object's name, without its folder, which may be secret, when they are too long */
export async function readFirstRows(
  storage: Storage,
  objects: ObjectList["objects"],
  format: OutputFormat,
  rows: number,
): Promise<(string | null)[][]> {
  const found: (string | null)[][] = [];
  for (const { location } of objects) {
    if (found.length >= rows) break;
    found.push(...(await readRows(storage, location, format, rows - found.length)));
  }
  return found;
}

/** The inputs of a query that tell where its result is, and how much of it is read. */
interface ResultInputs {
  readonly outputResourcePath: string;
  readonly outputFormat?: OutputFormat | undefined;
  readonly resultRows?: number | undefined;
}

/** Returns a result's objects and first rows. Does not list the objects again when they are stored. */
export async function readResult(
  storage: Storage | undefined,
  { outputResourcePath, outputFormat, resultRows = 0 }: ResultInputs,
  stored?: QueryResult,
): Promise<QueryResult | undefined> {
  if (!storage) return undefined;
  const list = stored ?? (await listObjects(storage, outputResourcePath));
  const { rows: _rows, ...objects } = list as QueryResult;
  if (resultRows === 0) return objects;
  try {
    return { ...objects, rows: await readFirstRows(storage, objects.objects, outputFormat ?? "csv", resultRows) };
  } catch (error) {
    if (!(error instanceof errors.InputObjectNotFound)) throw error;
    const remedy = 'run "pulumi up --refresh", which makes it again';
    throw new Error(`the objects of the result were deleted: ${remedy}`, { cause: error });
  }
}

/** Returns a location as a folder, ending in `/`. */
export function folderText(location: string): string {
  return formatLocation(folderOf(location));
}

/** Returns the folder that a query writes. */
export function outputOf(record: QueryRecord): Location {
  return record.type === "select"
    ? folderOf(record.outputResourcePath)
    : parseLocation(`dag://${record.outputDatabase}/${record.outputTable}/`);
}

/** Parses the location of a folder, with or without a trailing `/`. */
export function folderOf(location: string): Location {
  return asFolder(parseLocation(location));
}

/** Returns true for an object of a query that runs. */
export function isTemporary({ key }: Location): boolean {
  return key.startsWith("tmp/") || key.startsWith("tmp_$folder$");
}

/** Bytes of an object to read for its first rows: quadrupled, up to the maximum, until they contain enough rows. */
const initialReadBytes = 65_536;
const maxReadBytes = 16_777_216;

async function readRows(storage: Storage, location: string, format: OutputFormat, rows: number) {
  for (let end = initialReadBytes; ; end *= 4) {
    // Not up to the size that a state has: the object may be another one now.
    const stream = await storage.read(parseLocation(location), { end: end + 1 });
    const bytes = Buffer.concat(await stream.toArray());
    const text = bytes.toString();
    const isComplete = bytes.length <= end;
    const found = format === "tsv" ? tsvRows(text, isComplete) : csvRows(text, rows, isComplete);
    if (found.length >= rows || isComplete) return found.slice(0, rows);
    if (end >= maxReadBytes) {
      throw new Error(
        `the first ${rows} rows of the result's object ${location.slice(location.lastIndexOf("/") + 1)} have more than 16 MiB, the most that is read of an object: set resultRows to at most ${found.length}, or select shorter values`,
      );
    }
  }
}

function csvRows(text: string, rows: number, isComplete: boolean): (string | null)[][] {
  const found: (string | null)[][] = [];
  try {
    // The last row of a partial object may be truncated, so one more row than needed is parsed.
    parse(text, {
      to: rows + 1,
      relax_column_count: true,
      cast: (value, { quoting }) => (!quoting && value === "\\N" ? null : value),
      on_record: (row: (string | null)[]) => void found.push(row),
    });
  } catch (error) {
    // The object is cut off inside quotes, which the rows before are not.
    if (isComplete || !(error instanceof CsvError)) throw error;
    return found;
  }
  return isComplete || found.length > rows ? found : found.slice(0, -1);
}

function tsvRows(text: string, isComplete: boolean): (string | null)[][] {
  const lines = text.split("\n");
  // The last line is empty after a final newline; in a partial object it may be truncated.
  if (!isComplete || lines.at(-1) === "") lines.pop();
  return lines.map((line) => line.split("\t").map((value) => (value === "\\N" ? null : unescapeTsv(value))));
}

const escapes: Readonly<Record<string, string>> = { t: "\t", n: "\n", r: "\r", "\\": "\\" };

function unescapeTsv(value: string): string {
  return value.replace(/\\(.)/gs, (_all, character: string) => escapes[character] ?? character);
}
