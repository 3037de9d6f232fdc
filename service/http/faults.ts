/** Fault injection, for tests of the service's callers (`docs/service.md`, "Test controls"). */
import * as z from "zod";
import { apiError, errorCodes, operationNames, type ApiError, type OperationName } from "../../contract";

/** Schema of a fault rule: which operation fails, how often and how. */
export const faultRule = z
  .strictObject({
    /** Operation, such as `getQuery`; `*` matches every operation. */
    operation: z.enum(["*", ...operationNames]),
    /** Share of the requests that the rule applies to, 0 to 1. */
    probability: z.number().min(0).max(1),
    /** Error code of the response; the operation is not run. */
    code: z.enum(errorCodes).optional(),
    /** Delay of the response in milliseconds. */
    latencyMs: z.int().min(0).max(3_600_000).optional(),
    /** Drops the connection `before` the operation runs (same as `true`) or `after` it, without a response. */
    dropConnection: z.union([z.boolean(), z.enum(["before", "after"])]).optional(),
  })
  .refine(
    ({ code, latencyMs, dropConnection }) => code !== undefined || latencyMs !== undefined || Boolean(dropConnection),
    "it must have a code, latencyMs or dropConnection",
  );
export type FaultRule = z.infer<typeof faultRule>;

/** The fault to apply to one request. */
export interface Fault {
  readonly latencyMs: number;
  readonly error: ApiError | undefined;
  readonly drop: "before" | "after" | undefined;
}

export class Faults {
  #rules: readonly FaultRule[];

  /** @param random returns a number from 0 to below 1, like Math.random. */
  constructor(
    private readonly configured: readonly FaultRule[],
    private readonly random: () => number = Math.random,
  ) {
    this.#rules = configured;
  }

  get rules(): readonly FaultRule[] {
    return this.#rules;
  }

  /** Replaces all rules. */
  set(rules: readonly FaultRule[]): void {
    this.#rules = rules;
  }

  /** Restores the rules of the config. */
  reset(): void {
    this.#rules = this.configured;
  }

  /**
   * Selects the fault of a request. Each rule is drawn independently; the last code and drop and the longest delay win.
   */
  pick(operation: OperationName): Fault | undefined {
    const hits = this.#rules.filter(
      (rule) => (rule.operation === "*" || rule.operation === operation) && this.random() < rule.probability,
    );
    if (hits.length === 0) return undefined;
    const code = hits.findLast((rule) => rule.code !== undefined)?.code;
    const drop = hits.findLast((rule) => rule.dropConnection)?.dropConnection;
    return {
      latencyMs: Math.max(...hits.map((rule) => rule.latencyMs ?? 0)),
      error: code && apiError(code, `${code} was injected by a fault rule for ${operation}`),
      drop: drop === true ? "before" : drop || undefined,
    };
  }
}
