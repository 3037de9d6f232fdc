/** The rules for inputs that SplitTable and SelectQuery have in common, beyond their schemas. */
import { expectationProblems, type Expectation } from "../../freshness/expectation";
import type { CheckFailure, CheckOptions } from "../../lifecycle";
import { hasUnknown } from "../../schema/check";
import { storageRemedy } from "../../configuration";
import { purgeProblem } from "../query-resource";
import { labelProblem } from "../submission-token";

/** Returns the problems of the inputs that both resources have. */
export function commonProblems(
  news: {
    readonly deletionPolicy?: unknown;
    readonly expect?: Expectation | undefined;
    readonly rerunOnInputChange?: unknown;
    readonly label?: string | undefined;
  },
  { storage, submissionToken, secret }: Pick<CheckOptions, "storage" | "submissionToken" | "secret">,
): CheckFailure[] {
  const found: CheckFailure[] = [];
  const purgeReason = purgeProblem(news.deletionPolicy, storage);
  if (purgeReason !== undefined) found.push({ property: "deletionPolicy", reason: purgeReason });
  found.push(...expectationProblems(news.expect, { storage, secret }));
  if (!storage && news.rerunOnInputChange === true) {
    const reason = `rerunOnInputChange needs access to the object storage: ${storageRemedy()}, or remove rerunOnInputChange`;
    found.push({ property: "rerunOnInputChange", reason });
  }
  const labelReason = hasUnknown(news.label) ? undefined : labelProblem(news.label ?? "", submissionToken);
  if (labelReason !== undefined) found.push({ property: "label", reason: labelReason });
  return found;
}
