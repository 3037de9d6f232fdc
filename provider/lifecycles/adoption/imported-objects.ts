/** What an import, or a `get`, takes from the storage: only objects that its query published. */
import type { QueryRecord } from "../../../contract";
import type { LifecycleContext } from "../lifecycle";
import { redacted } from "../redaction";
import { laterPublisherOf, whoChanged } from "../queries/purge";
import { hasObjects } from "../queries/results";
import { requireServiceStorage } from "../queries/service-storage";

/**
 * Refuses a finished query whose objects were deleted, or are another query's: the state would describe them as its own,
 * and a purge would delete them. Refuses to import a query that has failed or was cancelled, which the next `up` would run
 * again; a lookup may read it.
 * @param folder the location of its objects.
 */
export async function requireOwnObjects(record: QueryRecord, folder: string, context: LifecycleContext): Promise<void> {
  const { id, status } = record;
  if ((status === "error" || status === "canceled") && !context.isLookup) {
    const ended = status === "error" ? "failed" : "was cancelled";
    throw new Error(
      `query ${id} ${ended} (status ${status}), so it has published no objects: use the id of a query that has finished, or ` +
        'do not import it, so that "pulumi up" runs the query',
    );
  }
  if (status !== "finished") return;
  await requireServiceStorage(folder, context, { isWritten: true });
  const shown = redacted(folder, context);
  if (context.storage && !(await hasObjects(context.storage, folder))) {
    throw new Error(
      `the objects that query ${id} published in ${shown} were deleted: ${remedyWithout(record, context)}`,
    );
  }
  const others = await othersIn(record, folder, context);
  if (others === undefined) return;
  const { reason, publisher } = others;
  const remedy =
    publisher !== undefined
      ? // To delete its objects would destroy what another resource has.
        `use the id of the query that published them (${publisher})`
      : record.type === "split"
        ? "move or delete those that it did not publish"
        : remedyWithout(record, context);
  throw new Error(`the objects in ${shown} are not those of query ${id}: ${reason}: ${remedy}`);
}

/** Returns what a user does without the objects of a query. A lookup cannot make them. */
function remedyWithout({ id, type }: QueryRecord, { isLookup }: LifecycleContext): string {
  const result = type === "split" ? "table" : "result";
  if (!isLookup) return `do not import it, nor read it with get, so that a resource of the program makes the ${result}`;
  return (
    `make the ${result} with a resource of this program, or with "pulumi up --refresh" of the stack that has the resource of ` +
    `query ${id}, and use the id of the query that this runs`
  );
}

/** Whose the objects in a folder are, when they are not, or not only, those of a query. */
interface Others {
  readonly reason: string;
  /** The query that published them, if one did. */
  readonly publisher?: number | undefined;
}

async function othersIn(
  { id, type }: QueryRecord,
  folder: string,
  context: LifecycleContext,
): Promise<Others | undefined> {
  const { client, signal, secret, isLookup } = context;
  const there = await client.describeOutput({ folder }, { signal });
  if (there === undefined || type === "split") {
    const later = await laterPublisherOf(id, folder, context);
    if (later) return { reason: `query ${later.id} has published there since`, publisher: later.id };
    // A lookup takes nothing over.
    const change = there?.split?.queryId === id && !isLookup ? there.split.change : undefined;
    return change === undefined ? undefined : { reason: secret ? "objects were changed or added since" : change };
  }
  if (there.queryId === id) return undefined;
  return { reason: await whoChanged(id, folder, context), publisher: there.queryId };
}
