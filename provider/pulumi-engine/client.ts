/** The connection from a provider's process to the engine that started it. */
import { credentials, makeGenericClientConstructor } from "@grpc/grpc-js";
import { EngineService, type EngineClient } from "@pulumi/pulumi/proto/engine_grpc_pb";

/**
 * A client of the engine at an address, as the first argument of a provider's process names it. It is made of the
 * service's description, since the SDK's own client takes credentials of its own copy of gRPC only.
 */
export function engineClient(address: string): EngineClient {
  const Client = makeGenericClientConstructor(EngineService, "Engine");
  // The engine is on this machine, where no proxy leads.
  return new Client(address, credentials.createInsecure(), { "grpc.enable_http_proxy": 0 }) as unknown as EngineClient;
}
