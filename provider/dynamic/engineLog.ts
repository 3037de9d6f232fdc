/** Tells the engine, and so the person at the terminal, what a resource does. */
import { createRequire } from "node:module";
import { EngineClient } from "@pulumi/pulumi/proto/engine_grpc_pb";
import { LogRequest, LogSeverity } from "@pulumi/pulumi/proto/engine_pb";

/** Severity of a message that stays on the screen. */
export type Severity = "info" | "warning";

/** Where messages of resources go. Nothing that happens here can fail what a resource does. */
export interface EngineLog {
  /** Shows a line on the resource's row, in place of the one before. */
  status(urn: string, line: string): void;
  /** A message that stays, under the resource's name. */
  message(urn: string, severity: Severity, text: string): void;
}

/**
 * The engine at an address, as the second process argument of a provider names it.
 * @param address absent where no engine listens: messages are dropped then.
 */
export function engineLog(address: string | undefined): EngineLog {
  if (address === undefined) return { status: () => {}, message: () => {} };
  // The client takes credentials of its own copy of the gRPC package only.
  const grpc = createRequire(require.resolve("@pulumi/pulumi"))("@grpc/grpc-js") as typeof import("@grpc/grpc-js");
  const client = new EngineClient(address, grpc.credentials.createInsecure());
  const last = new Map<string, string>();
  const send = (urn: string, severity: LogSeverity, text: string, ephemeral: boolean) => {
    const request = new LogRequest();
    request.setUrn(urn);
    request.setSeverity(severity);
    request.setMessage(text);
    request.setEphemeral(ephemeral);
    client.log(request, () => {});
  };
  return {
    status(urn, line) {
      if (last.get(urn) === line) return;
      last.set(urn, line);
      send(urn, LogSeverity.INFO, line, true);
    },
    message(urn, severity, text) {
      send(urn, severity === "info" ? LogSeverity.INFO : LogSeverity.WARNING, text, false);
    },
  };
}
