/**
 * The process `pulumi-resource-dag [ENGINE]`: serves gRPC on a free port of the loopback, and writes that port, and
 * nothing else, on stdout. ENGINE is the address at which the engine listens for messages.
 */
import { Server, ServerCredentials } from "@grpc/grpc-js";
import { ResourceProviderService } from "@pulumi/pulumi/proto/provider_grpc_pb";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { whenEngineIsGone } from "../pulumi-engine/presence";
import { Provider } from "./provider";
import { providerService } from "./service";

/** Runs the plugin until the engine ends it, or ends itself. */
function main(): void {
  // The engine has closed its connection before it sends a signal: nobody waits for an answer any more.
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.on(signal, () => process.exit(0));
  // An older Node that handed over to this one was killed.
  process.on("disconnect", () => process.exit(1));
  const packageFolder = join(__dirname, "..", "..", "..");
  const { version } = JSON.parse(readFileSync(join(packageFolder, "package.json"), "utf8")) as { version: string };
  const provider = new Provider({
    version,
    schemaFile: join(packageFolder, "schema.json"),
    environment: process.env,
  });
  const engineAddress = process.argv.slice(2).find((argument) => /^[\w.:[\]-]+:\d+$/.test(argument));
  if (engineAddress !== undefined) {
    provider.attach(engineAddress);
    // What is submitted goes on in the service, and the next run finds it again; nobody is left to tell of it here. Who
    // is started by hand, without an address, serves one engine after another (PULUMI_DEBUG_PROVIDERS).
    whenEngineIsGone(engineAddress, () => process.exit(1));
  }

  const server = new Server(messageSizes);
  server.addService(ResourceProviderService, providerService(provider));
  server.bindAsync("127.0.0.1:0", ServerCredentials.createInsecure(), (error, port) => {
    if (error) {
      console.error(`pulumi-resource-dag cannot listen on 127.0.0.1: ${error.message}`);
      process.exit(1);
    }
    process.stdout.write(`${port}\n`);
  });
}

/** The engine's own limit, 400 MiB, in place of gRPC's 4 MiB: rows and logs are large. */
const messageSizes = {
  "grpc.max_receive_message_length": 419_430_400,
  "grpc.max_send_message_length": 419_430_400,
};

main();
