/**
 * Parses and translates statements in a separate thread with limited time and memory, so that an extremely large
 * statement neither blocks other queries and their cancellation nor crashes the process.
 */
import { join } from "node:path";
import { Worker } from "node:worker_threads";
import { HiveQLError, unsupported } from "../../../../hiveql/syntax";
import { EngineError } from "../engine-errors";
import type { NamedTable, ResultQuery, TranslationTable } from "../translation";
import type { TranslatorAnswer, TranslatorRequest } from "./translator-thread";

/** Milliseconds that one statement may take. */
const timeLimit = 15_000;
/** Limit of the thread's JavaScript heap in MiB. */
const heapMebibytes = 384;
/** Maximum characters of the translated SQL. */
const longestSql = 2_000_000;

/** Sends requests to one thread, one at a time. */
export class Translator {
  /** Started early, because loading the grammar takes time. */
  #thread: Worker | undefined = this.#start();
  #last: Promise<unknown> = Promise.resolve();

  /** Returns the tables that a statement reads. @throws HiveQLError */
  async tablesRead(statement: string): Promise<readonly NamedTable[]> {
    const answer = await this.#request({ operation: "tablesRead", statement });
    if ("tables" in answer) return answer.tables;
    throw toError(answer);
  }

  /** Translates a statement. @throws HiveQLError, or the signal's reason when it is aborted */
  async translate(
    statement: string,
    tables: readonly TranslationTable[],
    signal: AbortSignal = neverAborted,
  ): Promise<ResultQuery> {
    const answer = await this.#request({ operation: "translate", statement, tables }, signal);
    if (!("translation" in answer)) throw toError(answer);
    if (answer.translation.sql.length > longestSql) throw tooLargeError();
    return answer.translation;
  }

  async #request(request: TranslatorRequest, signal: AbortSignal = neverAborted): Promise<TranslatorAnswer> {
    const answer = this.#last.then(() => this.#requestNow(request, signal));
    this.#last = answer.catch(() => undefined);
    const aborted = Promise.withResolvers<never>();
    const abort = () => aborted.reject(signal.reason);
    signal.addEventListener("abort", abort);
    try {
      return await Promise.race([answer, aborted.promise]);
    } finally {
      signal.removeEventListener("abort", abort);
    }
  }

  async #requestNow(request: TranslatorRequest, signal: AbortSignal): Promise<TranslatorAnswer> {
    signal.throwIfAborted();
    const thread = (this.#thread ??= this.#start());
    const { promise, resolve, reject } = Promise.withResolvers<TranslatorAnswer>();
    const timer = setTimeout(() => reject(tooLargeError()), timeLimit);
    const abort = () => reject(signal.reason);
    signal.addEventListener("abort", abort);
    thread.once("message", resolve);
    thread.once("error", (error: NodeJS.ErrnoException) => {
      reject(error.code === "ERR_WORKER_OUT_OF_MEMORY" ? tooLargeError() : error);
    });
    // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a worker thread has no target origin
    thread.postMessage(request);
    try {
      return await promise;
    } catch (error) {
      this.#thread = undefined;
      await thread.terminate();
      throw error;
    } finally {
      clearTimeout(timer);
      signal.removeEventListener("abort", abort);
      thread.removeAllListeners("message").removeAllListeners("error");
      thread.on("error", () => (this.#thread = undefined));
    }
  }

  #start(): Worker {
    return new Worker(join(__dirname, "translator-thread.js"), {
      env: { TZ: "UTC" },
      execArgv: [],
      resourceLimits: { maxOldGenerationSizeMb: heapMebibytes },
    });
  }
}

const neverAborted = new AbortController().signal;

const tooLargeError = () =>
  unsupported({ line: 1, column: 1 }, "statement", "is larger than the embedded engine can translate");

function toError(answer: TranslatorAnswer): Error {
  if ("failure" in answer) return new EngineError(`the statement could not be translated: ${answer.failure}`);
  if ("tooDeep" in answer) return tooLargeError();
  if (!("refusal" in answer)) return new EngineError("the translator returned an unexpected response");
  const { position, problem, construct, reason } = answer.refusal;
  return new HiveQLError(position, problem, construct, reason);
}
