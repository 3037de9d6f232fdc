/** Notices that a caller does not wait for its answer any more. */
import type { ServerResponse } from "node:http";
import type { Http2ServerResponse } from "node:http2";
import { errors } from "../../contract";

/** Returns a signal that is aborted when the caller closes its connection before it has the response. */
export function callerLeft(outgoing: ServerResponse | Http2ServerResponse): AbortSignal {
  const controller = new AbortController();
  outgoing.once("close", () => {
    if (!outgoing.writableFinished) controller.abort(new errors.RequestTimeout("the caller closed its connection"));
  });
  return controller.signal;
}
