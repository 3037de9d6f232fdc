/**
 * The high-water mark: a small file beside the database that says what the database must hold at least, and which query
 * IDs were possibly given. With it the service notices a database that lost its end, and never gives an ID again.
 */
import { readFileSync } from "node:fs";
import * as z from "zod";
import { replaceFile } from "../../../storage/durable";
import { StateLossError } from "../state-errors";

const content = z.strictObject({
  /** Number of starts of the service on this state. */
  starts: z.int().positive(),
  /** The greatest query ID that was possibly given. */
  idsTo: z.int().nonnegative(),
});

export type HighWaterMark = z.infer<typeof content>;

/** Returns the path of the mark of a database file. */
export function markFileOf(database: string): string {
  return `${database}.mark`;
}

/** Reads the mark; undefined when there is none. @throws StateLossError when the file is damaged */
export function readMark(database: string): HighWaterMark | undefined {
  let text: string;
  try {
    text = readFileSync(markFileOf(database), "utf8");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined;
    throw error;
  }
  try {
    return content.parse(JSON.parse(text));
  } catch {
    throw new StateLossError(`its high-water mark ${markFileOf(database)} is damaged`);
  }
}

/** Replaces the mark; it is on the disk when this function returns. */
export function writeMark(database: string, mark: HighWaterMark): void {
  replaceFile(markFileOf(database), `${JSON.stringify(mark)}\n`);
}
