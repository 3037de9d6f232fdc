/** Stream helpers of the adapters. */
import { PassThrough, Readable } from "node:stream";

/** Returns the source as a stream whose errors are converted by `convert`. */
export function convertStreamErrors(source: Readable, convert: (error: Error) => Error): Readable {
  const converted = new PassThrough();
  source.once("error", (error) => converted.destroy(convert(error)));
  converted.once("close", () => source.destroy());
  return source.pipe(converted);
}

/** Returns a body as a stream. */
export function toStream(body: Readable | Uint8Array | string): Readable {
  return body instanceof Readable ? body : Readable.from([typeof body === "string" ? Buffer.from(body) : body]);
}

/**
 * Runs work that reads a body, and destroys the body afterwards. The error listener keeps the process alive when the
 * stream fails before the work reads it; the work then gets the error.
 */
export async function destroyBodyAfter<Result>(
  body: Readable | Uint8Array | string,
  work: () => Promise<Result>,
): Promise<Result> {
  if (!(body instanceof Readable)) return work();
  const ignore = () => {};
  body.on("error", ignore);
  try {
    return await work();
  } finally {
    body.destroy();
  }
}
