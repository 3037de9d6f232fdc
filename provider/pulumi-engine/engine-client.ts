/** The gRPC client of a provider process for the engine that started it. */
import { credentials, makeGenericClientConstructor } from "@grpc/grpc-js";
import { EngineService, type EngineClient } from "@pulumi/pulumi/proto/engine_grpc_pb";

/**
 * Creates a client of the engine at an address, which is the first argument of a provider process. It is created from
 * the service definition, because the SDK's own client accepts only credentials of its own copy of gRPC.
 */
export function engineClient(address: string): EngineClient {
  const Client = makeGenericClientConstructor(EngineService, "Engine");
  // The engine runs on this machine, so a proxy must not be used.
  return new Client(address, credentials.createInsecure(), { "grpc.enable_http_proxy": 0 }) as unknown as EngineClient;
}
