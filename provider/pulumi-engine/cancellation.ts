/** Detects Ctrl-C for dynamic providers, because the SDK does not pass it on. */
import { subscribe } from "node:diagnostics_channel";

/**
 * Diagnostics channel on which Node reports each incoming HTTP/2 request. Of the supported versions, 24.0 and 24.1 do
 * not have it: there, the engine waits for running operations.
 */
const incomingRequests = "http2.server.stream.start";
const cancelRequest = "/pulumirpc.ResourceProvider/Cancel";

/**
 * Calls `cancelled` when the engine requests this provider process to cancel its operations. The engine does so after
 * the first Ctrl-C, but the SDK's dynamic provider does not pass the request on to its resources.
 */
export function whenEngineCancels(cancelled: () => void): void {
  subscribe(incomingRequests, (message) => {
    const { headers } = message as { readonly headers?: Readonly<Record<string, unknown>> };
    if (headers?.[":path"] === cancelRequest) cancelled();
  });
}
