/** Notices when the engine is gone: killed, or ended by a second Ctrl-C, it leaves its providers behind. */
import { connectivityState, credentials, makeGenericClientConstructor } from "@grpc/grpc-js";
import { EngineService } from "@pulumi/pulumi/proto/engine_grpc_pb";

/** How long an engine has to answer again before it counts as gone, in milliseconds. */
const patience = 3_000;

/**
 * Calls `gone` once the engine at an address no longer answers.
 * @param address as the first argument of a provider's process names it; absent where no engine listens.
 */
export function whenEngineIsGone(address: string | undefined, gone: () => void): void {
  if (address === undefined) return;
  const Engine = makeGenericClientConstructor(EngineService, "Engine");
  const client = new Engine(address, credentials.createInsecure());
  const watch = () => {
    const channel = client.getChannel();
    const state = channel.getConnectivityState(true);
    channel.watchConnectivityState(state, Number.POSITIVE_INFINITY, () => {
      // An idle connection may be closed without the engine being gone.
      if (channel.getConnectivityState(false) === connectivityState.READY) watch();
      else client.waitForReady(Date.now() + patience, (error) => (error ? gone() : watch()));
    });
  };
  client.waitForReady(Date.now() + patience, (error) => {
    if (!error) watch();
  });
}
