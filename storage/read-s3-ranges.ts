/** Reads the list of objects to make that a split has written. Apart from it: engine processes only write lists, and load no zod. */
import { text } from "node:stream/consumers";
import * as z from "zod";
import type { Location } from "../contract";
import { rangesIn, type ObjectRange } from "./s3-ranges";
import type { Storage } from "./storage";

const range: z.ZodType<ObjectRange> = z.strictObject({
  name: z.string(),
  source: z.strictObject({ bucket: z.string(), key: z.string() }),
  sourceSize: z.number(),
  etag: z.string().nullable(),
  start: z.number(),
  end: z.number(),
});

/** Reads the list of a folder; empty when it has none. */
export async function readRanges(storage: Pick<Storage, "head" | "read">, folder: Location): Promise<ObjectRange[]> {
  return (await storage.head(rangesIn(folder))) ? await readRangesOf(storage, folder) : [];
}

/** Reads the list that a folder has. @param etag which the list must still have. @default any */
export async function readRangesOf(
  storage: Pick<Storage, "read">,
  folder: Location,
  etag?: string | undefined,
): Promise<ObjectRange[]> {
  return z.array(range).parse(JSON.parse(await text(await storage.read(rangesIn(folder), { etag }))));
}
