/** Errors as the SDK takes them: it passes on the message, and id, properties and reasons of what is not finished. */
import type { PartialCreate } from "../lifecycles";
import { explain } from "../lifecycles/explanation";
import { lifecycleName, type Hidden } from "./hidden";

/** An operation on a resource failed. */
export class OperationError extends Error {
  override readonly name = "OperationError";
  readonly #resource: string;

  constructor(cause: unknown, { urn }: Hidden) {
    super(explain(cause), { cause });
    this.#resource = `${lifecycleName(urn)} "${urn.split("::").at(-1)}"`;
    // Of check, diff, read and delete the SDK prints `<text>: <stack>` besides, under the stack.
    this.stack = this.message;
  }

  override toString(): string {
    return this.#resource;
  }
}

/** A resource was submitted and is not finished: the engine keeps its id and properties. */
export class UnfinishedError extends Error {
  override readonly name = "UnfinishedError";
  readonly id: string;
  readonly reasons: readonly string[];

  constructor(
    cause: PartialCreate,
    readonly properties: Readonly<Record<string, unknown>>,
  ) {
    super(cause.message, { cause });
    this.id = cause.id;
    this.reasons = [...cause.reasons];
  }
}
