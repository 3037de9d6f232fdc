/**
 * Parses and translates statements in a thread of its own, so that a monstrous one holds up neither the cancelling of
 * other queries nor takes the process with it: its time and its memory are limited.
 */
import { join } from "node:path";
import { Worker } from "node:worker_threads";
import { HiveQLError, unsupported } from "../../../../hiveql/syntax";
import { EngineError } from "../errors";
import type { NamedTable, Translation, TranslationTable } from "../translation";
import type { TranslatorAnswer, TranslatorRequest } from "./translator-thread";

/** Milliseconds that one statement may take. */
const timeLimit = 15_000;
/** JavaScript heap of the thread in MiB. */
const heapMebibytes = 384;
/** Characters of the longest SQL that is handed to DuckDB. */
const longestSql = 2_000_000;

/** Asks one thread, one request at a time. */
export class Translator {
  /** Started ahead, since loading the grammar takes a while. */
  #thread: Worker | undefined = this.#start();
  #last: Promise<unknown> = Promise.resolve();

  /** The tables that a statement reads. Throws HiveQLError. */
  async tablesRead(statement: string): Promise<readonly NamedTable[]> {
    const answer = await this.#ask({ operation: "tablesRead", statement });
    if ("tables" in answer) return answer.tables;
    throw asError(answer);
  }

  /** Translates a statement. Throws HiveQLError, or the signal's reason. */
  async translate(
    statement: string,
    tables: readonly TranslationTable[],
    signal: AbortSignal = never,
  ): Promise<Translation> {
    const answer = await this.#ask({ operation: "translate", statement, tables }, signal);
    if (!("translation" in answer)) throw asError(answer);
    if (answer.translation.sql.length > longestSql) throw tooLarge();
    return answer.translation;
  }

  async #ask(request: TranslatorRequest, signal: AbortSignal = never): Promise<TranslatorAnswer> {
    const answer = this.#last.then(() => this.#askNow(request, signal));
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

  async #askNow(request: TranslatorRequest, signal: AbortSignal): Promise<TranslatorAnswer> {
    signal.throwIfAborted();
    const thread = (this.#thread ??= this.#start());
    const { promise, resolve, reject } = Promise.withResolvers<TranslatorAnswer>();
    const timer = setTimeout(() => reject(tooLarge()), timeLimit);
    const abort = () => reject(signal.reason);
    signal.addEventListener("abort", abort);
    thread.once("message", resolve);
    thread.once("error", (error: NodeJS.ErrnoException) => {
      reject(error.code === "ERR_WORKER_OUT_OF_MEMORY" ? tooLarge() : error);
    });
    // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread is no window
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

const never = new AbortController().signal;

const tooLarge = () =>
  unsupported({ line: 1, column: 1 }, "statement", "is larger than the embedded engine can translate");

function asError(answer: TranslatorAnswer): Error {
  if ("failure" in answer) return new EngineError(`the statement could not be translated: ${answer.failure}`);
  if (!("refusal" in answer)) return new EngineError("the translator gave another answer than it was asked for");
  const { position, problem, construct, reason } = answer.refusal;
  return new HiveQLError(position, problem, construct, reason);
}
