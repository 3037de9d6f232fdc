/** The engine process: receives requests from its parent over IPC and ends with its parent. */
import { createDispatcher, type Dispatcher } from "./dispatch";
import { toEngine, type FromEngine } from "./protocol";

const send = (message: FromEngine) => {
  if (process.connected) process.send!(message, undefined, undefined, () => undefined);
};

/** Kills this process at once, because DuckDB's threads may not stop and must not outlive the parent. */
function killSelf(): never {
  process.kill(process.pid, "SIGKILL");
  throw new Error("unreachable");
}

let dispatcher: Promise<Dispatcher> | undefined;

async function receive(raw: unknown): Promise<void> {
  const message = toEngine.parse(raw);
  if (message.type === "start") {
    dispatcher = createDispatcher(message.settings, send);
    await dispatcher;
    return send({ type: "ready" });
  }
  const target = await dispatcher;
  switch (message.type) {
    case "request":
      return target?.request(message);
    case "cancel":
      return target?.cancel(message.id);
    case "close":
      await target?.close();
      killSelf();
  }
}

/** Reports the reason to the parent and ends the process. */
function endWithReason(error: unknown): void {
  const reason = `the engine process failed: ${error instanceof Error ? error.message : String(error)}`;
  if (!process.connected) killSelf();
  process.send!({ type: "ending", reason } satisfies FromEngine, undefined, undefined, killSelf);
}

process.on("message", (raw) => void receive(raw).catch(endWithReason));
process.on("disconnect", killSelf);
process.on("uncaughtException", endWithReason);
process.on("unhandledRejection", endWithReason);
// Ctrl-C in a terminal signals the whole process group; the parent decides when its engines end.
process.on("SIGINT", () => undefined);
