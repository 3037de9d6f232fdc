/** The inputs that an import, or a `get`, takes from the record of a query: those that would submit it. */
import type { SelectRecord, SplitRecord } from "../../../contract";
import { userLabel } from "../queries/submission-token";

/** Returns the inputs of a SelectQuery. */
export function selectInputsOf({ label: submitted, ...record }: SelectRecord) {
  const { clusterName, query, outputResourcePath, outputFormat } = record;
  const label = userLabel(submitted);
  return { clusterName, query, outputResourcePath, outputFormat, ...(label !== undefined && { label }) };
}

/** Returns the inputs of a SplitTable. */
export function splitInputsOf({ label: submitted, ...record }: SplitRecord) {
  const { clusterName, inputObjectKeys, outputDatabase, outputTable, inputFormat, schema } = record;
  const label = userLabel(submitted);
  const named = { clusterName, inputObjectKeys, outputDatabase, outputTable, inputFormat };
  return { ...named, ...(schema && { schema }), ...(label !== undefined && { label }) };
}
