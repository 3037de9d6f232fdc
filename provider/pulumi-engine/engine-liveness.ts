/** Detects that the engine was killed or ended by a second Ctrl-C, which leaves its providers running. */
import { connectivityState } from "@grpc/grpc-js";
import { engineClient } from "./engine-client";

/** Time in which a connected engine must respond again before it counts as gone, in milliseconds. */
const reconnectTimeout = 3_000;
/** Time in which the engine must respond first, in milliseconds. Much longer, because a busy machine may delay it. */
const defaultConnectTimeout = 60_000;

/**
 * Calls `gone` when the engine at an address stops responding or never responds.
 * @param address the first argument of a provider process; without it, nothing is watched.
 * @param connectTimeout time in which the engine must respond first, in milliseconds. @default 60000
 */
export function whenEngineIsGone(
  address: string | undefined,
  gone: () => void,
  connectTimeout = defaultConnectTimeout,
): void {
  if (address === undefined) return;
  const client = engineClient(address);
  const watch = () => {
    const channel = client.getChannel();
    const state = channel.getConnectivityState(true);
    channel.watchConnectivityState(state, Number.POSITIVE_INFINITY, () => {
      // An idle connection may be closed although the engine is still running.
      if (channel.getConnectivityState(false) === connectivityState.READY) watch();
      else client.waitForReady(Date.now() + reconnectTimeout, (error) => (error ? gone() : watch()));
    });
  };
  client.waitForReady(Date.now() + connectTimeout, (error) => (error ? gone() : watch()));
}
