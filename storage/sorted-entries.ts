/**
 * Lists a directory in the byte order of its keys, however many entries it has: it is read in pieces, each piece is
 * sorted, and the pieces are merged as the entries are asked for, so that no step takes long on the event loop.
 */
import { type BigIntStats, type Dirent, readdirSync } from "node:fs";
import { opendir, stat } from "node:fs/promises";
import { join } from "node:path";
import { undefinedIfMissing } from "./filesystem";

/** Entries of a piece: sorting it takes a millisecond. */
const pieceSize = 1000;

/** Directories that are read at a time in this process; others wait for their turn. */
const maxReads = 4;

/** An entry of a directory. */
export interface Entry {
  readonly name: string;
  /** The name, which ends in a slash for a folder and for a link that leads to one. */
  readonly key: string;
  readonly isLink: boolean;
}

/**
 * Reads the files, folders and links of a directory. All names are read before the first entry is returned.
 * @param isBefore says which entries to leave out: those that are before all others. It makes this a later page of a
 * list, for which the names of a large directory are not read again while it is unchanged. @default none
 * @throws the errors of `opendir` of node:fs
 */
export async function sortedEntries(path: string, isBefore?: (entry: Entry) => boolean): Promise<Iterable<Entry>> {
  const pieces = (isBefore && (await keptNames.of(path))) ?? (await readInTurn(path));
  return merged(pieces.map((entries) => ({ entries, at: isBefore ? countOf(entries, isBefore) : 0 })));
}

/**
 * Reads a directory in calls that hold the event loop until they return: many times as fast for many small directories.
 * @throws the errors of `readdir` of node:fs
 */
export async function sortedEntriesAtOnce(path: string): Promise<Iterable<Entry>> {
  const entries: Entry[] = [];
  for (const found of readdirSync(path, { withFileTypes: true })) {
    const entry = found.isSymbolicLink() ? await linkOf(path, found) : entryOf(found);
    if (entry !== undefined) entries.push(entry);
  }
  return entries.sort(inOrder);
}

/** Compares two keys by their bytes in UTF-8. */
export function compareKeys(a: string, b: string): number {
  // JavaScript compares code units, which differs for characters that have two of them.
  if (surrogates.test(a) || surrogates.test(b)) return Buffer.compare(Buffer.from(a), Buffer.from(b));
  return a < b ? -1 : a > b ? 1 : 0;
}

const surrogates = /[\ud800-\udfff]/;

/** Entries of a directory in order. */
type Piece = readonly Entry[];

/** Directories whose names are kept, for how long at most, and how long they must not have changed before. */
const keeping = { directories: 4, milliseconds: 60_000, settled: 1000 } as const;

/** The names of large directories that were read last, for the later pages of their lists. */
class KeptNames {
  readonly #kept = new Map<string, { readonly pieces: readonly Piece[]; readonly version: string }>();

  /** Returns the names if the directory has not changed since. */
  async of(path: string): Promise<readonly Piece[] | undefined> {
    const kept = this.#kept.get(path);
    if (kept === undefined) return undefined;
    const found = await undefinedIfMissing(stat(path, { bigint: true }));
    if (found && versionOf(found) === kept.version) return kept.pieces;
    this.#kept.delete(path);
    return undefined;
  }

  /** Keeps names, unless the directory may have changed while they were read. @param started when that began */
  async keep(path: string, pieces: readonly Piece[], started: number): Promise<void> {
    const found = await undefinedIfMissing(stat(path, { bigint: true }));
    if (!found || Number(found.ctimeMs) > started - keeping.settled) return;
    const kept = { pieces, version: versionOf(found) };
    this.#kept.delete(path);
    this.#kept.set(path, kept);
    if (this.#kept.size > keeping.directories) this.#kept.delete(this.#kept.keys().next().value!);
    const forget = () => this.#kept.get(path) === kept && this.#kept.delete(path);
    setTimeout(forget, keeping.milliseconds).unref();
  }
}

const keptNames = new KeptNames();

const versionOf = ({ dev, ino, ctimeNs, mtimeNs }: BigIntStats) => [dev, ino, ctimeNs, mtimeNs].join(" ");

let reads = 0;
const turns: (() => void)[] = [];
/** The reads that have not begun: who asks for the same directory gets their answer. */
const waiting = new Map<string, Promise<readonly Piece[]>>();

function readInTurn(path: string): Promise<readonly Piece[]> {
  let read = waiting.get(path);
  if (read === undefined) waiting.set(path, (read = readWhenFree(path)));
  return read;
}

async function readWhenFree(path: string): Promise<readonly Piece[]> {
  if (reads >= maxReads) await new Promise<void>((resolve) => turns.push(resolve));
  else {
    reads += 1;
    // Those who ask in the same turn of the event loop share the read.
    await Promise.resolve();
  }
  waiting.delete(path);
  try {
    return await readPieces(path);
  } finally {
    // The turn passes on to the next read, or ends.
    const next = turns.shift();
    if (next) next();
    else reads -= 1;
  }
}

async function readPieces(path: string): Promise<readonly Piece[]> {
  const started = Date.now();
  const pieces: Piece[] = [];
  let piece: Entry[] = [];
  let hasLinks = false;
  for await (const found of await opendir(path, { bufferSize: pieceSize })) {
    const entry = found.isSymbolicLink() ? await linkOf(path, found) : entryOf(found);
    hasLinks ||= found.isSymbolicLink();
    if (entry === undefined) continue;
    piece.push(entry);
    if (piece.length < pieceSize) continue;
    pieces.push(piece.sort(inOrder));
    piece = [];
  }
  const all = [...pieces, piece.sort(inOrder)];
  // A link may lead to another folder without a change of its own.
  if (pieces.length > 0 && !hasLinks) await keptNames.keep(path, all, started);
  return all;
}

function entryOf(found: Dirent): Entry | undefined {
  const { name } = found;
  if (found.isDirectory()) return { name, key: `${name}/`, isLink: false };
  return found.isFile() ? { name, key: name, isLink: false } : undefined;
}

async function linkOf(path: string, { name }: Dirent): Promise<Entry> {
  const target = await undefinedIfMissing(stat(join(path, name)));
  return { name, key: target?.isDirectory() ? `${name}/` : name, isLink: true };
}

const inOrder = (a: Entry, b: Entry) => compareKeys(a.key, b.key);

/** Returns how many of the first entries match; all that match are before all others. */
function countOf(entries: Piece, matches: (entry: Entry) => boolean): number {
  let [low, high] = [0, entries.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (matches(entries[middle]!)) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** Yields the entries of pieces in order, each from where it stands. */
function* merged(given: readonly { readonly entries: Piece; at: number }[]): Generator<Entry, void, undefined> {
  const pieces = given.filter(({ entries, at }) => at < entries.length);
  const first = ({ entries, at }: (typeof pieces)[number]) => entries[at]!;
  while (pieces.length > 0) {
    let least = pieces[0]!;
    for (const piece of pieces) if (inOrder(first(piece), first(least)) < 0) least = piece;
    yield first(least);
    least.at += 1;
    if (least.at === least.entries.length) pieces.splice(pieces.indexOf(least), 1);
  }
}
