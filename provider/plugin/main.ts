/**
 * The process `pulumi-resource-dag [ENGINE]`. Serves gRPC on a free port of the loopback interface and writes only that
 * port to stdout. ENGINE is the address at which the engine receives log messages.
 */
// oxlint-disable-next-line no-unassigned-import -- it must run before the other modules are loaded
import "../pulumi-engine/compile-cache";
import { Server, ServerCredentials } from "@grpc/grpc-js";
import { ResourceProviderService } from "@pulumi/pulumi/proto/provider_grpc_pb";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { whenEngineEnds } from "../pulumi-engine/end-of-run";
import { whenEngineIsGone } from "../pulumi-engine/engine-liveness";
import { Provider } from "./provider";
import { providerService } from "./grpc-service";

/** Runs the plugin until the engine stops it or exits. */
function main(): void {
  // The parent process, an older Node that started this one, was killed.
  process.on("disconnect", () => process.exit(1));
  const packageFolder = join(__dirname, "..", "..", "..");
  const { version } = JSON.parse(readFileSync(join(packageFolder, "package.json"), "utf8")) as { version: string };
  const provider = new Provider({
    version,
    schemaFile: join(packageFolder, "schema.json"),
    environment: process.env,
  });
  // The engine closes its connection before it sends a signal, so no response is pending.
  whenEngineEnds(() => provider.printReport());
  const engineAddress = process.argv.slice(2).find((argument) => /^[\w.:[\]-]+:\d+$/.test(argument));
  if (engineAddress !== undefined) {
    provider.attach(engineAddress);
    // Submitted queries continue in the service, and the next run finds them. A plugin that was started by hand,
    // without an address, serves several engines one after another (PULUMI_DEBUG_PROVIDERS), so it does not exit.
    whenEngineIsGone(engineAddress, () => process.exit(1));
  }

  const server = new Server(messageSizeLimits);
  server.addService(ResourceProviderService, providerService(provider));
  server.bindAsync("127.0.0.1:0", ServerCredentials.createInsecure(), (error, port) => {
    if (error) {
      console.error(`pulumi-resource-dag cannot listen on 127.0.0.1: ${error.message}`);
      process.exit(1);
    }
    process.stdout.write(`${port}\n`);
  });
}

/** The engine's message limit, 400 MiB, instead of gRPC's 4 MiB, because rows and logs are large. */
const messageSizeLimits = {
  "grpc.max_receive_message_length": 419_430_400,
  "grpc.max_send_message_length": 419_430_400,
};

main();
