/**
 * A list of objects that are to be made of ranges of other objects. A split writes it beside the objects that it rewrites,
 * and whoever publishes the result lets S3 copy the ranges to their place at once, instead of twice.
 */
import { text } from "node:stream/consumers";
import * as z from "zod";
import type { Location } from "../contract";
import type { Storage } from "./storage";

/** Name of the list in the folder of a result; hidden, so that it is no object of the result. */
export const rangesName = "_ranges";

const range = z.strictObject({
  /** Name of the object to make. */
  name: z.string(),
  source: z.strictObject({ bucket: z.string(), key: z.string() }),
  sourceSize: z.number(),
  etag: z.string().nullable(),
  start: z.number(),
  end: z.number(),
});

/** An object to make of the bytes from `start` up to but not including `end` of its source, which still has its etag. */
export type ObjectRange = z.infer<typeof range>;

const at = ({ bucket, key }: Location): Location => ({ bucket, key: key + rangesName });

/** Writes the list of a folder. */
export async function writeRanges(
  storage: Pick<Storage, "write">,
  folder: Location,
  ranges: readonly ObjectRange[],
): Promise<void> {
  await storage.write(at(folder), JSON.stringify(ranges));
}

/** Reads the list of a folder; empty when it has none. */
export async function readRanges(storage: Pick<Storage, "head" | "read">, folder: Location): Promise<ObjectRange[]> {
  return (await storage.head(at(folder))) ? await readRangesOf(storage, folder) : [];
}

/** Reads the list that a folder has. @param etag which the list must still have. @default any */
export async function readRangesOf(
  storage: Pick<Storage, "read">,
  folder: Location,
  etag?: string | undefined,
): Promise<ObjectRange[]> {
  return z.array(range).parse(JSON.parse(await text(await storage.read(at(folder), { etag }))));
}
