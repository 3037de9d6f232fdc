/** Requests about a query that the service has accepted. */
import { setTimeout as sleep } from "node:timers/promises";
import type * as z from "zod";
import { operations, type QueryStatus } from "../../contract";
import { absenceOf, call, lostAnswerOf, RefusedError, retryPauseOf, send, type Access } from "./access";
import { CommandError } from "./command-error";

export interface AcceptedQueryOptions {
  readonly access: Access;
  readonly queryId: number;
  /** The folder of its result. */
  readonly output: string;
  /** Ends the waiting for a service that is away. */
  readonly signal: AbortSignal;
  /** Milliseconds without an answer after which a request fails. @default 60_000 */
  readonly patience?: number | undefined;
  /** Called before each pause after which a request is sent again, and with false after the last one. */
  onAbsence(isAbsent: boolean): void;
}

const defaultPatience = 60_000;

/** Milliseconds for which a cancel is sent again. */
const cancelPatience = 5_000;

/** Milliseconds of the first pause and of the longest one. */
const pauses = { first: 250, longest: 5000 } as const;

/**
 * A query that was accepted. A service that restarts goes on with it, so what is asked of it waits for a service that is
 * away, or cannot answer now (5xx, 429). Every other error says what becomes of the query.
 */
export class AcceptedQuery {
  #status: QueryStatus = "running";

  constructor(private readonly options: AcceptedQueryOptions) {}

  get id(): number {
    return this.options.queryId;
  }

  /** Says how it ended. */
  ended(status: QueryStatus): void {
    this.#status = status;
  }

  /**
   * GETs JSON.
   * @param patience milliseconds, instead of those of the options
   * @throws CommandError when it is refused, or when no service answered for as long as the options say
   */
  get<Schema extends z.ZodType>(schema: Schema, target: string, patience?: number): Promise<z.output<Schema>> {
    return this.#answered(() => call(this.options.access, schema, "GET", target), patience);
  }

  /** GETs an object. @throws CommandError as {@link get} */
  open(target: string): Promise<Response> {
    return this.#answered(() => send(this.options.access, "GET", target));
  }

  /**
   * Cancels it. A DELETE without an answer is sent again, unless the record says that the query is canceled.
   * @throws CommandError when the service does not, also because the query had ended before
   */
  async cancel(): Promise<void> {
    let lost: string | undefined;
    let hasEnded = false;
    const request = async () => {
      try {
        const access = { ...this.options.access, signal: AbortSignal.timeout(cancelPatience) };
        await send(access, "DELETE", `/v1/${this.id}?query`);
      } catch (error) {
        lost = lostAnswerOf(error) ?? lost;
        const status = await this.#readStatus();
        if (status === "canceled") return;
        // After a lost answer, InvalidQueryState can mean that an earlier DELETE has cancelled the query.
        const isRefused = lost === undefined && error instanceof RefusedError && error.code === "InvalidQueryState";
        hasEnded = isRefused || (status !== undefined && status !== "running");
        throw error;
      }
    };
    const patience = Math.min(this.options.patience ?? defaultPatience, cancelPatience);
    try {
      await this.#repeated(request, AbortSignal.timeout(patience), patience);
    } catch (error) {
      if (!(error instanceof CommandError)) throw error;
      if (!hasEnded && lost !== undefined) throw this.#mayBeCancelled(lost, error);
      if (!hasEnded && absenceOf(error) !== undefined) throw this.#failed(error);
      const state = hasEnded ? "was not cancelled" : "could not be cancelled and may still run";
      const remedy = hasEnded ? "" : `; cancel it there, or with DELETE /v1/${this.id}?query`;
      throw new CommandError(
        `query ${this.id} ${state}: the folder of its rows is ${this.options.output}, and ${this.#follow()}${remedy} (${error.message})`,
        1,
        { cause: error },
      );
    }
  }

  /** Returns the status in its record; undefined when that cannot be read. */
  async #readStatus(): Promise<QueryStatus | undefined> {
    try {
      const { response } = operations.getQuery;
      const access = { ...this.options.access, signal: AbortSignal.timeout(cancelPatience) };
      return (await call(access, response, "GET", `/v1/${this.id}?query`)).status;
    } catch (error) {
      if (error instanceof CommandError) return undefined;
      throw error;
    }
  }

  #mayBeCancelled(reason: string, cause: CommandError): CommandError {
    const { access, output } = this.options;
    return new CommandError(
      `query ${this.id} may be cancelled, or may still run: the folder of its rows is ${output}, and ${this.#follow()}; cancel it there if it runs (no answer to the cancel from ${access.endpoint}: ${reason})`,
      1,
      { cause },
    );
  }

  /** Returns the error of a request without an answer: what becomes of the query, and how to follow it. */
  unanswered(reason: string, cause: unknown): CommandError {
    const why = `no answer from ${this.options.access.endpoint}: ${reason}`;
    return new CommandError(`${this.#state("goes on when the service runs again")} (${why})`, 1, { cause });
  }

  /** Returns the error of a request that failed: as {@link unanswered}, or with the answer. */
  #failed(error: unknown): unknown {
    if (!(error instanceof CommandError)) return error;
    const reason = absenceOf(error);
    if (reason !== undefined) return this.unanswered(reason, error);
    return new CommandError(`${this.#state("may go on")} (${error.message})`, 1, { cause: error });
  }

  #follow(): string {
    return `${this.options.access.endpoint}/console/queries/${this.id} and GET /v1/${this.id}?query show it`;
  }

  /** Says what became of the query, and how to follow it. @param running what a query does that has not ended */
  #state(running: string): string {
    return `${this.#outcome(running)} ${this.#follow()}`;
  }

  #outcome(running: string): string {
    const { queryId, output } = this.options;
    if (this.#status === "running") {
      return `query ${queryId} was accepted and ${running}: its rows will be in ${output}, and`;
    }
    return this.#status === "finished"
      ? `query ${queryId} finished, but its rows could not be read: their folder is ${output}, and`
      : `query ${queryId} ended as ${this.#status}, but its log could not be read:`;
  }

  async #answered<Answer>(request: () => Promise<Answer>, patience?: number): Promise<Answer> {
    try {
      return await this.#repeated(request, this.options.signal, patience);
    } catch (error) {
      throw this.#failed(error);
    }
  }

  /** Sends a request again until it is answered, the patience is over, or the signal aborts. */
  async #repeated<Answer>(
    request: () => Promise<Answer>,
    signal: AbortSignal,
    patience = this.options.patience ?? defaultPatience,
  ): Promise<Answer> {
    const { onAbsence } = this.options;
    let absentSince: number | undefined;
    try {
      for (let pause: number = pauses.first; ; pause = Math.min(pause * 1.5, pauses.longest)) {
        let asked: number | undefined;
        try {
          return await request();
        } catch (error) {
          asked = retryPauseOf(error);
          absentSince ??= performance.now();
          const isOver = signal.aborted || performance.now() - absentSince >= patience;
          if (asked === undefined || isOver) throw error;
        }
        onAbsence(true);
        await sleep(Math.max(pause, asked), undefined, { signal }).catch(() => undefined);
      }
    } finally {
      if (absentSince !== undefined) onAbsence(false);
    }
  }
}
