/** SelectQuery: runs a HiveQL statement and stores its result. */
import { checkStatement } from "../../../hiveql/syntax";
import { describeError } from "../describe-error";
import { withFreshnessDifferences } from "../freshness/differences";
import { tableName } from "../freshness/program-tables";
import type { Lifecycle } from "../lifecycle";
import { queryOperations } from "../queries/query-lifecycle";
import { withStatusDifference } from "../queries/query-resource";
import { folderText, hasObjects } from "../queries/results";
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

  async preflight({ outputResourcePath }, { storage, warn, secret }, isReplacement) {
    if (!storage || isReplacement || hasUnknown(outputResourcePath)) return {};
    const folder = redacted(outputResourcePath, { secret });
    try {
      if (!(await hasObjects(storage, outputResourcePath))) return {};
      warn(`${folder} contains objects: they are deleted when the query's result is complete`);
      return { deletes: folder };
    } catch (error) {
      const reason = secret ? "" : `: ${describeError(error)}`;
      warn(`cannot check whether ${folder} contains objects, which would be deleted${reason}`);
      return {};
    }
  },

  diff(old, news) {
    // Unknown while a table that it names is made anew, which does not concern a result that is kept.
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
    const found = withStatusDifference(diff, old.state?.status, old.state?.recordExpired);
    return withFreshnessDifferences(found, old, news, (index) => tableName(checkStatement(news.query).tables[index]!));
  },

  outputsFromInputs: ({ outputResourcePath }) => ({ location: folderText(outputResourcePath) }),

  ...queryOperations(select),
};
