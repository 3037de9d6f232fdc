/** Requests about a query that the service has accepted. */
import { setTimeout as sleep } from "node:timers/promises";
import type * as z from "zod";
import type { QueryStatus } from "../../contract";
import { absenceOf, call, send, type Access } from "./access";
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
  /** Called before each pause in which a service that is away is waited for, and with false after the last one. */
  onAbsence(isAbsent: boolean): void;
}

/** Milliseconds of the first pause and of the longest one. */
const pauses = { first: 250, longest: 5000 } as const;

/**
 * A query that was accepted. A service that restarts goes on with it, so what is asked of it waits for a service that is
 * away.
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

  /** GETs JSON. @throws CommandError as {@link call}, or when no service answered for as long as the options say */
  get<Schema extends z.ZodType>(schema: Schema, target: string): Promise<z.output<Schema>> {
    return this.#answered(() => call(this.options.access, schema, "GET", target));
  }

  /** GETs an object. @throws CommandError as {@link send}, or when no service answered for as long as the options say */
  open(target: string): Promise<Response> {
    return this.#answered(() => send(this.options.access, "GET", target));
  }

  /** Cancels it. A query that has ended in the meantime stays as it is. @throws CommandError when no service answers */
  async cancel(): Promise<void> {
    try {
      await send(this.options.access, "DELETE", `/v1/${this.id}?query`);
    } catch (error) {
      const reason = absenceOf(error);
      if (reason !== undefined) throw this.unanswered(reason, error);
      if (!(error instanceof CommandError)) throw error;
    }
  }

  /** Returns the error of a request without an answer: what becomes of the query, and how to follow it. */
  unanswered(reason: string, cause: unknown): CommandError {
    const { access } = this.options;
    const follow = `${access.endpoint}/console/queries/${this.id} and GET /v1/${this.id}?query show it`;
    return new CommandError(`${this.#state()} ${follow} (no answer from ${access.endpoint}: ${reason})`, 1, { cause });
  }

  #state(): string {
    const { queryId, output } = this.options;
    if (this.#status === "running") {
      return `query ${queryId} was accepted and goes on when the service runs again: its rows will be in ${output}, and`;
    }
    return this.#status === "finished"
      ? `query ${queryId} finished, but its rows could not be read: they are in ${output}, and`
      : `query ${queryId} ended as ${this.#status}, but its log could not be read:`;
  }

  async #answered<Answer>(request: () => Promise<Answer>): Promise<Answer> {
    const { signal, patience = 60_000, onAbsence } = this.options;
    let absentSince: number | undefined;
    try {
      for (let pause: number = pauses.first; ; pause = Math.min(pause * 1.5, pauses.longest)) {
        try {
          return await request();
        } catch (error) {
          const reason = absenceOf(error);
          if (reason === undefined) throw error;
          absentSince ??= performance.now();
          if (signal.aborted || performance.now() - absentSince >= patience) throw this.unanswered(reason, error);
        }
        onAbsence(true);
        await sleep(pause, undefined, { signal }).catch(() => undefined);
      }
    } finally {
      if (absentSince !== undefined) onAbsence(false);
    }
  }
}
