/** Notices when the engine is gone: killed, or ended by a second Ctrl-C, it leaves its providers behind. */
import { connectivityState } from "@grpc/grpc-js";
import { engineClient } from "./client";

/** How long an engine that answered has to answer again before it counts as gone, in milliseconds. */
const patience = 3_000;
/** How long it has to answer at all: much longer, since a busy machine must not cost a living engine its provider. */
const firstPatience = 60_000;

/**
 * Calls `gone` once the engine at an address no longer answers, or never did.
 * @param address as the first argument of a provider's process names it; absent where no engine listens.
 * @param first how long the engine has to answer at all, in milliseconds. @default 60000
 */
export function whenEngineIsGone(address: string | undefined, gone: () => void, first = firstPatience): void {
  if (address === undefined) return;
  const client = engineClient(address);
  const watch = () => {
    const channel = client.getChannel();
    const state = channel.getConnectivityState(true);
    channel.watchConnectivityState(state, Number.POSITIVE_INFINITY, () => {
      // An idle connection may be closed without the engine being gone.
      if (channel.getConnectivityState(false) === connectivityState.READY) watch();
      else client.waitForReady(Date.now() + patience, (error) => (error ? gone() : watch()));
    });
  };
  client.waitForReady(Date.now() + first, (error) => (error ? gone() : watch()));
}
