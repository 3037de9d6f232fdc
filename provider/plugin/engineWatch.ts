/** Notices that the engine is gone, killed perhaps, so that no process goes on submitting queries for nobody. */
import { connectivityState, Client, credentials } from "@grpc/grpc-js";

/** How long the engine may be out of reach before it counts as gone, in milliseconds. */
const grace = 1_000;

/**
 * Watches the engine at the address that the returned function is given; a new address takes the place of the last.
 * @param gone called once it cannot be connected to any more.
 */
export function watchEngine(gone: () => void): (address: string) => void {
  let client: Client | undefined;
  let watched: string | undefined;
  return (address) => {
    if (address === watched) return;
    client?.close();
    watched = address;
    client = new Client(address, credentials.createInsecure(), { "grpc.initial_reconnect_backoff_ms": 100 });
    const channel = client.getChannel();
    let lostAt: number | undefined;
    const next = (): void => {
      const state = channel.getConnectivityState(true);
      if (state === connectivityState.SHUTDOWN) return;
      if (state === connectivityState.READY) lostAt = undefined;
      if (state === connectivityState.TRANSIENT_FAILURE) {
        lostAt ??= Date.now();
        if (Date.now() - lostAt >= grace) return gone();
      }
      const deadline = state === connectivityState.READY ? Number.POSITIVE_INFINITY : Date.now() + grace;
      channel.watchConnectivityState(state, deadline, next);
    };
    next();
  };
}
