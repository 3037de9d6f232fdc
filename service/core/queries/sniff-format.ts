/** Checks the format of a split's input objects by their first bytes (InvalidFormat, design §2). */
import { buffer } from "node:stream/consumers";
import { errors, formatLocation, type InputFormat, type Location } from "../../../contract";
import { gunzipHead } from "../../../storage/gzip-head";
import type { Storage } from "../../../storage/storage";

/** Number of bytes that are checked. */
const headBytes = 65_536;

/**
 * Reads the first bytes of an object, decompressing gzip. No more than {@link headBytes} are read and decompressed,
 * however much the data expands.
 * @throws InvalidFormat when the gzip data is corrupt
 */
export async function readObjectHead(storage: Storage, location: Location): Promise<Buffer> {
  const raw = await buffer(await storage.read(location, { start: 0, end: headBytes }));
  if (raw[0] !== 0x1f || raw[1] !== 0x8b) return raw;
  try {
    return (await gunzipHead(raw, headBytes)).bytes;
  } catch (error) {
    throw new errors.InvalidFormat(`${formatLocation(location)} starts like gzip data but cannot be decompressed`, {
      field: "inputObjectKeys",
      cause: error,
    });
  }
}

/** Checks that an object's first bytes have the format. @throws InvalidFormat */
export async function requireInputFormat(storage: Storage, location: Location, format: InputFormat): Promise<void> {
  const head = await readObjectHead(storage, location);
  const name = formatLocation(location);
  if (head.indexOf("PAR1") === 0) {
    throw new errors.InvalidFormat(
      `${name} is Parquet, which a split does not read: copy it into the folder of a table, which a select reads as it is`,
      { field: "inputFormat" },
    );
  }
  const nul = head.indexOf(0);
  if (nul >= 0) {
    throw new errors.InvalidFormat(`${name} is not ${format} text: it has a NUL byte at offset ${nul}`, {
      field: "inputFormat",
    });
  }
  if (format !== "json") return;
  const lines = head.toString("utf8").split("\n");
  // The last line may be cut off at the end of the range.
  if (head.length >= headBytes) lines.pop();
  const wrong = lines.findIndex((line) => line.trim() !== "" && !isObject(line));
  if (wrong >= 0) {
    throw new errors.InvalidFormat(`${name} does not have the format json: line ${wrong + 1} is not a JSON object`, {
      field: "inputFormat",
    });
  }
}

function isObject(line: string): boolean {
  try {
    const value: unknown = JSON.parse(line);
    return typeof value === "object" && value !== null && !Array.isArray(value);
  } catch {
    return false;
  }
}
