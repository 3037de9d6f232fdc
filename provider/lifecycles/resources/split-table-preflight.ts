/** What is found out before a SplitTable is made, in its preview too: whether its table exists, and what its inputs are. */
import { parseColumns, parseLocation } from "../../../contract";
import { headerWarning, type Storage } from "../../../storage";
import { describeError } from "../describe-error";
import { takeFingerprint } from "../freshness/follow-inputs";
import { expandPatterns, isPattern, NoMatchError } from "../freshness/input-objects";
import type { Preflight, PreflightContext } from "../lifecycle";
import { isKnownEmpty } from "../queries/results";
import { hasUnknown } from "../schema/check";
import { schemaProblem } from "../schema/table-columns";
import { createdFirstText, existingTable, mayChange } from "./split-table-existing";
import { split } from "./split-table-kind";
import { folderOf } from "./split-table-names";
import type { SplitTableInputs } from "./split-table-properties";
import { splitRequest, withExpandedPatterns } from "./split-table-request";

/** Refuses a table that "pulumi up" would refuse, as far as that is certain, and warns of what it does otherwise. */
export async function preflightSplitTable(
  news: SplitTableInputs,
  context: PreflightContext,
  isReplacement = false,
): Promise<Preflight> {
  const problem = isReplacement ? await createdFirstProblem(news, context) : await existingProblem(news, context);
  if (problem !== undefined) return { failures: [{ property: "outputTable", reason: problem }] };
  const { storage, warn, secret } = context;
  const { inputObjectKeys } = news;
  if (!storage || hasUnknown(inputObjectKeys)) return {};
  try {
    const names = inputObjectKeys.some(isPattern) ? await expandPatterns(storage, inputObjectKeys) : inputObjectKeys;
    const warning = await warningOfHeader({ ...news, inputObjectKeys: names }, storage);
    if (warning !== undefined)
      warn(secret ? "the first row of an input has the names of the columns in schema, and counts as data" : warning);
    return {};
  } catch (error) {
    const reason = secret ? "a pattern matches no object" : describeError(error);
    if (error instanceof NoMatchError) return { failures: [{ property: "inputObjectKeys", reason }] };
    warn(`cannot list the input objects${secret ? "" : `: ${reason}`}`);
    return {};
  }
}

/** Returns why a replacement that is created first cannot be made in the folder of the table that it replaces. */
async function createdFirstProblem(
  news: SplitTableInputs,
  { createsFirst, ownFolder, storage, secret }: PreflightContext,
): Promise<string | undefined> {
  if (!createsFirst || hasUnknown([news.outputDatabase, news.outputTable])) return undefined;
  const folder = folderOf(news);
  if (ownFolder !== folder || (await isKnownEmpty(storage, folder))) return undefined;
  return createdFirstText(news, { secret });
}

/** Returns why a table that exists already cannot be made; undefined if it can, or when nobody can tell, after a warning. */
async function existingProblem(news: SplitTableInputs, context: PreflightContext): Promise<string | undefined> {
  const { outputDatabase: database, outputTable: table } = news;
  const { serviceTables, storage, warn, secret, client, urn, submissionToken = false } = context;
  if (secret || table === undefined || hasUnknown([database, table])) return undefined;
  const found = await serviceTables?.table({ database, table });
  // A table that is only declared, or whose objects were deleted, can be made.
  if (!found || found.source === "declared" || (await isKnownEmpty(storage, folderOf(news)))) return undefined;
  const warnOfBoth = () =>
    warn(
      `the table ${database}.${table} exists already: it is adopted if a split of identical inputs made it, and otherwise ` +
        `"pulumi up" fails: set another outputTable, or delete its objects`,
    );
  if (!client || urn === undefined || hasUnknown(news)) return void warnOfBoth();
  try {
    const expanded = await withExpandedPatterns(news, { storage });
    const followed = news.rerunOnInputChange ? await takeFingerprint(split.objectsOf(news), context) : {};
    const asked = { client, urn, submissionToken, storage, secret, programTables: context.programTables };
    const existing = await existingTable(expanded, splitRequest(expanded, followed, asked).label, asked);
    if (!("problem" in existing)) warn(`the table ${database}.${table} exists already: it ${existing.text}`);
    else if (mayChange(existing)) warnOfBoth();
    else return existing.problem;
  } catch {
    // The inputs cannot be listed, which is said of them, or the service does not answer.
    warnOfBoth();
  }
  return undefined;
}

/** Returns a warning when an input begins with the declared names, which is data in a table with a schema. */
async function warningOfHeader(
  { inputObjectKeys, inputFormat = "csv", schema }: SplitTableInputs,
  storage: Storage,
): Promise<string | undefined> {
  if (schema === undefined || hasUnknown([schema, inputFormat]) || schemaProblem(schema) !== undefined)
    return undefined;
  const locations = inputObjectKeys.map(parseLocation);
  return headerWarning(storage, { inputs: locations, format: inputFormat, columns: parseColumns(schema) });
}
