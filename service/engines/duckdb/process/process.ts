/** The parent's side of an engine process: starts it, talks to it, and says why it ended. */
import { fork, type ChildProcess } from "node:child_process";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import type { EngineEnd, JobContext } from "../../../core/ports/engine";
import { describeExit } from "./exit";
import { EngineError } from "../errors";
import { decodeFailure, fromEngine, operationOutputs } from "./protocol";
import type { EngineSettings, FromEngine, Operation, OperationInput, OperationOutput, ToEngine } from "./protocol";

/** Milliseconds that an engine process may take to end a cancelled request before it is killed. */
const cancelLimit = 1000;
/** Milliseconds that an engine process may take to end by itself when it is closed. */
const closeLimit = 1000;
/** JavaScript heap of an engine process in MiB; DuckDB's memory is outside it and has its own limit. */
const heapMebibytes = 512;
/** Each running statement of DuckDB holds one of these threads, and so does each access to a file. */
const threadPoolSize = 128;
/** Characters of stderr that are kept to explain a crash. */
const stderrTail = 16_384;

interface Pending {
  readonly operation: Operation;
  readonly context: JobContext | undefined;
  readonly resolve: (output: unknown) => void;
  readonly reject: (error: unknown) => void;
}

/** A running engine process. */
export class EngineProcess {
  /** Resolves when the process is gone, with the reason. */
  readonly ended: Promise<EngineEnd>;
  readonly #child: ChildProcess;
  readonly #settings: EngineSettings;
  readonly #pending = new Map<number, Pending>();
  #nextId = 1;
  #stderr = "";
  /** Reason that was known before the process ended. */
  #reason: string | undefined;
  #closing = false;
  #end: EngineEnd | undefined;
  #ready = Promise.withResolvers<void>();

  /** Starts a process; resolves when it takes work, rejects with the reason where it cannot. */
  static async start(settings: EngineSettings): Promise<EngineProcess> {
    const process = new EngineProcess(settings);
    await process.#ready.promise;
    return process;
  }

  private constructor(settings: EngineSettings) {
    this.#settings = settings;
    this.#child = fork(join(__dirname, "worker.js"), [], {
      serialization: "advanced",
      stdio: ["ignore", "ignore", "pipe", "ipc"],
      env: { TZ: "UTC", LANG: "C.UTF-8", UV_THREADPOOL_SIZE: String(threadPoolSize) },
      execArgv: [`--max-old-space-size=${heapMebibytes}`],
    });
    const { promise, resolve } = Promise.withResolvers<EngineEnd>();
    this.ended = promise;
    this.#child.stderr?.setEncoding("utf8").on("data", (text: string) => {
      this.#stderr = (this.#stderr + text).slice(-stderrTail);
    });
    this.#child.on("message", (message) => this.#receive(message));
    // More than one may come: a process that could not be started cannot be written to either.
    this.#child.on("error", (error) => {
      this.#reason ??= `the engine process could not be reached: ${error.message}`;
      this.#child.kill("SIGKILL");
      if (this.#child.pid === undefined) this.#settle(null, null, resolve);
    });
    this.#child.once("close", (code, signal) => this.#settle(code, signal, resolve));
    this.#send({ type: "start", settings });
  }

  /**
   * Asks the process for an operation.
   * @throws what the operation throws; the context's abort reason when it was cancelled; EngineError with the
   * reason when the process ends.
   */
  async request<Name extends Operation>(
    operation: Name,
    input: OperationInput<Name>,
    context?: JobContext,
  ): Promise<OperationOutput<Name>> {
    context?.signal.throwIfAborted();
    if (this.#end) throw new EngineError(this.#end.reason);
    const id = this.#nextId++;
    const { promise, resolve, reject } = Promise.withResolvers<unknown>();
    this.#pending.set(id, { operation, context, resolve, reject });
    const cancel = () => this.#cancel(id);
    context?.signal.addEventListener("abort", cancel);
    this.#send({ type: "request", id, operation, input } as ToEngine);
    try {
      return operationOutputs[operation].parse(await promise) as OperationOutput<Name>;
    } catch (error) {
      context?.signal.throwIfAborted();
      throw error;
    } finally {
      this.#pending.delete(id);
      context?.signal.removeEventListener("abort", cancel);
    }
  }

  /** Ends the process and everything it runs. */
  async close(): Promise<void> {
    this.#closing = true;
    this.#send({ type: "close" });
    const timer = new AbortController();
    const late = delay(closeLimit, undefined, { signal: timer.signal }).then(
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
      this.#reason ??= `the engine was killed because a cancelled query did not end within ${cancelLimit} ms`;
      this.#child.kill("SIGKILL");
    }, cancelLimit).unref();
  }

  #send(message: ToEngine): void {
    // A message to a process that is gone is answered by its end, which rejects everything that waits.
    if (this.#child.connected) this.#child.send(message, () => undefined);
  }

  #receive(raw: unknown): void {
    const message = fromEngine.safeParse(raw);
    if (message.success) return this.#handle(message.data);
    this.#reason ??= `the engine process sent a message that is not understood: ${message.error.message}`;
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
        // Of an engine that is being closed, everything that runs ends with that reason.
        return this.#closing ? undefined : pending?.reject(decodeFailure(message.failure));
    }
  }

  #settle(code: number | null, signal: NodeJS.Signals | null, resolve: (end: EngineEnd) => void): void {
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
