/** Generates a deterministic event log: the same bytes for the same size, on every machine. */
import { appendFileSync, closeSync, openSync, readSync, renameSync, statSync, writeSync } from "node:fs";
import { setImmediate as nextTurn } from "node:timers/promises";

/** The number of rows in one write. */
const rowsPerWrite = 20_000;
/** The events cover one month at equal intervals. */
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
/** An upper limit of the length of a row. */
const maxRowLength = 200;
/** The smallest allowed size of an event log. */
export const minEventLogBytes = 1_000;

/** The rows that {@link appendLateEvents} appends: purchases of the first day. */
const lateEvents = Buffer.from(
  [1, 2, 3]
    .map((user) => `2026-01-01 23:59:5${user},${user},AT,purchase,10.50,arrived after the day had ended\n`)
    .join(""),
);

/**
 * Appends three events to an event log, once.
 * @returns true when they were appended, false when they are there already
 */
export function appendLateEvents(file: string): boolean {
  const { size } = statSync(file);
  const end = Buffer.alloc(lateEvents.length);
  const descriptor = openSync(file, "r");
  try {
    readSync(descriptor, end, 0, end.length, Math.max(0, size - end.length));
  } finally {
    closeSync(descriptor);
  }
  if (end.equals(lateEvents)) return false;
  appendFileSync(file, lateEvents);
  return true;
}

/**
 * Writes an event log unless the file exists with this size: CSV without a header, with the columns
 * `event_time, user_id, country, kind, amount, message`, sorted by time.
 *
 * @param file path of the log; the file appears when it is complete
 * @param bytes exact size; at least {@link minEventLogBytes}
 * @param signal stops the writing; the incomplete file keeps a temporary name, and the next call overwrites it
 * @returns true when the file was written, false when it existed, with or without the late events
 */
export async function writeEventLog(file: string, bytes: number, signal?: AbortSignal): Promise<boolean> {
  const size = statSync(file, { throwIfNoEntry: false })?.size;
  if (size === bytes || size === bytes + lateEvents.length) return false;
  const temporary = `${file}.partial`;
  const descriptor = openSync(temporary, "w");
  try {
    for (const rows of eventRows(bytes)) {
      writeSync(descriptor, rows, null, "latin1");
      // Lets the process handle Ctrl-C.
      await nextTurn();
      signal?.throwIfAborted();
    }
  } finally {
    closeSync(descriptor);
  }
  renameSync(temporary, file);
  return true;
}

/** Yields the log's text in chunks of many rows; the total length is exactly `bytes`. */
export function* eventRows(bytes: number): Generator<string> {
  const random = xorshift32(20_261_120);
  const averageRow = 75.2;
  const step = period / (bytes / averageRow);
  let written = 0;
  for (let row = 0; written < bytes;) {
    let piece = "";
    for (let end = row + rowsPerWrite; row < end && written + piece.length < bytes; row++) {
      const next = eventRow(firstEvent + Math.min(period - 1, Math.floor(row * step)), random);
      const left = bytes - written - piece.length;
      // The last row is padded or cut, so that the size is exact.
      piece += left > maxRowLength ? `${next}\n` : `${next.padEnd(left - 1, ".").slice(0, left - 1)}\n`;
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

/** Formats `YYYY-MM-DD HH:MM:SS`, with a cached date: a Date object for every row would take most of the time. */
function timestamp(time: number): string {
  const seconds = Math.floor(time / 1000);
  const today = Math.floor(seconds / 86_400);
  if (today !== day) {
    day = today;
    dayText = new Date(time).toISOString().slice(0, 10);
  }
  const second = seconds % 86_400;
  return `${dayText} ${twoDigits(Math.floor(second / 3600))}:${twoDigits(Math.floor(second / 60) % 60)}:${twoDigits(second % 60)}`;
}

function twoDigits(number: number): string {
  return number < 10 ? `0${number}` : `${number}`;
}

function pick(from: readonly string[], random: () => number): string {
  return from[random() % from.length] as string;
}

/** Returns a pseudo-random generator (xorshift32) of integers from 1 to 2³² − 1. */
function xorshift32(seed: number): () => number {
  let state = seed;
  return () => {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    return state >>> 0;
  };
}
