/**
 * The label under which a query is submitted: the user's own, then `#` and a token by which the same submission is
 * found again after its answer was lost or the process was killed.
 */
import { createHash } from "node:crypto";
import { limits } from "../../../contract";

/** Characters of a token. */
export const tokenLength = 12;

/** Longest label of the user's own where a token is added. */
export const longestLabel = limits.label - tokenLength - 1;

/** What makes a submission the same. */
export interface Submission {
  /** Holds the stack's and the project's name. */
  readonly urn: string;
  /** The inputs that a changed query would have changed. */
  readonly inputs: object;
}

/** The submitted label, such as `nightly#3f5a0c9be812`. */
export function submittedLabel(label: string | undefined, submission: Submission): string {
  return `${label ?? ""}#${submissionToken(submission)}`;
}

/** The user's own part of a submitted label; undefined where there is none. */
export function ownLabel(submitted: string | null | undefined): string | undefined {
  const own = (submitted ?? "").replace(new RegExp(`#[0-9a-f]{${tokenLength}}$`), "");
  return own === "" ? undefined : own;
}

/** What is said of a label that leaves no room for the token. */
export function labelProblem(label: string): string {
  return (
    `label is ${label.length} characters long: it must be at most ${longestLabel}, since "#" and a token of 12 are added ` +
    `(dag:submissionToken false turns that off)`
  );
}

function submissionToken({ urn, inputs }: Submission): string {
  return createHash("sha256")
    .update(canonical([urn, inputs]))
    .digest("hex")
    .slice(0, tokenLength);
}

/** JSON whose text does not depend on the order in which fields were set. */
function canonical(value: unknown): string {
  return JSON.stringify(value, (_key, inner: unknown) =>
    typeof inner === "object" && inner !== null && !Array.isArray(inner)
      ? Object.fromEntries(Object.entries(inner).toSorted(([a], [b]) => (a < b ? -1 : 1)))
      : inner,
  );
}
