/**
 * Gives each connection of Pulumi's SDK to an engine its own state. grpc-js shares what it knows of an address among all
 * connections of a process. An engine takes any free port, so that of a later command may have the address of one that has
 * ended: the command then fails with "14 UNAVAILABLE: No connection established. Last error: null". Programs of users run
 * in a process each.
 */
import { createRequire } from "node:module";

interface PoolModule {
  getSubchannelPool: () => object;
  readonly SubchannelPool: new () => object;
}

/** To be called before the first program runs. */
export function separateEngineConnections(): void {
  const pools = createRequire(__filename)("@grpc/grpc-js/build/src/subchannel-pool") as PoolModule;
  pools.getSubchannelPool = () => new pools.SubchannelPool();
}
