/**
 * `pulumi-language-nodejs`: runs Pulumi programs that are written for Node.js.
 *
 * A replacement for the official language host, for a CLI that was built from the Go module proxy, which does not have
 * the official one. The CLI starts it in the program's folder with the engine's address as the last argument, reads the
 * port from the first line of stdout, and then calls it over gRPC.
 */
import { fstatSync } from "node:fs";
import { Server, ServerCredentials } from "@grpc/grpc-js";
import { LanguageRuntimeService } from "@pulumi/pulumi/proto/language_grpc_pb.js";
import { stopChildren } from "./children";
import { languageRuntime } from "./language-runtime";

const engineAddress = process.argv.slice(2).findLast((argument) => !argument.startsWith("-")) ?? "";
const server = new Server({
  "grpc.max_receive_message_length": -1,
  "grpc.max_send_message_length": -1,
});

function exit(code: number): never {
  stopChildren("SIGKILL");
  process.exit(code);
}

process.once("SIGTERM", () => exit(143));
process.once("SIGINT", () => exit(130));
// The CLI holds the other end of stdin: when the CLI ends for any reason, stdin closes and the host exits.
if (isHeldOpen()) {
  process.stdin.once("end", () => exit(0)).once("error", () => exit(0));
  process.stdin.resume();
}

server.addService(LanguageRuntimeService as never, languageRuntime(engineAddress));
server.bindAsync("127.0.0.1:0", ServerCredentials.createInsecure(), (error, port) => {
  if (error) {
    console.error(`pulumi-language-nodejs cannot listen on 127.0.0.1: ${error.message}`);
    exit(1);
  }
  process.stdout.write(`${port}\n`);
});

/** Returns true when stdin is a pipe or a socket; a terminal or /dev/null does not close when the parent ends. */
function isHeldOpen(): boolean {
  const stdin = fstatSync(0);
  return stdin.isFIFO() || stdin.isSocket();
}
