/** The split that the inputs of a table ask for. */
import type { FollowedObjects } from "../freshness/follow-inputs";
import { identityOf } from "../freshness/generations";
import type { LifecycleContext } from "../lifecycle";
import { submittedLabel } from "./submission-token";

/** The inputs that a split is submitted with, and those that make it another split. */
export interface SplitInputs {
  readonly clusterName: string;
  readonly inputObjectKeys: string[];
  readonly outputDatabase: string;
  readonly outputTable?: string | undefined;
  readonly inputFormat?: "csv" | "tsv" | "json" | undefined;
  readonly schema?: string | undefined;
  readonly label?: string | undefined;
  readonly triggers?: unknown;
  /** Generations of the tables that it reads. */
  readonly tables?: readonly string[] | undefined;
}

/** Returns the fields of the split, with its label. */
export function splitRequest(
  { clusterName, inputObjectKeys, outputDatabase, outputTable, inputFormat, schema, ...news }: SplitInputs,
  { inputFingerprint }: FollowedObjects,
  { urn, submissionToken }: Pick<LifecycleContext, "urn" | "submissionToken">,
) {
  const request = { clusterName, inputObjectKeys, outputDatabase, outputTable: outputTable!, inputFormat, schema };
  const { label, triggers } = news;
  const identity = { ...request, label, triggers, tables: identityOf(news.tables), inputFingerprint };
  return { ...request, label: submissionToken ? submittedLabel(label, { urn, inputs: identity }) : label };
}
