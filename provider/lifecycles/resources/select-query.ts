/** SelectQuery: runs a HiveQL statement and stores its result. */
import { describeError } from "../describe-error";
import { withFreshnessDifferences } from "../freshness/differences";
import { tableName } from "../freshness/program-tables";
import { checkTables } from "../columns/preview-check";
import type { Lifecycle, PreflightContext } from "../lifecycle";
import { queryOperations } from "../queries/query-lifecycle";
import { withStatusDifference } from "../queries/query-resource";
import { folderOf, folderText, hasObjects } from "../queries/results";
import { readStatement } from "../queries/statement";
import { redacted } from "../redaction";
import { hasUnknown } from "../schema/check";
import { diffProperties } from "../schema/diff";
import { checkSelectQuery } from "./select-query-check";
import { select } from "./select-query-kind";
import { inputs, outputs, type SelectQueryInputs, type SelectQueryState } from "./select-query-properties";

export type { SelectQueryInputs, SelectQueryState } from "./select-query-properties";

/**
 * Runs a HiveQL statement and stores its result. A changed input runs it again, after the old query is cancelled, so
 * that two queries never write to the same folder at the same time.
 */
export const selectQuery: Lifecycle<SelectQueryInputs, SelectQueryState> = {
  name: "SelectQuery",
  description:
    "Runs a HiveQL SELECT on a cluster and writes the result to `outputResourcePath`. The resource is created when the " +
    "query has finished. A query that fails or is cancelled fails the deployment.",
  properties: { inputs, outputs },

  check: checkSelectQuery,

  async preflight(news, context, isReplacement) {
    const failures = hasUnknown([news.query, news.clusterName]) ? [] : await checkTables(news, context);
    if (failures.length > 0 || isReplacement) return { failures };
    return { deletes: await objectsToDelete(news, context) };
  },

  diff(old, news) {
    // Unknown while a table that it names is rebuilt, which does not concern a result that is kept.
    const query = news.rerunWithTables === false && hasUnknown(news.query) ? old.inputs.query : news.query;
    const diff = diffProperties(
      inputs,
      old.inputs,
      { ...news, query },
      {
        deleteBeforeReplace: true,
        same: (name, before, after) =>
          name === "outputResourcePath" && folderText(`${before}`) === folderText(`${after}`),
      },
    );
    const found = withStatusDifference(diff, old.state?.status);
    return withFreshnessDifferences(found, old, news, (index) => tableName(readStatement(news.query).tables[index]!));
  },

  outputsFromInputs: ({ outputResourcePath }) => ({ location: folderText(outputResourcePath) }),

  ...queryOperations(select),
};

/** Returns the folder whose objects a new query deletes, and warns of them; undefined without objects. */
async function objectsToDelete(
  { outputResourcePath }: SelectQueryInputs,
  { storage, warn, secret }: PreflightContext,
): Promise<string | undefined> {
  if (!storage || hasUnknown(outputResourcePath)) return undefined;
  const folder = redacted(outputResourcePath, { secret });
  try {
    const { bucket } = folderOf(outputResourcePath);
    if (!(await storage.bucketExists(bucket))) {
      const named = secret ? "[secret]" : `"${bucket}"`;
      warn(`the bucket ${named} of ${folder} does not exist: create it, or the service will refuse the query`);
      return undefined;
    }
    if (!(await hasObjects(storage, outputResourcePath))) return undefined;
    warn(`${folder} contains objects: they are deleted when the query's result is complete`);
    return folder;
  } catch (error) {
    const reason = secret ? "" : `: ${describeError(error)}`;
    warn(`cannot check whether ${folder} contains objects, which would be deleted${reason}`);
    return undefined;
  }
}
