/** Answers a request that a caller repeats with the same `Idempotency-Key` as it answered the first one. */
import { createHash } from "node:crypto";
import { errors, idempotencyKeyHeader, isIdempotencyKey, type OperationName } from "../../contract";
import type { Clock } from "../core/ports/platform";

/** Milliseconds for which the answer of a request is kept after it was made. */
const keptMilliseconds = 10 * 60_000;

/** Number of keys that are kept; the oldest one is forgotten first. */
const maxKeys = 10_000;

/** A request with a key. */
export interface KeyedRequest {
  readonly accessKeyId: string;
  readonly operation: OperationName;
  readonly key: string;
  readonly target: string;
  readonly body: Uint8Array;
}

interface FirstRequest {
  /** Identifies its target and body. */
  readonly content: string;
  readonly answer: Promise<unknown>;
  /** When the answer was made; undefined before. */
  answeredAt?: number;
}

/** The answers of requests with a key, in the memory of this process. */
export class IdempotencyKeys {
  /** In the order in which the requests came. */
  readonly #requests = new Map<string, FirstRequest>();

  constructor(private readonly clock: Pick<Clock, "now">) {}

  /**
   * Returns the answer of the first request with this key, operation and access key, and waits for it if necessary; runs
   * the request when there is none. A request that fails is forgotten, so the next one with its key runs.
   * @throws InvalidParameter when the first request had another target or body; what `run` throws
   */
  async answer<Value>(request: KeyedRequest, run: () => Promise<Value>): Promise<Value> {
    const name = JSON.stringify([request.accessKeyId, request.operation, request.key]);
    const content = createHash("sha256").update(`${request.target}\n`).update(request.body).digest("base64");
    for (;;) {
      this.#forgetOld();
      const first = this.#requests.get(name);
      if (first === undefined) return this.#run(name, content, run);
      if (first.content !== content) {
        throw new errors.InvalidParameter(
          `the header ${idempotencyKeyHeader} "${request.key}" was sent with another request: use a new key for each request, and the same one only to repeat it unchanged`,
          { field: idempotencyKeyHeader },
        );
      }
      const answered = await first.answer.then(
        (value) => ({ value: value as Value }),
        () => undefined,
      );
      if (answered) return answered.value;
    }
  }

  /** Forgets all keys. */
  clear(): void {
    this.#requests.clear();
  }

  async #run<Value>(name: string, content: string, run: () => Promise<Value>): Promise<Value> {
    const answer = run();
    const first: FirstRequest = { content, answer };
    this.#requests.set(name, first);
    try {
      return await answer;
    } catch (error) {
      if (this.#requests.get(name) === first) this.#requests.delete(name);
      throw error;
    } finally {
      first.answeredAt = this.clock.now();
    }
  }

  /** Forgets what was answered too long ago, and makes room for one more. */
  #forgetOld(): void {
    const before = this.clock.now() - keptMilliseconds;
    for (const [name, { answeredAt = Infinity }] of this.#requests) {
      if (answeredAt <= before || this.#requests.size >= maxKeys) this.#requests.delete(name);
      else if (answeredAt < Infinity) return;
    }
  }
}

/**
 * Returns the value of the header of a request; undefined when it has none.
 * @throws InvalidParameter for a value that is none
 */
export function idempotencyKeyOf(headers: NodeJS.Dict<string | string[]>): string | undefined {
  const value = headers[idempotencyKeyHeader.toLowerCase()];
  if (value === undefined) return undefined;
  if (typeof value === "string" && isIdempotencyKey(value)) return value;
  throw new errors.InvalidParameter(
    `the header ${idempotencyKeyHeader} "${String(value)}" is not valid: it must have 1 to 128 printable characters of ASCII`,
    { field: idempotencyKeyHeader },
  );
}
