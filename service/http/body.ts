/** Reads request bodies, limited in size. */
import type { IncomingMessage } from "node:http";
import { errors, limits } from "../../contract";

/**
 * Maximum bytes of a body that is read to its end; larger bodies are refused as soon as they are larger. Less than
 * Connections reads of a request in all.
 */
const maxDrainedBytes = 4 * limits.requestBodyBytes;

/**
 * Reads a body. A body that is a little above the limit is read to its end and discarded, because a client that is
 * still sending may not read the response.
 * @throws EntityTooLarge above 1 MiB.
 */
export async function readBody(incoming: IncomingMessage): Promise<Uint8Array> {
  if (incoming.headers["content-encoding"] && incoming.headers["content-encoding"] !== "identity") {
    throw new errors.MalformedJSON("the request body has a Content-Encoding: send it as plain JSON");
  }
  const transferEncoding = incoming.headers["transfer-encoding"];
  if (transferEncoding !== undefined && transferEncoding.toLowerCase() !== "chunked") {
    throw new errors.MalformedJSON(
      "the request body has another Transfer-Encoding than chunked: send it as plain JSON",
    );
  }
  if (Number(incoming.headers["content-length"] ?? 0) > maxDrainedBytes) throw tooLarge();
  if (!hasBody(incoming)) return noBody;
  const chunks: Uint8Array[] = [];
  let size = 0;
  try {
    // The request is not destroyed when reading stops early, because that would close the connection before the answer.
    for await (const chunk of incoming.iterator({ destroyOnReturn: false }) as AsyncIterable<Uint8Array>) {
      size += chunk.length;
      if (size <= limits.requestBodyBytes) chunks.push(chunk);
      else chunks.length = 0;
      if (size > maxDrainedBytes) break;
    }
  } catch (error) {
    throw new errors.RequestTimeout("the request body did not arrive completely", { cause: error });
  }
  if (size > limits.requestBodyBytes) throw tooLarge();
  return Buffer.concat(chunks);
}

const noBody = new Uint8Array();

/** Returns true when a body follows the headers: HTTP/1.1 has it announced by one of two. */
function hasBody({ headers }: IncomingMessage): boolean {
  return headers["transfer-encoding"] !== undefined || (headers["content-length"] ?? "0") !== "0";
}

function tooLarge() {
  return new errors.EntityTooLarge(`the request body is larger than ${limits.requestBodyBytes} bytes`);
}
