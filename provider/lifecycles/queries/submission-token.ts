/**
 * Labels of submitted queries: the user's label, then `#` and a token. The token identifies the resource and the
 * submission, so that its query is found after the response was lost or the process was killed.
 */
import { createHash } from "node:crypto";
import { limits } from "../../../contract";
import { settingName } from "../configuration";

/** Length of a token, in characters. */
export const tokenLength = 12;

/** Length of the part of a token that every query of a resource has. */
const resourceLength = 5;

/** Maximum length of the user's label when a token is added. */
export const maxLabelLength = limits.label - tokenLength - 1;

/** The values that identify a submission. */
export interface SubmissionIdentity {
  /** URN of the resource, which contains the names of the stack and the project. */
  readonly urn: string;
  /** The inputs that determine the query. */
  readonly inputs: object;
}

/** Returns the label to submit, such as `nightly#3f5a0c9be812`. */
export function submittedLabel(label: string | undefined, submission: SubmissionIdentity): string {
  return `${label ?? ""}#${submissionToken(submission)}`;
}

/** Returns the user's part of a submitted label; undefined if it is empty. */
export function userLabel(submitted: string | null | undefined): string | undefined {
  const own = (submitted ?? "").replace(new RegExp(`#[0-9a-f]{${tokenLength}}$`), "");
  return own === "" ? undefined : own;
}

/** Returns true when a query with this label was submitted for a resource, with whatever inputs. */
export function isOfResource(submitted: string | null | undefined, urn: string): boolean {
  return tokenOf(submitted)?.startsWith(resourcePart(urn)) === true;
}

/** Returns true when a query with this label was submitted for another resource. */
export function isOfAnotherResource(submitted: string | null | undefined, urn: string): boolean {
  return tokenOf(submitted)?.startsWith(resourcePart(urn)) === false;
}

function tokenOf(submitted: string | null | undefined): string | undefined {
  return new RegExp(`#([0-9a-f]{${tokenLength}})$`).exec(submitted ?? "")?.[1];
}

/** Returns the error message for a label that is too long; undefined for another one. @param hasToken true when a token is added. */
export function labelProblem(label: string, hasToken: boolean): string | undefined {
  const longest = hasToken ? maxLabelLength : limits.label;
  if (label.length <= longest) return undefined;
  const isShortEnoughAlone = label.length <= limits.label;
  const remedy = isShortEnoughAlone ? ` (set ${settingName("submissionToken")} to false to turn that off)` : "";
  const why = hasToken ? `, because "#" and a token of ${tokenLength} characters are added${remedy}` : "";
  return `label is ${label.length} characters long: it must be at most ${longest}${why}`;
}

function submissionToken({ urn, inputs }: SubmissionIdentity): string {
  return (resourcePart(urn) + hashOf(canonical([urn, inputs]))).slice(0, tokenLength);
}

function resourcePart(urn: string): string {
  return hashOf(urn).slice(0, resourceLength);
}

function hashOf(text: string): string {
  return createHash("sha256").update(text).digest("hex");
}

/** Returns JSON with sorted keys, so that the order of the fields does not matter. */
function canonical(value: unknown): string {
  return JSON.stringify(value, (_key, inner: unknown) =>
    typeof inner === "object" && inner !== null && !Array.isArray(inner)
      ? Object.fromEntries(Object.entries(inner).toSorted(([a], [b]) => (a < b ? -1 : 1)))
      : inner,
  );
}
