/** A deterministic event log: the same bytes for the same size, on every machine. */
import { closeSync, openSync, renameSync, statSync, writeSync } from "node:fs";
import { setImmediate as nextTurn } from "node:timers/promises";

/** Rows that are put together before they are written. */
const rowsPerWrite = 20_000;
/** A month of events, evenly spread. */
const firstEvent = Date.UTC(2026, 0, 1);
const period = 31 * 24 * 3_600_000;
const kinds = ["view", "view", "view", "view", "search", "search", "add_to_cart", "purchase"];
const countries = ["AT", "BR", "CA", "DE", "FR", "IN", "JP", "KR", "MX", "NG", "SE", "US"];
const messages = [
  "opened the product page from a recommendation",
  "came back through a saved search",
  "followed the newsletter of the week",
  "compared three offers side by side",
  "asked for delivery on the next working day",
  "used the mobile application",
];
/** Longer than any row. */
const longestRow = 200;
/** In bytes. */
export const smallestEventLog = 1_000;

/**
 * Writes an event log, unless it is there already: CSV without a header,
 * `event_time, user_id, country, kind, amount, message`, in the order of time.
 *
 * @param file its path; appears when it is complete
 * @param bytes its exact size; at least {@link smallestEventLog}
 * @param signal ends the writing; what is there of it stays under another name and is written anew
 * @returns whether it had to be written
 */
export async function writeEventLog(file: string, bytes: number, signal?: AbortSignal): Promise<boolean> {
  if (statSync(file, { throwIfNoEntry: false })?.size === bytes) return false;
  const temporary = `${file}.partial`;
  const descriptor = openSync(temporary, "w");
  try {
    for (const rows of eventRows(bytes)) {
      writeSync(descriptor, rows, null, "latin1");
      // So that Ctrl-C is heard.
      await nextTurn();
      signal?.throwIfAborted();
    }
  } finally {
    closeSync(descriptor);
  }
  renameSync(temporary, file);
  return true;
}

/** The log's text in pieces of many rows; its length is exactly `bytes`. */
export function* eventRows(bytes: number): Generator<string> {
  const random = generator(20_261_120);
  const averageRow = 75.2;
  const step = period / (bytes / averageRow);
  let written = 0;
  for (let row = 0; written < bytes;) {
    let piece = "";
    for (let end = row + rowsPerWrite; row < end && written + piece.length < bytes; row++) {
      const next = eventRow(firstEvent + Math.min(period - 1, Math.floor(row * step)), random);
      const left = bytes - written - piece.length;
      // The last row fills up what is left, so that the size is exact.
      piece += left > longestRow ? `${next}\n` : `${next.padEnd(left - 1, ".").slice(0, left - 1)}\n`;
    }
    written += piece.length;
    yield piece;
  }
}

function eventRow(time: number, random: () => number): string {
  const kind = pick(kinds, random);
  const amount = kind === "purchase" ? (random() % 20_000) / 100 : 0;
  return `${timestamp(time)},${random() % 100_000},${pick(countries, random)},${kind},${amount},${pick(messages, random)}`;
}

let day = -1;
let dayText = "";

/** `YYYY-MM-DD HH:MM:SS`; a date object for every row would take most of the time. */
function timestamp(time: number): string {
  const seconds = Math.floor(time / 1000);
  const today = Math.floor(seconds / 86_400);
  if (today !== day) {
    day = today;
    dayText = new Date(time).toISOString().slice(0, 10);
  }
  const second = seconds % 86_400;
  return `${dayText} ${two(Math.floor(second / 3600))}:${two(Math.floor(second / 60) % 60)}:${two(second % 60)}`;
}

function two(number: number): string {
  return number < 10 ? `0${number}` : `${number}`;
}

function pick(from: readonly string[], random: () => number): string {
  return from[random() % from.length] as string;
}

/** xorshift32: whole numbers from 1 to 2³² − 1. */
function generator(seed: number): () => number {
  let state = seed;
  return () => {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    return state >>> 0;
  };
}
