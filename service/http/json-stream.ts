/**
 * Writes answers as JSON: large ones piece by piece, so that an answer is never in memory twice, and those with records
 * that do not change from the texts of earlier answers.
 */
import { Readable } from "node:stream";

/** Characters up to which an answer is written at once, and the size of the pieces of a larger one. */
const pieceSize = 32_768;

/** Estimates the characters of a value as JSON, without writing it. */
export function sizeOfJson(value: unknown): number {
  if (typeof value === "string") return value.length;
  if (Array.isArray(value)) return value.reduce((sum: number, item) => sum + sizeOfJson(item) + 1, 2);
  if (typeof value !== "object" || value === null) return 8;
  const known = texts.get(value);
  if (known !== undefined) return known.length;
  let size = 2;
  for (const key in value) size += key.length + 4 + sizeOfJson((value as Record<string, unknown>)[key]);
  return size;
}

/** The JSON texts of frozen records that answers had. */
const texts = new WeakMap<object, string>();

/**
 * Returns the JSON text of an answer, or undefined for a large one, which is written as a stream. Remembers the texts of
 * records that do not change, alone or in a list.
 */
export function jsonText(answer: object): string | undefined {
  if (texts.has(answer) || isRecord(answer)) return textWithin(answer, pieceSize);
  let room = pieceSize;
  const fields: string[] = [];
  for (const [name, value] of Object.entries(answer) as [string, unknown][]) {
    if (value === undefined) continue;
    const text = Array.isArray(value) ? listWithin(value, room) : textWithin(value, room);
    if (text === undefined) return undefined;
    fields.push(`${JSON.stringify(name)}:${text}`);
    room -= text.length;
  }
  return `{${fields.join(",")}}`;
}

/** Returns the JSON text of a list that has at most `room` characters. */
function listWithin(items: readonly unknown[], room: number): string | undefined {
  const parts: string[] = [];
  let rest = room;
  for (const item of items) {
    const text = textWithin(item, rest);
    if (text === undefined) return undefined;
    parts.push(text);
    rest -= text.length + 1;
  }
  return `[${parts.join(",")}]`;
}

/** Returns the JSON text of a value that has at most `room` characters, which is estimated before it is written. */
function textWithin(value: unknown, room: number): string | undefined {
  const known = texts.get(value as object);
  if (known !== undefined) return known.length <= room ? known : undefined;
  if (sizeOfJson(value) > room) return undefined;
  const text = JSON.stringify(value) ?? "null";
  if (isRecord(value)) texts.set(value, text);
  return text;
}

/** Returns true for a frozen record, which the core makes once. */
function isRecord(value: unknown): value is object {
  return typeof value === "object" && value !== null && Object.isFrozen(value);
}

/** Returns true when a text of this size is written at once. */
function isSmall(size: number): boolean {
  return size <= pieceSize;
}

/** Returns the JSON text of an answer as a stream, which is written as fast as it is read. */
export function jsonStream(value: object): Readable {
  return Readable.from(joined(jsonPieces(value)), { highWaterMark: 1 });
}

/** Yields the JSON text of a value in pieces: an element of a list at a time, and a part of a long text. */
function* jsonPieces(value: unknown): Generator<string, void, undefined> {
  if (typeof value === "string" && !isSmall(value.length)) {
    // JSON.stringify escapes the halves of a character that two parts share, so the parts together remain the text.
    yield '"';
    for (let at = 0; at < value.length; at += pieceSize) {
      yield JSON.stringify(value.slice(at, at + pieceSize)).slice(1, -1);
    }
    yield '"';
  } else if (Array.isArray(value)) {
    for (const [index, item] of value.entries()) {
      yield index === 0 ? "[" : ",";
      yield* jsonPieces(item);
    }
    yield value.length === 0 ? "[]" : "]";
  } else if (typeof value === "object" && value !== null && !isSmall(sizeOfJson(value))) {
    let separator = "{";
    for (const [key, inner] of Object.entries(value)) {
      if (inner === undefined) continue;
      yield `${separator}${JSON.stringify(key)}:`;
      yield* jsonPieces(inner);
      separator = ",";
    }
    yield separator === "{" ? "{}" : "}";
  } else yield JSON.stringify(value) ?? "null";
}

/** Joins pieces to texts of at least {@link pieceSize}, except the last. */
function* joined(pieces: Iterable<string>): Generator<string, void, undefined> {
  let text = "";
  for (const piece of pieces) {
    text += piece;
    if (text.length < pieceSize) continue;
    yield text;
    text = "";
  }
  if (text !== "") yield text;
}
