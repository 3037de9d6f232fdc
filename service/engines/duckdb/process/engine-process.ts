/** The parent's side of one engine process: starts it, exchanges messages with it and reports why it ended. */
import { fork, type ChildProcess } from "node:child_process";
import { rm } from "node:fs/promises";
import { join } from "node:path";
import { createInterface } from "node:readline";
import type { Readable } from "node:stream";
import { ProcessEnded, type EndCause } from "../engine-errors";
import type { EngineLog } from "./engine-log";
import { describeExit, type ProcessEnd } from "./exit";
import type { ProcessRecords } from "./process-records";
import { decodeFailure } from "./failure";
import { allFromEngine, operationOutputs } from "./protocol";
import type {
  EngineSettings,
  FromEngine,
  EngineOperation,
  EngineOperationInput,
  EngineOperationOutput,
  ToEngine,
} from "./protocol";
import { parseReport, reportDescriptor, type Report } from "./watchdog";

/** Milliseconds that a process gets to end a cancelled request before it is killed. */
const cancelGrace = 500;
/** Limit of the JavaScript heap in MiB; DuckDB's memory is outside the heap and has its own limit. */
const heapMebibytes = 512;
/** Limit of the stack in KiB: V8's default suffices for fewer nested expressions. */
const stackKibibytes = 3900;
/** Limit of a part of the heap, which at rest is mostly empty, in MiB. */
const semiSpaceMebibytes = 1;
/** Threads of libuv, for file accesses and DuckDB's statements. */
const threadPoolSize = 16;
/** Number of last characters of stderr that are kept to explain a crash. */
const stderrCharacters = 16_384;

/** Receives the progress, the log lines and the job ID of a request. */
export interface RequestListener {
  progress(percent: number, stage: number): void;
  log(line: string): void;
  jobId(id: string): void;
}

interface Pending {
  readonly listener: RequestListener | undefined;
  readonly resolve: (output: unknown) => void;
  readonly reject: (error: unknown) => void;
}

/** The environment of an engine process. */
export interface ProcessContext {
  /** An argument of the process, so that `ps` shows whose it is. */
  readonly clusterName: string;
  readonly settings: EngineSettings;
  readonly log: EngineLog;
  readonly records: ProcessRecords;
  /** Environment variables that the process has besides its own. @default none */
  readonly environment?: Readonly<Record<string, string>>;
  /** Called for each report of the process's watchdog. */
  readonly onReport: (process: EngineProcess) => void;
}

/** A running engine process. */
export class EngineProcess {
  /** Resolves with the reason when the process has ended. */
  readonly ended: Promise<ProcessEnd>;
  readonly #child: ChildProcess;
  readonly #context: ProcessContext;
  readonly #pending = new Map<number, Pending>();
  #nextId = 1;
  #stderr = "";
  /** Why the process ends, when that is known before it exits. */
  #why: ProcessEnd | undefined;
  #end: ProcessEnd | undefined;
  #baseBytes = 0;
  #keptBytes = 0;
  /** DuckDB's memory limit that was sent last. */
  #limitBytes: number | undefined;
  #report: Report = { rssBytes: 0, blockedMilliseconds: 0, processorMilliseconds: 0 };
  #reported = performance.now();
  #ready = Promise.withResolvers<void>();
  #idle = Promise.withResolvers<void>();

  /** Starts a process. Resolves when it accepts requests; rejects with {@link ProcessEnded} when it cannot start. */
  static async start(context: ProcessContext): Promise<EngineProcess> {
    const process = new EngineProcess(context);
    await process.#ready.promise;
    return process;
  }

  private constructor(context: ProcessContext) {
    this.#context = context;
    const { records, settings } = context;
    this.#child = fork(join(__dirname, "worker.js"), [context.clusterName, records.token], {
      serialization: "advanced",
      stdio: ["ignore", "ignore", "pipe", "ipc", "pipe"],
      env: {
        ...context.environment,
        TZ: "UTC",
        LANG: "C.UTF-8",
        UV_THREADPOOL_SIZE: String(threadPoolSize),
        // DuckDB has an allocator of its own; for the rest, memory areas of each thread would only cost memory.
        MALLOC_ARENA_MAX: "1",
      },
      execArgv: [
        `--max-old-space-size=${heapMebibytes}`,
        `--max-semi-space-size=${semiSpaceMebibytes}`,
        `--stack-size=${stackKibibytes}`,
      ],
    });
    if (this.#child.pid !== undefined) records.add(this.#child.pid);
    const { promise, resolve } = Promise.withResolvers<ProcessEnd>();
    this.ended = promise;
    this.#child.stderr?.setEncoding("utf8").on("data", (text: string) => {
      this.#stderr = (this.#stderr + text).slice(-stderrCharacters);
    });
    this.#readReports(this.#child.stdio[reportDescriptor] as Readable | null);
    this.#child.on("message", (message) => this.#receive(message));
    // May be emitted more than once: sending to a process that failed to start fails too.
    this.#child.on("error", (error: NodeJS.ErrnoException) => {
      this.end("crash", `the query's process could not be reached (${error.code ?? "unknown error"})`);
      if (this.#child.pid === undefined) this.#onExit(null, null, resolve);
    });
    this.#child.once("close", (code, signal) => this.#onExit(code, signal, resolve));
    this.#send({ type: "start", settings });
  }

  /** The process ID; undefined when the process could not be started. */
  get pid(): number | undefined {
    return this.#child.pid;
  }

  /** False when the process has ended, or is about to. */
  get usable(): boolean {
    return this.#why === undefined && this.#end === undefined;
  }

  /** Memory that the process uses beyond what it uses without any request, in bytes. */
  get usedBytes(): number {
    return Math.max(0, this.#report.rssBytes - this.#baseBytes);
  }

  /** The part of it that is of earlier requests, in bytes: the next one uses it again, or it is given back soon. */
  get keptBytes(): number {
    return this.#keptBytes;
  }

  /** Resolves when the process accepts the next request, or has ended. */
  get idle(): Promise<void> {
    return this.#idle.promise;
  }

  /** Milliseconds for which its main thread has not reacted. */
  get blockedMilliseconds(): number {
    return this.#report.blockedMilliseconds;
  }

  /** Milliseconds of processor time that it has used. */
  get processorMilliseconds(): number {
    return this.#report.processorMilliseconds;
  }

  /** Milliseconds since its last report. */
  get silentMilliseconds(): number {
    return performance.now() - this.#reported;
  }

  /**
   * Runs an operation in the process.
   * @throws the error of the operation; the signal's abort reason after a cancellation; {@link ProcessEnded} when the
   * process ends.
   */
  async request<Name extends EngineOperation>(
    operation: Name,
    input: EngineOperationInput<Name>,
    signal: AbortSignal,
    listener?: RequestListener,
  ): Promise<EngineOperationOutput<Name>> {
    signal.throwIfAborted();
    if (this.#end) throw new ProcessEnded(this.#end.cause, this.#end.reason);
    const id = this.#nextId++;
    const { promise, resolve, reject } = Promise.withResolvers<unknown>();
    this.#pending.set(id, { listener, resolve, reject });
    let late: NodeJS.Timeout | undefined;
    const cancel = () => {
      this.#send({ type: "cancel", id });
      late = setTimeout(
        () => this.end("time", "the query's process did not end a cancelled query in time"),
        cancelGrace,
      );
    };
    signal.addEventListener("abort", cancel);
    this.#idle = Promise.withResolvers<void>();
    // It may have been given back in the meantime.
    this.#keptBytes = Math.min(this.#keptBytes, this.usedBytes);
    this.#send({ type: "request", id, operation, input } as ToEngine);
    try {
      return operationOutputs[operation].parse(await promise) as EngineOperationOutput<Name>;
    } catch (error) {
      signal.throwIfAborted();
      throw error;
    } finally {
      clearTimeout(late);
      this.#pending.delete(id);
      signal.removeEventListener("abort", cancel);
    }
  }

  /** Sets DuckDB's memory limit. */
  limitMemory(bytes: number): void {
    if (bytes === this.#limitBytes) return;
    this.#limitBytes = bytes;
    this.#send({ type: "memory", bytes });
  }

  /** Kills the process; its request fails with the reason. */
  end(cause: EndCause, reason: string): void {
    this.#why ??= { cause, reason };
    this.#child.kill("SIGKILL");
  }

  #send(message: ToEngine): void {
    // When the process has ended, its exit handler rejects all pending requests.
    if (this.#child.connected) this.#child.send(message, () => undefined);
  }

  #readReports(pipe: Readable | null): void {
    if (!pipe) return;
    pipe.on("error", () => undefined);
    createInterface(pipe).on("line", (line) => {
      const report = parseReport(line);
      if (!report) return;
      this.#report = report;
      this.#reported = performance.now();
      this.#context.onReport(this);
    });
  }

  #receive(raw: unknown): void {
    const messages = allFromEngine.safeParse(raw);
    if (!messages.success) {
      return this.end("crash", `the query's process sent a message that is not valid: ${messages.error.message}`);
    }
    for (const message of messages.data) this.#handle(message);
  }

  #handle(message: FromEngine): void {
    switch (message.type) {
      case "ready":
        this.#baseBytes = message.rssBytes;
        this.#idle.resolve();
        return this.#ready.resolve();
      case "idle":
        this.#report = { ...this.#report, rssBytes: message.rssBytes };
        this.#keptBytes = message.keptBytes;
        return this.#idle.resolve();
      case "ending":
        return void (this.#why ??= { cause: "crash", reason: message.reason });
      case "record":
        return this.#context.log.logger[message.level]({ pid: this.pid, ...message.fields }, message.message);
    }
    const pending = this.#pending.get(message.id);
    switch (message.type) {
      case "progress":
        return pending?.listener?.progress(message.percent, message.stage);
      case "log":
        return pending?.listener?.log(message.line);
      case "jobId":
        return pending?.listener?.jobId(message.jobId);
      case "result":
        return pending?.resolve(message.output);
      case "failure":
        // When the process is being ended, the exit handler rejects the request with that reason.
        return this.#why ? undefined : pending?.reject(decodeFailure(message.failure));
    }
  }

  #onExit(code: number | null, signal: NodeJS.Signals | null, resolve: (end: ProcessEnd) => void): void {
    if (this.#end) return;
    this.#end = this.#why ?? describeExit({ code, signal, stderr: this.#stderr, heapMebibytes });
    const { records, settings } = this.#context;
    if (this.pid !== undefined) records.remove(this.pid);
    // DuckDB deletes what it has spilled only when it ends in order.
    rm(settings.tempDirectory, { recursive: true, force: true }).catch(() => undefined);
    const { cause, reason } = this.#end;
    this.#ready.reject(new ProcessEnded(cause, reason));
    for (const { reject } of this.#pending.values()) reject(new ProcessEnded(cause, reason));
    this.#idle.resolve();
    resolve(this.#end);
  }
}
