/** SelectQuery: runs a HiveQL statement and stores its result. */
import { describeError } from "../describe-error";
import { withFreshnessDifferences } from "../freshness/differences";
import { tableName } from "../freshness/program-tables";
import { checkTables } from "../columns/preview-check";
import type { Lifecycle, Preflight, PreflightContext } from "../lifecycle";
import { warnOfOthersResults } from "../queries/kept-inputs";
import { queryOperations } from "../queries/query-lifecycle";
import { withStatusDifference } from "../queries/query-resource";
import { folderOf, folderText, hasObjects } from "../queries/results";
import { readStatement } from "../queries/statement";
import { tableProblem } from "../queries/table-guard";
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

  async preflight(news, context) {
    const failures = hasUnknown([news.query, news.clusterName]) ? [] : await checkTables(news, context);
    if (failures.length === 0 && !hasUnknown(news.query)) await warnOfOthersResults(news.query, context);
    if (failures.length > 0 || hasUnknown(news.outputResourcePath)) return { failures };
    const folder = folderText(news.outputResourcePath);
    if (context.ownFolder === folder) return {};
    return objectsToDelete(folder, context);
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

/** Refuses a query that deletes a table or an input of one, and warns of other objects that it deletes. */
async function objectsToDelete(folder: string, context: PreflightContext): Promise<Preflight> {
  const { storage, warn, secret, client } = context;
  const named = redacted(folder, { secret });
  try {
    const { bucket } = folderOf(folder);
    if (storage && !(await storage.bucketExists(bucket))) {
      const name = secret ? "[secret]" : `"${bucket}"`;
      warn(`the bucket ${name} of ${named} does not exist: create it, or the service will refuse the query`);
      return {};
    }
    const found = client && (await tableProblem(folder, { ...context, client }));
    if (found?.deletes) return { failures: [{ property: "outputResourcePath", reason: found.reason }] };
    if (found) warn(found.reason);
    if (!storage) return { mayDelete: true };
    if (!(await hasObjects(storage, folder))) return { mayDelete: found !== undefined };
    warn(`${named} contains objects: they are deleted when the query's result is complete`);
    return { deletes: named, mayDelete: true };
  } catch (error) {
    const reason = secret ? "" : `: ${describeError(error)}`;
    warn(`cannot check whether ${named} contains objects, which would be deleted${reason}`);
    return { mayDelete: true };
  }
}
