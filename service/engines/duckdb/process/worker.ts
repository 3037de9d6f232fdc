/** The engine process: takes requests from its parent over IPC and ends with it. */
import { createDispatcher, type Dispatcher } from "./dispatch";
import { toEngine, type FromEngine } from "./protocol";

const send = (message: FromEngine) => {
  if (process.connected) process.send!(message, undefined, undefined, () => undefined);
};

/** Nothing of ours outlives the parent, whatever DuckDB's threads are doing. */
function endAtOnce(): never {
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
      endAtOnce();
  }
}

function fail(error: unknown): void {
  const reason = `the engine process failed: ${error instanceof Error ? error.message : String(error)}`;
  if (!process.connected) endAtOnce();
  process.send!({ type: "ending", reason } satisfies FromEngine, undefined, undefined, endAtOnce);
}

process.on("message", (raw) => void receive(raw).catch(fail));
process.on("disconnect", endAtOnce);
process.on("uncaughtException", fail);
process.on("unhandledRejection", fail);
// A Ctrl-C in a terminal reaches the whole group; the parent decides when its engines end.
process.on("SIGINT", () => undefined);
