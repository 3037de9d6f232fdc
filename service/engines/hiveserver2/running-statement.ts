/** A statement that runs on a server, as the state keeps it, so that a later attempt can resume it. */
import type { Column, Location } from "../../../contract";
import type { Handle } from "./client/thrift";

export interface RunningStatement {
  /** The server, such as `hive2://host:10000`. */
  readonly address: string;
  readonly session: Handle;
  readonly operation: Handle;
  /** The folder that it writes to. */
  readonly written: Location;
  /** The columns of the result; absent when an earlier version has started the statement. */
  readonly columns?: readonly Column[];
}

/** The keys of handles whose values are bytes. */
const bytesKeys: ReadonlySet<string> = new Set(["guid", "secret"]);

/** Returns the text that the state keeps. */
export function toKept({ address, session, operation, written, columns }: RunningStatement): string {
  return JSON.stringify(
    { address, session, operation, written, columns },
    function replace(this: object, key, value: unknown) {
      // A Buffer has been converted to an object when it comes here.
      return bytesKeys.has(key) ? Buffer.from((this as Record<string, Uint8Array>)[key]!).toString("hex") : value;
    },
  );
}

/** Reads a text of {@link toKept}; undefined for that of an engine of another kind. */
export function fromKept(text: string): RunningStatement | undefined {
  try {
    const read = JSON.parse(text, (key, value: unknown) =>
      bytesKeys.has(key) ? Buffer.from(value as string, "hex") : value,
    ) as Partial<RunningStatement> | null;
    return read?.session && read.operation && read.written ? (read as RunningStatement) : undefined;
  } catch {
    return undefined;
  }
}
