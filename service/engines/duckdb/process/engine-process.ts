/** The parent's side of an engine process: starts it, exchanges messages with it and reports why it ended. */
import { fork, type ChildProcess } from "node:child_process";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import type { EngineEnd, JobContext } from "../../../core/ports/engine";
import { describeExit } from "./exit";
import { EngineError } from "../engine-errors";
import { decodeFailure, fromEngine, operationOutputs } from "./protocol";
import type {
  EngineSettings,
  FromEngine,
  EngineOperation,
  EngineOperationInput,
  EngineOperationOutput,
  ToEngine,
} from "./protocol";

/** Milliseconds that an engine process gets to end a cancelled request before it is killed. */
const cancelTimeout = 1000;
/** Milliseconds that an engine process gets to exit when it is closed, before it is killed. */
const closeTimeout = 1000;
/** Limit of the JavaScript heap in MiB; DuckDB's memory is outside the heap and has its own limit. */
const heapMebibytes = 512;
/** Threads of libuv: each running statement of DuckDB and each file access occupies one. */
const threadPoolSize = 128;
/** Number of last characters of stderr that are kept to explain a crash. */
const stderrCharacters = 16_384;

interface Pending {
  readonly operation: EngineOperation;
  readonly context: JobContext | undefined;
  readonly resolve: (output: unknown) => void;
  readonly reject: (error: unknown) => void;
}

/** A running engine process. */
export class EngineProcess {
  /** Resolves with the reason when the process has ended. */
  readonly ended: Promise<EngineEnd>;
  readonly #child: ChildProcess;
  readonly #settings: EngineSettings;
  readonly #pending = new Map<number, Pending>();
  #nextId = 1;
  #stderr = "";
  /** Reason of the end, when it is known before the process exits. */
  #reason: string | undefined;
  #closing = false;
  #end: EngineEnd | undefined;
  #ready = Promise.withResolvers<void>();

  /** Starts a process. Resolves when it accepts requests; rejects with the reason when it cannot start. */
  static async start(settings: EngineSettings): Promise<EngineProcess> {
    const process = new EngineProcess(settings);
    await process.#ready.promise;
    return process;
  }

  private constructor(settings: EngineSettings) {
    this.#settings = settings;
    this.#child = fork(join(__dirname, "worker.js"), [settings.clusterName], {
      serialization: "advanced",
      stdio: ["ignore", "ignore", "pipe", "ipc"],
      env: { TZ: "UTC", LANG: "C.UTF-8", UV_THREADPOOL_SIZE: String(threadPoolSize) },
      execArgv: [`--max-old-space-size=${heapMebibytes}`],
    });
    const { promise, resolve } = Promise.withResolvers<EngineEnd>();
    this.ended = promise;
    this.#child.stderr?.setEncoding("utf8").on("data", (text: string) => {
      this.#stderr = (this.#stderr + text).slice(-stderrCharacters);
    });
    this.#child.on("message", (message) => this.#receive(message));
    // May be emitted more than once: sending to a process that failed to start fails too.
    this.#child.on("error", (error) => {
      this.#reason ??= `the engine process could not be reached: ${error.message}`;
      this.#child.kill("SIGKILL");
      if (this.#child.pid === undefined) this.#onExit(null, null, resolve);
    });
    this.#child.once("close", (code, signal) => this.#onExit(code, signal, resolve));
    this.#send({ type: "start", settings });
  }

  /**
   * Runs an operation in the process.
   * @throws the error of the operation; the signal's abort reason after a cancellation; EngineError with the reason
   * when the process ends.
   */
  async request<Name extends EngineOperation>(
    operation: Name,
    input: EngineOperationInput<Name>,
    context?: JobContext,
  ): Promise<EngineOperationOutput<Name>> {
    context?.signal.throwIfAborted();
    if (this.#end) throw new EngineError(this.#end.reason);
    const id = this.#nextId++;
    const { promise, resolve, reject } = Promise.withResolvers<unknown>();
    this.#pending.set(id, { operation, context, resolve, reject });
    const cancel = () => this.#cancel(id);
    context?.signal.addEventListener("abort", cancel);
    this.#send({ type: "request", id, operation, input } as ToEngine);
    try {
      return operationOutputs[operation].parse(await promise) as EngineOperationOutput<Name>;
    } catch (error) {
      context?.signal.throwIfAborted();
      throw error;
    } finally {
      this.#pending.delete(id);
      context?.signal.removeEventListener("abort", cancel);
    }
  }

  /** Ends the process and all its requests. */
  async close(): Promise<void> {
    this.#closing = true;
    this.#send({ type: "close" });
    const timer = new AbortController();
    const late = delay(closeTimeout, undefined, { signal: timer.signal }).then(
      () => this.#child.kill("SIGKILL"),
      () => undefined,
    );
    await this.ended;
    timer.abort();
    await late;
  }

  #cancel(id: number): void {
    this.#send({ type: "cancel", id });
    setTimeout(() => {
      if (!this.#pending.has(id)) return;
      this.#reason ??= `the engine was killed because a cancelled query did not end within ${cancelTimeout} ms`;
      this.#child.kill("SIGKILL");
    }, cancelTimeout).unref();
  }

  #send(message: ToEngine): void {
    // When the process has ended, its exit handler rejects all pending requests.
    if (this.#child.connected) this.#child.send(message, () => undefined);
  }

  #receive(raw: unknown): void {
    const message = fromEngine.safeParse(raw);
    if (message.success) return this.#handle(message.data);
    this.#reason ??= `the engine process sent a message that is not valid: ${message.error.message}`;
    this.#child.kill("SIGKILL");
  }

  #handle(message: FromEngine): void {
    if (message.type === "ready") return this.#ready.resolve();
    if (message.type === "ending") return void (this.#reason ??= message.reason);
    const pending = this.#pending.get(message.id);
    switch (message.type) {
      case "progress":
        return pending?.context?.progress(message.percent, message.stage);
      case "log":
        return pending?.context?.log(message.line);
      case "jobId":
        return pending?.context?.jobId(message.jobId);
      case "result":
        return pending?.resolve(message.output);
      case "failure":
        // When the engine is being closed, the exit handler rejects the request with that reason.
        return this.#closing ? undefined : pending?.reject(decodeFailure(message.failure));
    }
  }

  #onExit(code: number | null, signal: NodeJS.Signals | null, resolve: (end: EngineEnd) => void): void {
    if (this.#end) return;
    const reason = this.#closing ? "the engine was closed" : this.#reason;
    const { memoryBytes } = this.#settings;
    this.#end = {
      expected: this.#closing,
      reason: reason ?? describeExit({ code, signal, stderr: this.#stderr, heapMebibytes, memoryBytes }),
    };
    const error = new EngineError(this.#end.reason);
    this.#ready.reject(error);
    for (const { reject } of this.#pending.values()) reject(error);
    resolve(this.#end);
  }
}
