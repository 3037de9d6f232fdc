/** Scans CSV bytes with the WebAssembly module of quotes.wat, 64 at a time. */
import { CellState, nextCellState } from "./cell-state";
import { quotesModule } from "./quotes-module";

/** What a scan found. */
export interface ScanResult {
  /** The index after the last newline outside quotes, or -1. */
  readonly lastRowEnd: number;
  /** The state after the scanned bytes. */
  readonly state: CellState;
  /** True when a quote before the last byte closes a field, and neither a quote, a comma nor a line end follows it. */
  readonly hasTextAfterQuote: boolean;
  /** True when a quote is an ordinary character of an unquoted field. */
  readonly hasOrdinaryQuote: boolean;
}

interface Exports {
  readonly memory: { readonly buffer: ArrayBuffer };
  readonly inside: { value: bigint };
  readonly closed: { value: bigint };
  readonly following: { value: number };
  readonly ordinary: { value: number };
  scan(at: number, end: number): number;
}

/** Where the chunk begins in the module's memory: the byte before it has the state. */
const origin = 64;
const chunkBytes = 1024 * 1024;
const [comma, letter, space] = [0x2c, 0x78, 0x20] as const;

/** Node's WebAssembly, of which @types/node has no declaration. */
const { WebAssembly } = globalThis as unknown as {
  readonly WebAssembly: {
    readonly Module: new (bytes: Uint8Array) => object;
    readonly Instance: new (module: object) => { readonly exports: object };
  };
};

/** A compiled scan with the memory that it reads. */
export class QuoteScan {
  /** The memory whose bytes are scanned: 1 MiB. */
  readonly chunk: Buffer<ArrayBuffer>;
  readonly #memory: Uint8Array;
  readonly #exports: Exports;

  /** @param findsTextAfterQuotes true to find text after quotes. @default false */
  constructor(private readonly findsTextAfterQuotes = false) {
    const { exports } = new WebAssembly.Instance(new WebAssembly.Module(Buffer.from(quotesModule, "base64")));
    this.#exports = exports as Exports;
    const memory = this.#exports.memory.buffer;
    this.#memory = new Uint8Array(memory);
    this.chunk = Buffer.from(memory, origin, chunkBytes);
  }

  /** Scans the chunk's bytes `[start, end)`, which begin in `state`. */
  scan(start: number, end: number, state: CellState): ScanResult {
    const { inside, closed, following, ordinary, scan } = this.#exports;
    const from = origin + start;
    const before = [this.#memory[from - 2]!, this.#memory[from - 1]!] as const;
    inside.value = state === CellState.Quoted ? -1n : 0n;
    closed.value = state === CellState.QuoteInQuoted ? 1n : 0n;
    following.value = this.findsTextAfterQuotes ? 1 : 0;
    ordinary.value = 0;
    this.#memory.set(bytesBefore(state), from - 2);
    const last = scan(from, origin + end);
    this.#memory.set(before, from - 2);
    return {
      lastRowEnd: last < 0 ? -1 : last - origin,
      state: this.#stateAfter(from, origin + end, state),
      hasTextAfterQuote: following.value === 2,
      hasOrdinaryQuote: ordinary.value === 1,
    };
  }

  #stateAfter(from: number, stop: number, state: CellState): CellState {
    if (stop === from) return state;
    if (this.#exports.inside.value !== 0n) return CellState.Quoted;
    if (this.#exports.closed.value !== 0n) return CellState.QuoteInQuoted;
    // Outside quotes, the last two bytes decide if a field starts.
    const last = stop - 1;
    const earlier = last === from ? state : nextCellState(CellState.Plain, this.#memory[last - 1]!);
    return nextCellState(earlier, this.#memory[last]!);
  }
}

/** Two bytes after which a field is in this state, unless it is in quotes. */
function bytesBefore(state: CellState): readonly [number, number] {
  if (state === CellState.FieldStart) return [letter, comma];
  return state === CellState.AfterSpace ? [comma, space] : [letter, letter];
}
