/** Sends progress and messages of resources to the engine, which prints them. */
import { LogRequest, LogSeverity } from "@pulumi/pulumi/proto/engine_pb";
import { printableText } from "../../contract";
import { engineClient } from "./engine-client";
import { StatusLines } from "./status-lines";

/** Severity of a message that stays on the screen. */
type Severity = "info" | "warning";

/** Receives messages of resources. Its failures never fail an operation. */
export interface PulumiLog {
  /** Replaces the line in the resource's row. A line that is replaced at once is not sent. */
  status(urn: string, line: string): void;
  /** Shows the progress of an operation in the resource's row, not more often than the interval allows. */
  progress(urn: string, line: string): void;
  /** Ends the progress of an operation: its last line is shown. */
  settle(urn: string): void;
  /** Sets the minimum time between two lines of progress in a row, in milliseconds. @default 0 */
  limitProgress(interval: number): void;
  /** Prints a permanent message with the resource's name. */
  message(urn: string, severity: Severity, text: string): void;
  /** Prints permanent messages of the whole run, in order. Resolves when the engine has them, or cannot take them. */
  messages(severity: Severity, texts: readonly string[]): Promise<void>;
}

const silentLog: PulumiLog = {
  status: () => {},
  progress: () => {},
  settle: () => {},
  limitProgress: () => {},
  message: () => {},
  messages: () => Promise.resolve(),
};

const severities = { info: LogSeverity.INFO, warning: LogSeverity.WARNING } as const;

/**
 * Creates the log of an engine.
 * @param address the first argument of a provider process; without it, messages are dropped.
 */
export function engineLog(address: string | undefined): PulumiLog {
  if (address === undefined) return silentLog;
  const client = engineClient(address);
  const send = (urn: string, severity: LogSeverity, text: string, ephemeral: boolean, sent = () => {}) => {
    const request = new LogRequest();
    request.setUrn(urn);
    request.setSeverity(severity);
    request.setMessage(printableText(text));
    request.setEphemeral(ephemeral);
    client.log(request, sent);
  };
  const lines = new StatusLines((urn, line) => send(urn, LogSeverity.INFO, line, true));
  return {
    status: (urn, line) => lines.set(urn, line),
    progress: (urn, line) => lines.progress(urn, line),
    settle: (urn) => lines.settle(urn),
    limitProgress: (interval) => void (lines.interval = interval),
    message(urn, severity, text) {
      send(urn, severities[severity], text, false);
    },
    async messages(severity, texts) {
      lines.flush();
      for (const text of texts) {
        await new Promise<void>((resolve) => send("", severities[severity], text, false, resolve));
      }
    },
  };
}
