/** Notices Ctrl-C where the SDK keeps it to itself. */
import { subscribe } from "node:diagnostics_channel";

/** What Node tells of each request that arrives over HTTP/2; every Node that this package supports does. */
const requests = "http2.server.stream.start";
const cancelRequest = "/pulumirpc.ResourceProvider/Cancel";

/**
 * Calls `cancelled` when the engine asks this process, which serves resources, to end what it does. The engine asks every
 * provider after the first Ctrl-C, but the SDK's dynamic provider answers for its resources without telling them.
 */
export function whenEngineCancels(cancelled: () => void): void {
  subscribe(requests, (message) => {
    const { headers } = message as { readonly headers?: Readonly<Record<string, unknown>> };
    if (headers?.[":path"] === cancelRequest) cancelled();
  });
}
