/** Finds requests that the service refuses for their size, before anything is submitted, or deleted for them. */
import { limits, operations } from "../../../../contract";
import { bodySizeProblem } from "../../../client/request";
import { isPattern } from "../../freshness/input-objects";
import type { CheckFailure } from "../../lifecycle";
import { hasUnknown } from "../../schema/check";
import { submittedLabel } from "../submission-token";

/** What a request contains besides the inputs, and whether a message may quote them. */
interface Options {
  readonly submissionToken?: boolean | undefined;
  readonly secret: boolean;
}

interface SplitObjects {
  readonly inputObjectKeys: readonly string[];
}

const fieldNames = Object.keys({ ...operations.submitSelect.body.shape, ...operations.submitSplit.body.shape });

/** Returns the problem of the inputs of a query or a table whose request is too large; unknown inputs count as empty. */
export function requestSizeProblems(news: object, options: Options): CheckFailure[] {
  const problem = bodySizeProblem(requestOf(news, options));
  return problem ? [{ property: problem.field, reason: `${problem.reason}; ${problem.remedy}` }] : [];
}

/**
 * Returns the problem of a table that has too many input objects, or too long names of them, when patterns are expanded.
 * @param given the inputs with their patterns
 * @param expanded the same with the objects that match
 */
export function expandedSizeProblem(
  given: SplitObjects,
  expanded: SplitObjects,
  options: Options,
): CheckFailure | undefined {
  const patterns = given.inputObjectKeys.filter(isPattern);
  if (patterns.length === 0) return requestSizeProblems(expanded, options)[0];
  const which = patterns.length > 1 || options.secret ? "its patterns" : `"${patterns[0]}"`;
  const remedy = `let ${which} match fewer objects, put them into fewer larger ones, or split them into several tables`;
  const property = "inputObjectKeys";
  const { length } = expanded.inputObjectKeys;
  if (length > limits.inputObjectKeys) {
    const [count, most] = [length, limits.inputObjectKeys].map((number) => number.toLocaleString("en"));
    const reason = `inputObjectKeys has ${count} objects with those that match, and the service accepts at most ${most}`;
    return { property, reason: `${reason}; ${remedy}` };
  }
  const problem = bodySizeProblem(requestOf(expanded, options));
  if (problem === undefined) return undefined;
  const fitting = problem.field === property ? remedy : problem.remedy;
  return { property: problem.field, reason: `${problem.reason}; ${fitting}` };
}

/** Returns the fields of the request. Every token makes the label as much longer. */
function requestOf(news: object, { submissionToken }: Options): Readonly<Record<string, unknown>> {
  const given = news as Readonly<Record<string, unknown>>;
  const request = Object.fromEntries(fieldNames.map((name) => [name, given[name]]));
  const { label } = request;
  if (!submissionToken || hasUnknown(label)) return request;
  return { ...request, label: submittedLabel(label as string | undefined, { urn: "", inputs: {} }) };
}
