/** Tells whether the input objects of a table that a resource adopts have changed since a split made it. */
import { parseLocation, type SplitRecord } from "../../../contract";
import { forEachParallel } from "../../../storage/parallel";
import { describeError } from "../describe-error";
import { timeOf } from "../freshness/follow-inputs";
import type { LifecycleContext } from "../lifecycle";
import { redacted } from "../redaction";
import { folderOfTable } from "../schema/table-names";

/** Greatest number of objects that are looked up, so that the adoption of a table of thousands stays fast. */
const maxLookups = 1_000;
/** Number of objects that are looked up at a time. */
const parallelLookups = 16;
/** The service's times have whole seconds. */
const secondMilliseconds = 1_000;

/**
 * Says which input objects were written after the query was accepted, so that the table has what was there before.
 * @returns undefined if none was, or without access to the storage.
 */
export async function changedInputsText(
  { inputObjectKeys, ...table }: Parameters<typeof folderOfTable>[0] & { readonly inputObjectKeys: readonly string[] },
  { id, startTime }: Pick<SplitRecord, "id" | "startTime">,
  context: Pick<LifecycleContext, "storage" | "secret">,
): Promise<string | undefined> {
  const { storage } = context;
  if (!storage) return undefined;
  const since = timeOf(startTime).getTime() + secondMilliseconds;
  const changed = new Set<string>();
  try {
    await forEachParallel(inputObjectKeys.slice(0, maxLookups), parallelLookups, async (name) => {
      const object = await storage.head(parseLocation(name));
      if (object && object.lastModified.getTime() >= since) changed.add(name);
    });
  } catch (error) {
    const reason = context.secret ? "" : `: ${describeError(error)}`;
    return `whether its input objects have changed since is unknown, because they cannot be read${reason}`;
  }
  const [first, ...more] = inputObjectKeys.filter((name) => changed.has(name));
  if (first === undefined) return undefined;
  const names = `${redacted(first, context)}${more.length > 0 ? ` and ${more.length} more` : ""}`;
  return (
    `it has the rows that query ${id} read, and not those of ${names}, written since: delete the objects in ` +
    `${redacted(folderOfTable(table), context)} and run "pulumi up --refresh" to make it from what is there now`
  );
}
