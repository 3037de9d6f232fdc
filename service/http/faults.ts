/** Failures on demand, for tests of what calls the service (`docs/service.md`, "Faults"). */
import * as z from "zod";
import { apiError, errorCodes, operationNames, type ApiError, type OperationName } from "../../contract";

/** One rule: how often an operation fails, and how. */
export const faultRule = z
  .strictObject({
    /** Operation, such as `getQuery`; `*` is every one. */
    operation: z.enum(["*", ...operationNames]),
    /** Share of the requests that it happens to, 0 to 1. */
    probability: z.number().min(0).max(1),
    /** Error code that is answered; the work is not done. */
    code: z.enum(errorCodes).optional(),
    /** Milliseconds by which the answer is late. */
    latencyMs: z.int().min(0).max(3_600_000).optional(),
    /** Connection is dropped instead of the answer, `before` the work is done (also `true`) or `after` it. */
    dropConnection: z.union([z.boolean(), z.enum(["before", "after"])]).optional(),
  })
  .refine(
    ({ code, latencyMs, dropConnection }) => code !== undefined || latencyMs !== undefined || Boolean(dropConnection),
    "it must have a code, latencyMs or dropConnection",
  );
export type FaultRule = z.infer<typeof faultRule>;

/** What is to happen to one request. */
export interface Fault {
  readonly latencyMs: number;
  readonly error: ApiError | undefined;
  readonly drop: "before" | "after" | undefined;
}

export class Faults {
  #rules: readonly FaultRule[];

  /** @param random a number from 0 to below 1, as Math.random gives. */
  constructor(
    private readonly configured: readonly FaultRule[],
    private readonly random: () => number = Math.random,
  ) {
    this.#rules = configured;
  }

  get rules(): readonly FaultRule[] {
    return this.#rules;
  }

  /** Puts these rules in place of all there are. */
  set(rules: readonly FaultRule[]): void {
    this.#rules = rules;
  }

  /** Back to the rules of the config. */
  reset(): void {
    this.#rules = this.configured;
  }

  /** What happens to a request of the operation; every rule is thrown for, later ones win. */
  pick(operation: OperationName): Fault | undefined {
    const hits = this.#rules.filter(
      (rule) => (rule.operation === "*" || rule.operation === operation) && this.random() < rule.probability,
    );
    if (hits.length === 0) return undefined;
    const code = hits.findLast((rule) => rule.code !== undefined)?.code;
    const drop = hits.findLast((rule) => rule.dropConnection)?.dropConnection;
    return {
      latencyMs: Math.max(...hits.map((rule) => rule.latencyMs ?? 0)),
      error: code && apiError(code, `${code} by a fault rule for ${operation}`),
      drop: drop === true ? "before" : drop || undefined,
    };
  }
}
