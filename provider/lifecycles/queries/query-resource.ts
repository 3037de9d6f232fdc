/** The common parts of the two query resources, SplitTable and SelectQuery. */
import * as z from "zod";
import { errors, fields, queryStatuses, type QueryRecord, type QuerySummary } from "../../../contract";
import { storageRemedy } from "../configuration";
import type { DiffResult, LifecycleContext } from "../lifecycle";
import { parseQueryId } from "../query-id";
import { withDifference } from "../schema/diff";
import { always, optional, sometimes } from "../schema/properties";
import { requireOwnQuery, type MadeBy } from "./own-query";
import { isOfAnotherResource, maxLabelLength } from "./submission-token";

const deletionPolicies = ["keep", "purge"] as const;

/** Text of any length: which length is too long depends on whether a token is added ({@link labelProblem}). */
const labelText = fields.wellFormed(z.string({ error: "it must be a string" }));

/** Inputs of both resources. */
export const commonInputs = {
  label: optional(labelText, {
    description: `Label of the query, at most ${maxLabelLength} characters, because \`#\` and a token of 12 characters are added, unless \`dag:submissionToken\` is false.`,
  }),
  deletionPolicy: optional(z.enum(deletionPolicies, { error: `it must be one of ${deletionPolicies.join(", ")}` }), {
    change: "update",
    fallback: "keep",
    description:
      "What happens to the objects when the resource is deleted or replaced: `keep` keeps them, `purge` deletes them, unless " +
      "they are no longer those that its query published, and requires `dag:storage`. The value of the last `up` counts, " +
      "but a folder that is left for another one while it is `keep` is kept. Default `keep`.",
  }),
  triggers: optional(z.unknown(), {
    description: "Any value, such as a list of strings. The query runs again when the value changes.",
  }),
};

/** Outputs of both resources. */
export const commonOutputs = {
  queryId: always(z.int(), "Identifier of the query."),
  status: always(
    z.enum(queryStatuses),
    "Status of the query: `finished`, unless the wait for it was interrupted, its result could not be read, or it failed or was cancelled.",
  ),
  progress: always(
    z.string(),
    "Last observed progress of a query that has not finished, such as `40%`. The state of a finished query has none; the " +
      "TypeScript classes of `pulumi-dag` return `100%` for it.",
    {
      implied: "100%",
    },
  ),
  startTime: always(z.string(), "Time at which the service accepted the query, `YYYY-MM-DD HH:MM:SS`, UTC."),
  accessKeyId: always(z.string(), "Access key identifier of the submitter."),
  recordExpired: sometimes(
    z.boolean(),
    "True when the service no longer has the record of the query. The result is not affected.",
  ),
};

/** Returns the fields of a record that the state of both resources contains. */
export function recordState({ id, status, progress, startTime, accessKeyId }: QuerySummary) {
  return { queryId: id, status, progress, startTime, accessKeyId };
}

/** Returns the same fields of a query that was submitted, from its last observed record if there is one. */
export function unfinishedState(queryId: number, seen: QuerySummary | undefined) {
  if (seen) return recordState(seen);
  return { queryId, status: "running" as const, progress: "0%", startTime: "", accessKeyId: "" };
}

/** The resource that a query of each type is. */
const resources = { select: "SelectQuery", split: "SplitTable" } as const;

/** The record of a query of a type. */
export type RecordOf<Type extends QueryRecord["type"]> = Extract<QueryRecord, { type: Type }>;

/**
 * Returns the record of a resource's query.
 * @param made undefined for an import.
 * @throws QueryNotFound also when the ID is that of another query now, and an error that names the other resource when an
 * imported query is of the other type.
 */
export async function recordOf<Type extends QueryRecord["type"]>(
  id: string,
  type: Type,
  made: MadeBy | undefined,
  { client, signal, urn, isLookup, warn }: LifecycleContext,
): Promise<RecordOf<Type>> {
  const found = await client.getQuery({ queryId: parseQueryId(resources[type], id) }, { signal });
  const record = requireOwnQuery(found, made);
  if (record.type === type) {
    if (made === undefined && !isLookup && isOfAnotherResource(record.label, urn)) warn(importedText(id));
    return record as RecordOf<Type>;
  }
  throw new Error(`query ${id} is a ${record.type}, not a ${type}: use a ${resources[record.type]} for it`);
}

const importedText = (id: string) =>
  `query ${id} was submitted by another Pulumi resource, as its label says. A lookup only reads it. After an ` +
  'import, both own its objects while a stack has that resource, and deletionPolicy "purge" of one deletes what the other ' +
  'has: then remove it from there with "pulumi state delete"';

/** Returns the record of a resource's query; undefined if the service no longer has it. */
export async function recordIfKept(
  queryId: number,
  made: MadeBy,
  { client, signal }: Pick<LifecycleContext, "client" | "signal">,
): Promise<QueryRecord | undefined> {
  try {
    return requireOwnQuery(await client.getQuery({ queryId }, { signal }), made);
  } catch (error) {
    if (error instanceof errors.QueryNotFound) return undefined;
    throw error;
  }
}

/** Returns true when a stored query was unfinished, and its record says that it has finished. */
export function hasFinishedSince(stored: { readonly status: string }, record: QueryRecord): boolean {
  return stored.status === "running" && record.status === "finished";
}

/**
 * Returns true for an unfinished query whose result a refresh cannot read, because dag:storage is not that of the service.
 * It stays unfinished, so that the next update reads and checks the result.
 */
export function isUnread(
  stored: { readonly status: string },
  given: Pick<LifecycleContext, "storage">,
  compared: Pick<LifecycleContext, "storage">,
): boolean {
  return stored.status === "running" && given.storage !== undefined && compared.storage === undefined;
}

/** Returns a stored state with what the query's record tells now. */
export function refreshedState<State extends { readonly recordExpired?: boolean | undefined }>(
  stored: State,
  seen: State,
): State {
  const { recordExpired: _expired, ...kept } = stored;
  return { ...kept, ...seen };
}

/** Returns why `purge` is not possible; undefined if it is possible. */
export function purgeProblem(policy: unknown, storage: boolean): string | undefined {
  return policy === "purge" && !storage
    ? `deletionPolicy "purge" needs access to the object storage: ${storageRemedy()}, or set deletionPolicy "keep"`
    : undefined;
}

/**
 * Adds the difference that a failed or unfinished query makes to a diff. The update of an unfinished query waits for it;
 * when its record has expired, that update fails, because nobody knows how the query has ended.
 */
export function withStatusDifference(diff: DiffResult, status: string | undefined): DiffResult {
  if (status === "error" || status === "canceled") {
    const reason = `its last query ${status === "error" ? "failed" : "was cancelled"}`;
    return withDifference(diff, "status", true, reason);
  }
  return status === "running" ? withDifference(diff, "status", false) : diff;
}
