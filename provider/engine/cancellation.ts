/** Notices Ctrl-C where the SDK keeps it to itself. */
import { subscribe } from "node:diagnostics_channel";

/** What Node tells of each request that arrives over HTTP/2, from 22.17 and 24.2 on. */
const requests = "http2.server.stream.start";
const cancelRequest = "/pulumirpc.ResourceProvider/Cancel";

/**
 * Calls `cancelled` when the engine asks this process, which serves resources, to end what it does. The engine asks every
 * provider after the first Ctrl-C, but the SDK's dynamic provider answers for its resources without telling them. On an
 * older Node it is not noticed.
 */
export function whenEngineCancels(cancelled: () => void): void {
  subscribe(requests, (message) => {
    const { headers } = message as { readonly headers?: Readonly<Record<string, unknown>> };
    if (headers?.[":path"] === cancelRequest) cancelled();
  });
}
