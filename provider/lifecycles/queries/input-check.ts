/** What is found out about the input objects of a split before it runs, in a preview too. */
import { parseColumns, parseLocation } from "../../../contract";
import { headerWarning } from "../../../storage";
import { describeError } from "../describe-error";
import { NoMatchError, withExpandedPatterns } from "../freshness/input-objects";
import type { Preflight, PreflightContext } from "../lifecycle";
import { hasUnknown } from "../schema/check";
import { schemaProblem } from "../schema/table-columns";
import type { SplitInputs } from "./split-request";

type CheckedInputs = Pick<SplitInputs, "inputObjectKeys" | "inputFormat" | "schema">;

/**
 * Refuses patterns that match nothing, and warns of an input that begins with the names of the declared columns. Results
 * that the program has yet to make are left out.
 */
export async function checkInputObjects(news: CheckedInputs, context: PreflightContext): Promise<Preflight> {
  const { storage, warn, secret, programTables } = context;
  if (!storage || hasUnknown(news.inputObjectKeys)) return {};
  const isThere = (name: string) => programTables?.containing(name)?.exists !== false;
  const there = { ...news, inputObjectKeys: news.inputObjectKeys.filter(isThere) };
  try {
    await warnOfHeader(await withExpandedPatterns(there, context), context);
    return {};
  } catch (error) {
    const reason = secret ? "a pattern matches no object" : describeError(error);
    if (error instanceof NoMatchError) return { failures: [{ property: "inputObjectKeys", reason }] };
    warn(`cannot list the input objects${secret ? "" : `: ${reason}`}`);
    return {};
  }
}

/** In a table with a schema, the first row is data. */
async function warnOfHeader(
  { inputObjectKeys, inputFormat = "csv", schema }: CheckedInputs,
  { storage, warn, secret }: PreflightContext,
): Promise<void> {
  const isKnown = schema !== undefined && !hasUnknown([schema, inputFormat]) && schemaProblem(schema) === undefined;
  if (!storage || !isKnown) return;
  const inputs = inputObjectKeys.map(parseLocation);
  const warning = await headerWarning(storage, { inputs, format: inputFormat, columns: parseColumns(schema) });
  if (warning === undefined) return;
  warn(secret ? "the first row of an input has the names of the columns in schema, and counts as data" : warning);
}
