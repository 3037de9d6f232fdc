/** Publishes the complete result of an attempt: it takes the place of what was in the output folder. */
import { formatLocation, noteLine } from "../../../contract";
import { AttemptLost, type CatalogChange, type PublishedFolder, type StoredQuery } from "../ports/state";
import { tableContaining } from "./catalog";
import { outputFolder } from "./output-folder";
import type { QueryContext } from "./query-context";
import { replacementWarning } from "./replaced-objects";

/**
 * Moves the complete result of an attempt to the output folder. Completes an earlier publication that was interrupted.
 * @throws AttemptLost before anything is moved when the query has a later attempt
 */
export async function publish(
  context: QueryContext,
  query: StoredQuery,
  log: (line: string) => void,
): Promise<CatalogChange> {
  const { outputs } = context.platform;
  const target = outputFolder(query);
  const confirm = async () => {
    if (!(await context.state.attempts.confirm(query))) throw new AttemptLost();
  };
  const isRetry = query.publishing;
  const { epoch: publishedBy } = query;
  const writtenBy = isRetry ? query.publishedEpoch : publishedBy;
  const publication = { writtenBy, publishedBy, isRetry, confirm };
  if (query.type === "select") {
    const warning = isRetry ? undefined : await replacementWarning(context, target);
    await outputs.publishReplacing(query.id, target, publication);
    if (warning !== undefined) log(noteLine({ severity: "warning", text: warning }));
    const found = await identified(context, query, { format: query.outputFormat, columns: query.columns });
    log(`result is at ${formatLocation(target)}: ${found.objects}`);
    return { overwritten: tableContaining(target), published: found.published };
  }
  await outputs.publishNew(query.id, target, publication);
  const { outputDatabase: database, outputTable: table, inputFormat: format } = query;
  const fingerprint = query.checked ? await context.catalog.fingerprint(target).catch(() => null) : null;
  // Columns that the engine has found are for the record only: they are found again when the objects change.
  const columns = query.schema === null ? [] : (query.columns ?? []);
  const declared = query.schema === null ? null : query.columns;
  const found = await identified(context, query, { format, columns: declared });
  log(`table is at ${formatLocation(target)}: ${found.objects}`);
  return { put: { database, table, format, columns, fingerprint }, published: found.published };
}

/** What was published, and its number of objects and bytes in words. */
interface IdentifiedPublication {
  readonly published: PublishedFolder;
  readonly objects: string;
}

/** Returns what was published. The result is complete, so a storage error here must not fail the query. */
async function identified(
  { catalog }: QueryContext,
  query: StoredQuery,
  result: Pick<PublishedFolder, "format" | "columns">,
): Promise<IdentifiedPublication> {
  const { id: queryId, type } = query;
  const folder = outputFolder(query);
  try {
    const { objects, bytes, ...identity } = await catalog.published.identify(folder);
    const published = { queryId, type, folder, ...result, ...identity };
    return { published, objects: `${counted(objects, "object")}, ${counted(bytes, "byte")}` };
  } catch {
    const unknown = { columns: null, fingerprint: null, content: null };
    const published = { queryId, type, folder, format: result.format, ...unknown };
    return { published, objects: "its objects could not be read" };
  }
}

const counted = (count: number, noun: string) => `${count} ${noun}${count === 1 ? "" : "s"}`;
