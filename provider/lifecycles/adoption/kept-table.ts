/** The table that deletionPolicy "keep" keeps, so that its name cannot be used again. */
import { qualifiedNameOf } from "../schema/table-names";
import { hasUnknown } from "../schema/check";

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
