/** Scans CSV bytes with the WebAssembly module of quotes.wat, 64 at a time. */
import { CellState, nextCellState } from "./cell-state";
import { quotesModule } from "./quotes-module";

/** What a scan found. */
export interface Scanned {
  /** The end of the bytes that were scanned: the next ones have a quote that neither opens nor closes a field. */
  readonly end: number;
  /** The index after the last newline outside quotes, or -1. */
  readonly lastRowEnd: number;
  /** The state after the scanned bytes. */
  readonly state: CellState;
}

interface Exports {
  readonly memory: WebAssembly.Memory;
  readonly inside: { value: bigint };
  scan(at: number, end: number): number;
  lastRowEnd(start: number, end: number): number;
}

/** Where the chunk begins in the module's memory: the byte before it tells the state. */
const origin = 64;
const chunkBytes = 1024 * 1024;
/** Bytes after which {@link Exports.scan} finds itself in each state outside quotes. */
const markers = { [CellState.FieldStart]: 0x2c, [CellState.Plain]: 0x78, [CellState.QuoteInQuoted]: 0x22 } as const;
const space = 0x20;

/** A compiled scan with the memory that it reads. */
export class QuoteScan {
  /** The memory whose bytes are scanned: 1 MiB. */
  readonly chunk: Buffer<ArrayBuffer>;
  readonly #memory: Uint8Array;
  readonly #exports: Exports;

  constructor() {
    const { exports } = new WebAssembly.Instance(new WebAssembly.Module(Buffer.from(quotesModule, "base64")));
    this.#exports = exports as unknown as Exports;
    const memory = this.#exports.memory.buffer as ArrayBuffer;
    this.#memory = new Uint8Array(memory);
    this.chunk = Buffer.from(memory, origin, chunkBytes);
  }

  /** Scans the chunk's bytes `[start, end)`, which begin in `state`. */
  scan(start: number, end: number, state: CellState): Scanned {
    const { inside, scan, lastRowEnd } = this.#exports;
    const from = origin + start;
    const before = this.#memory[from - 1]!;
    inside.value = state === CellState.Quoted ? -1n : 0n;
    this.#memory[from - 1] = state === CellState.Quoted ? 0 : markers[state];
    const stop = scan(from, origin + end);
    const after = this.#stateAfter(from, stop, state);
    const last = lastRowEnd(from, stop);
    this.#memory[from - 1] = before;
    return { end: stop - origin, lastRowEnd: last < 0 ? -1 : last - origin, state: after };
  }

  #stateAfter(from: number, stop: number, state: CellState): CellState {
    if (stop === from) return state;
    if (this.#exports.inside.value !== 0n) return CellState.Quoted;
    let at = stop - 1;
    while (at >= from && this.#memory[at] === space) at--;
    if (at < from) return nextCellState(state, space);
    const byte = this.#memory[at]!;
    // A quote outside of quotes has closed a field.
    if (byte === markers[CellState.QuoteInQuoted]) return at === stop - 1 ? CellState.QuoteInQuoted : CellState.Plain;
    return nextCellState(CellState.Plain, byte);
  }
}
