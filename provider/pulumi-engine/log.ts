/** Tells the engine, and so the person at the terminal, what a resource does. */
import { LogRequest, LogSeverity } from "@pulumi/pulumi/proto/engine_pb";
import { engineClient } from "./client";
import { StatusLines } from "./status-lines";

/** Severity of a message that stays on the screen. */
type Severity = "info" | "warning";

/** Where messages of resources go. Nothing that happens here can fail what a resource does. */
export interface EngineLog {
  /** Shows a line on the resource's row, in place of the one before; not at all where another follows at once. */
  status(urn: string, line: string): void;
  /** A message that stays, under the resource's name. */
  message(urn: string, severity: Severity, text: string): void;
}

/**
 * The engine at an address, as the first argument of a provider's process names it.
 * @param address absent where no engine listens: messages are dropped then.
 */
export function engineLog(address: string | undefined): EngineLog {
  if (address === undefined) return { status: () => {}, message: () => {} };
  const client = engineClient(address);
  const send = (urn: string, severity: LogSeverity, text: string, ephemeral: boolean) => {
    const request = new LogRequest();
    request.setUrn(urn);
    request.setSeverity(severity);
    request.setMessage(text);
    request.setEphemeral(ephemeral);
    client.log(request, () => {});
  };
  const lines = new StatusLines((urn, line) => send(urn, LogSeverity.INFO, line, true));
  return {
    status: (urn, line) => lines.set(urn, line),
    message(urn, severity, text) {
      send(urn, severity === "info" ? LogSeverity.INFO : LogSeverity.WARNING, text, false);
    },
  };
}
