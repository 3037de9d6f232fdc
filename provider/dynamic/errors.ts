/** Errors in the form that Pulumi's SDK for dynamic providers expects. */
import { printableText } from "../../contract";
import type { PartialCreate } from "../lifecycles";
import { describeError } from "../lifecycles/describe-error";
import { lifecycleName, type ResourceMetadata } from "./resource-metadata";

/** An operation on a resource failed. */
export class OperationError extends Error {
  override readonly name = "OperationError";
  readonly #resource: string;

  constructor(cause: unknown, { urn }: ResourceMetadata) {
    super(describeError(cause), { cause });
    this.#resource = `${lifecycleName(urn)} "${urn.split("::").at(-1)}"`;
    // For check, diff, read and delete the SDK prints `<text>: <stack>`, so the stack must contain only the message.
    this.stack = this.message;
  }

  override toString(): string {
    return this.#resource;
  }
}

/** A resource was submitted but is not finished. The engine stores its id and properties. */
export class UnfinishedError extends Error {
  override readonly name = "UnfinishedError";
  readonly id: string;
  readonly reasons: readonly string[];

  constructor(
    cause: PartialCreate,
    readonly properties: Readonly<Record<string, unknown>>,
  ) {
    super(printableText(cause.message), { cause });
    this.id = cause.id;
    this.reasons = cause.reasons.map(printableText);
  }
}
