/** Notices that a caller does not wait for its answer any more. */
import type { ServerResponse } from "node:http";
import type { Http2ServerResponse } from "node:http2";
import { errors } from "../../contract";

/** Returns a signal that is aborted when the caller closes its connection before it has the response. */
export function callerLeft(outgoing: ServerResponse | Http2ServerResponse): AbortSignal {
  const controller = new AbortController();
  const closed = () => {
    if (!outgoing.writableFinished) controller.abort(new errors.RequestTimeout("the caller closed its connection"));
  };
  // One that was closed while the body was read emits nothing any more.
  if ("stream" in outgoing ? outgoing.stream.destroyed : outgoing.destroyed) closed();
  else outgoing.once("close", closed);
  return controller.signal;
}
