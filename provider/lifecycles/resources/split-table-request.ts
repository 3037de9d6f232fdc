/** The request that makes a table. */
import type { FollowedObjects } from "../freshness/follow-inputs";
import { expandPatterns, isPattern } from "../freshness/input-objects";
import { identityOf } from "../freshness/program-tables";
import type { LifecycleContext } from "../lifecycle";
import { submittedLabel } from "../queries/submission-token";
import type { SplitTableInputs } from "./split-table-properties";

/** Returns the fields of the split that the inputs ask for, with its label. */
export function splitRequest(
  { clusterName, inputObjectKeys, outputDatabase, outputTable, inputFormat, schema, ...news }: SplitTableInputs,
  { inputFingerprint }: FollowedObjects,
  { urn, submissionToken }: Pick<LifecycleContext, "urn" | "submissionToken">,
) {
  const request = { clusterName, inputObjectKeys, outputDatabase, outputTable: outputTable!, inputFormat, schema };
  const { label, triggers } = news;
  const identity = { ...request, label, triggers, tables: identityOf(news.tables), inputFingerprint };
  return { ...request, label: submissionToken ? submittedLabel(label, { urn, inputs: identity }) : label };
}

/** Returns the inputs with the objects that match their patterns. */
export async function withExpandedPatterns(
  news: SplitTableInputs,
  { storage }: Pick<LifecycleContext, "storage">,
): Promise<SplitTableInputs> {
  if (!storage || !news.inputObjectKeys.some(isPattern)) return news;
  return { ...news, inputObjectKeys: await expandPatterns(storage, news.inputObjectKeys) };
}
