/** What the adapters have to do with streams alike. */
import { PassThrough, Readable } from "node:stream";

/** A stream whose failures are those that `convert` makes of the source's. */
export function withErrors(source: Readable, convert: (error: Error) => Error): Readable {
  const converted = new PassThrough();
  source.once("error", (error) => converted.destroy(convert(error)));
  converted.once("close", () => source.destroy());
  return source.pipe(converted);
}

/** A body as a stream. */
export function asStream(body: Readable | Uint8Array | string): Readable {
  return body instanceof Readable ? body : Readable.from([typeof body === "string" ? Buffer.from(body) : body]);
}

/** Lets work read a body. A stream may fail before it is read, which the work then finds, and is not left open. */
export async function consuming<Result>(
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
