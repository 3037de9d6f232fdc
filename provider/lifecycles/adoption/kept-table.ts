/** The table that deletionPolicy "keep" keeps, so that its name cannot be used again. */
import type { LifecycleContext } from "../lifecycle";
import { laterPublisherOf, type Published } from "../queries/purge";
import { hasObjects } from "../queries/results";
import { withServiceStorage } from "../queries/service-storage";
import { redacted } from "../redaction";
import { qualifiedNameOf } from "../schema/table-names";
import { hasUnknown } from "../schema/check";

/**
 * Returns why a replacement cannot make a table again: the one that is there stays. Undefined while it is not known.
 * @param published what the query of the replaced resource published.
 * @param before the deletionPolicy of the replaced resource, which counts for its objects.
 */
export async function stayingTable(
  published: Published,
  before: TableInputs["deletionPolicy"],
  given: LifecycleContext,
): Promise<string | undefined> {
  const { queryId, folder, adopted } = published;
  if (before === "purge" && !adopted) return undefined;
  const context = await withServiceStorage(folder, given);
  if (!context.storage || !(await hasObjects(context.storage, folder))) return undefined;
  // What another query has made since may be adopted.
  if (await laterPublisherOf(queryId, folder, context)) return undefined;
  const shown = redacted(folder, context);
  return adopted
    ? `the table cannot be made again while it exists, and it stays: query ${queryId} of another resource or stack made it, and ` +
        `this resource adopted it. Set another outputTable, or delete the objects in ${shown} first if nobody needs them`
    : `the table cannot be made again while it exists, and deletionPolicy "keep" keeps it: set another outputTable, run ` +
        `"pulumi up" with deletionPolicy "purge" before this change, or delete the objects in ${shown} first`;
}

/** The inputs that tell whether a table is kept. */
interface TableInputs {
  readonly outputDatabase: string;
  readonly outputTable?: string | undefined;
  readonly deletionPolicy?: "keep" | "purge" | undefined;
  readonly rerunOnInputChange?: boolean | undefined;
}

/**
 * Warns when a replacement would reuse the name of a table that is kept.
 * @param before inputs of the existing resource.
 * @param isReplaced true when the new inputs replace it.
 */
export function keptTableWarnings(news: TableInputs, before: TableInputs | undefined, isReplaced: boolean): string[] {
  if (news.rerunOnInputChange === true && news.deletionPolicy !== "purge" && !hasUnknown(news)) {
    return [
      `rerunOnInputChange cannot rebuild the table ${qualifiedNameOf(news)} while deletionPolicy "keep" keeps it: ` +
        `set deletionPolicy "purge", or leave out outputTable`,
    ];
  }
  if (!before || !isReplaced || before.deletionPolicy === "purge" || hasUnknown(news)) return [];
  if (before.outputDatabase !== news.outputDatabase || before.outputTable !== news.outputTable) return [];
  return [
    `the table ${qualifiedNameOf(news)} cannot be replaced while it exists, and deletionPolicy "keep" keeps it: ` +
      `set another outputTable, or run "pulumi up" with deletionPolicy "purge" before this change`,
  ];
}
