/** SplitTable: splits large input objects into a table of objects of at most 100 MB. */
import { parseColumns, parseLocation } from "../../../contract";
import { headerWarning, type Storage } from "../../../storage";
import { describeError } from "../describe-error";
import { expandPatterns, isPattern, NoMatchError } from "../freshness/input-objects";
import type { Lifecycle, PreflightContext } from "../lifecycle";
import { queryOperations } from "../queries/query-lifecycle";
import { hasUnknown } from "../schema/check";
import { schemaProblem } from "../schema/table-columns";
import { checkSplitTable, diffSplitTable } from "./split-table-check";
import { split } from "./split-table-kind";
import { namesOf } from "./split-table-names";
import { inputs, outputs, type SplitTableInputs, type SplitTableState } from "./split-table-properties";

export type { SplitTableInputs, SplitTableState } from "./split-table-properties";

/**
 * Creates a table from input objects. A changed input creates a new table. The old table is deleted only with
 * deletionPolicy `purge`.
 */
export const splitTable: Lifecycle<SplitTableInputs, SplitTableState> = {
  name: "SplitTable",
  description:
    "Splits input objects into objects of at most 100 MB and writes them as a table, which makes repeated queries on the " +
    "same large input faster. The resource is created when the table is complete.",
  properties: { inputs, outputs },

  check: checkSplitTable,

  async preflight(news, context, isReplacement) {
    const { storage, warn, secret } = context;
    if (!isReplacement) await warnOfExisting(news, context);
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
  },

  diff: diffSplitTable,

  outputsFromInputs: (given) => (given.outputTable === undefined ? {} : namesOf(given)),

  ...queryOperations(split),
};

/** Warns when the table exists already: only an identical split's is adopted. */
async function warnOfExisting(
  { outputDatabase: database, outputTable: table }: SplitTableInputs,
  { serviceTables, warn, secret }: PreflightContext,
): Promise<void> {
  if (secret || table === undefined || hasUnknown([database, table])) return;
  const found = await serviceTables?.table({ database, table });
  // A table that is only declared has no objects.
  if (!found || found.source === "declared") return;
  warn(
    `the table ${database}.${table} exists already: it is adopted if a split of identical inputs made it, and otherwise ` +
      `"pulumi up" fails: set another outputTable, or delete its objects`,
  );
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
