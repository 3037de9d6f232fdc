/** A look at the first bytes of an input object, before a split is accepted (InvalidFormat, design §2). */
import { buffer } from "node:stream/consumers";
import { promisify } from "node:util";
import { constants, gunzip } from "node:zlib";
import { errors, formatLocation, type InputFormat, type Location } from "../../../contract";
import type { Storage } from "../../../storage/storage";

/** Bytes of an object that are looked at. */
const sniffedBytes = 65_536;

/** The first bytes of an object, decompressed where they are gzip's. Throws InvalidFormat where that gzip is broken. */
export async function readHead(storage: Storage, location: Location): Promise<Buffer> {
  const raw = await buffer(await storage.read(location, { start: 0, end: sniffedBytes }));
  if (raw[0] !== 0x1f || raw[1] !== 0x8b) return raw;
  try {
    // The sample ends in the middle of the compressed data, which is no error here.
    const text = await promisify(gunzip)(raw, { finishFlush: constants.Z_SYNC_FLUSH });
    return text.subarray(0, sniffedBytes);
  } catch (error) {
    throw new errors.InvalidFormat(`${formatLocation(location)} is not whole gzip data`, {
      field: "inputObjectKeys",
      cause: error,
    });
  }
}

/** @throws InvalidFormat where the object's first bytes are not of the format. */
export async function requireFormat(storage: Storage, location: Location, format: InputFormat): Promise<void> {
  const head = await readHead(storage, location);
  const name = formatLocation(location);
  const nul = head.indexOf(0);
  if (nul >= 0) {
    throw new errors.InvalidFormat(`${name} is not ${format} text: it has a NUL at byte ${nul}`, {
      field: "inputFormat",
    });
  }
  if (format !== "json") return;
  const lines = head.toString("utf8").split("\n");
  // What follows the last newline may be cut off by the sample's end.
  if (head.length >= sniffedBytes) lines.pop();
  const wrong = lines.findIndex((line) => line.trim() !== "" && !isObject(line));
  if (wrong >= 0) {
    throw new errors.InvalidFormat(`${name} is not json: line ${wrong + 1} is not one JSON object`, {
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
