/** Where the servers find the objects of tables, and how the objects of a result are made of what they write. */
import type { Location, OutputFormat } from "../../../../contract";
import { HiveServerError } from "../client/errors";
import type { JobContext } from "../../../core/ports/engine";
import type { LocalWork } from "../local-work";

/** What a server wrote for one attempt. */
export interface WrittenResult {
  readonly queryId: number;
  /** The folder of the result, which is published. */
  readonly output: Location;
  /** The folder that the server has written, as {@link ServerStorage.attemptFolder} returns it. */
  readonly attempt: Location;
  readonly format: OutputFormat;
  /** Maximum bytes of an object; only a single longer row exceeds it. */
  readonly objectBytes: number;
}

/** A storage that the servers and this machine see. */
export interface ServerStorage {
  /** Returns the URL by which the servers know a folder, without a slash at the end. */
  urlOf(folder: Location): string;
  /** Returns a folder for an attempt; what is still written there later can never be part of the result. */
  attemptFolder(output: Location, name: string): Location;
  /**
   * Makes the objects `000000_0`, … of the output folder; resolves with their number and total size.
   * @throws MissingResultError also when another process has made them, or deleted what the server wrote
   */
  store(
    result: WrittenResult,
    local: LocalWork,
    context: JobContext,
  ): Promise<{ readonly objects: number; readonly bytes: number }>;
  /** Deletes what an attempt has written. */
  discard(attempt: Location): Promise<void>;
  /** Replaces the URLs and paths of objects in a text by their locations. */
  redact(text: string): string;
}

/** Returns the name of an object of a result. */
export const objectName = (index: number) => `${String(index).padStart(6, "0")}_0`;

/** What the server wrote for an attempt is not there. */
export class MissingResultError extends HiveServerError {}

/** Returns the error for a result that is not where the server should have written it. */
export const missingResult = (remedy: string) =>
  new MissingResultError(`the result is not in the service's storage: ${remedy}`, undefined);

/** Cuts objects of an attempt between rows, where they are larger than those of a result may be. */
export async function cutResult(
  { queryId, output, format, objectBytes }: WrittenResult,
  inputs: readonly Location[],
  local: LocalWork,
  { signal }: JobContext,
): Promise<void> {
  const silent: JobContext = { signal, progress: () => undefined, log: () => undefined, jobId: () => undefined };
  await local.split(
    { queryId, inputs, format, columns: [{ name: "line", type: "string" }], output, objectBytes },
    silent,
  );
}
