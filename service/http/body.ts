/** The body of a request, within the limit. */
import type { IncomingMessage } from "node:http";
import { errors, limits } from "../../contract";

/** A body that is announced as larger than this is not even read to its end. */
const drainedBytes = 64 * limits.requestBodyBytes;

/**
 * Reads a body. One that is too large is read to its end and thrown away, since a client that is still sending does
 * not look at the answer.
 * @throws EntityTooLarge above 1 MiB.
 */
export async function readBody(incoming: IncomingMessage): Promise<Uint8Array> {
  if (incoming.headers["content-encoding"] && incoming.headers["content-encoding"] !== "identity") {
    throw new errors.MalformedJSON("the request body has a Content-Encoding; it must be plain JSON");
  }
  if (Number(incoming.headers["content-length"] ?? 0) > drainedBytes) throw tooLarge();
  const chunks: Uint8Array[] = [];
  let size = 0;
  try {
    for await (const chunk of incoming as AsyncIterable<Uint8Array>) {
      size += chunk.length;
      if (size <= limits.requestBodyBytes) chunks.push(chunk);
      else chunks.length = 0;
      if (size > drainedBytes) break;
    }
  } catch (error) {
    throw new errors.RequestTimeout("the request's body did not arrive completely", { cause: error });
  }
  if (size > limits.requestBodyBytes) throw tooLarge();
  return Buffer.concat(chunks);
}

function tooLarge() {
  return new errors.EntityTooLarge(`the request body is larger than ${limits.requestBodyBytes} bytes`);
}
