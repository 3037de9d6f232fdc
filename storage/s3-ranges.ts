/**
 * A list of objects that are to be made of ranges of other objects. A split writes it beside the objects that it rewrites,
 * and whoever publishes the result lets S3 copy the ranges to their place at once, instead of twice.
 */
import type { Location } from "../contract";
import type { Storage } from "./storage";

/** Name of the list in the folder of a result; hidden, so that it is no object of the result. */
export const rangesName = "_ranges";

/** An object to make of the bytes from `start` up to but not including `end` of its source, which still has its etag. */
export interface ObjectRange {
  /** Name of the object to make. */
  readonly name: string;
  readonly source: Location;
  readonly sourceSize: number;
  readonly etag: string | null;
  readonly start: number;
  readonly end: number;
}

/** Returns the place of the list of a folder. */
export const rangesIn = ({ bucket, key }: Location): Location => ({ bucket, key: key + rangesName });

/** Writes the list of a folder. */
export async function writeRanges(
  storage: Pick<Storage, "write">,
  folder: Location,
  ranges: readonly ObjectRange[],
): Promise<void> {
  await storage.write(rangesIn(folder), JSON.stringify(ranges));
}
