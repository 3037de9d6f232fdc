/** The table that deletionPolicy "keep" keeps, so that its name cannot be used again. */
import type { LifecycleContext } from "../lifecycle";
import { laterPublisherOf, whyKept, type Published } from "../queries/purge";
import { changedTableRemedy } from "../queries/resource-name";
import { hasObjects } from "../queries/results";
import { withServiceStorage } from "../queries/service-storage";
import { redacted } from "../redaction";
import { Refusal } from "../refusal";
import { folderOfTable, qualifiedNameOf } from "../schema/table-names";
import { hasUnknown } from "../schema/check";

/**
 * Checks that a replacement can make a table again under its name, before the engine deletes the resource that has it.
 * @param published what the query of the replaced resource published.
 * @param before the inputs of the replaced resource, whose deletionPolicy counts for its objects.
 * @throws Refusal when the table that is there stays
 */
export async function requireTableGoes(
  published: Published,
  before: TableInputs,
  news: TableInputs,
  context: LifecycleContext,
): Promise<void> {
  const { outputDatabase: database, outputTable: table } = news;
  if (hasUnknown([database, table]) || table === undefined) return;
  if (database !== before.outputDatabase || table !== before.outputTable) return;
  if (!isNamed(news, context)) return;
  // Nobody may answer: the replacement then says what is wrong.
  const reason = await stayingReason(published, before.deletionPolicy, context).catch(() => undefined);
  if (reason !== undefined) throw new Refusal(`the table cannot be made again while it exists, and ${reason}`);
}

/** Returns what must be done before a table is made again: one that stays has the name that its replacement gets. */
export function beforeRerun(
  inputs: TableInputs,
  { adopted }: { readonly adopted?: boolean | undefined },
  context: LifecycleContext,
): string | undefined {
  const stays = inputs.deletionPolicy !== "purge" || adopted === true;
  return stays && isNamed(inputs, context) ? "set another outputTable or delete the objects there" : undefined;
}

/**
 * Returns true when a table need not be gone before its replacement is made: that has another name, and no other resource
 * of the program gets this one.
 */
export async function mayStay(inputs: TableInputs, queryId: number, context: LifecycleContext): Promise<boolean> {
  const { outputDatabase: database, outputTable: table } = inputs;
  const { programTables } = context;
  const isMoved = table !== undefined && programTables?.get({ database, table }) === undefined;
  // Another resource that gets the name may not have been registered yet.
  if (isMoved && programTables?.isReplaced(queryId)) await programTables.registered(context);
  return !isNamed(inputs, context);
}

/** True when the program names the table: a replacement of another one gets another name. */
function isNamed({ outputDatabase: database, outputTable: table }: TableInputs, context: LifecycleContext): boolean {
  return table !== undefined && context.programTables?.get({ database, table })?.isNamed === true;
}

/** Returns why the table of a query stays, and what to do; undefined while that is not known. */
async function stayingReason(
  published: Published,
  policy: TableInputs["deletionPolicy"],
  given: LifecycleContext,
): Promise<string | undefined> {
  const { queryId, folder, adopted } = published;
  const context = await withServiceStorage(folder, given);
  if (!context.storage || !(await hasObjects(context.storage, folder))) return undefined;
  const foreign = adopted ? undefined : await whyKept(published, { ...context, programTables: undefined });
  const isPurged = policy === "purge" && !adopted && !context.isRetained;
  if (isPurged && foreign === undefined) return undefined;
  // What another query has made since may be adopted.
  if (await laterPublisherOf(queryId, folder, context)) return undefined;
  const shown = redacted(folder, context);
  if (foreign !== undefined) {
    const keeps = policy === "purge" ? '"purge" keeps' : '"keep" keeps it, and "purge" would keep';
    return `deletionPolicy ${keeps} the objects in ${shown}: ${foreign}. ${changedTableRemedy(queryId, shown)}`;
  }
  if (!adopted && context.isRetained) {
    return (
      `retainOnDelete keeps it: set another outputTable, take the option away in a "pulumi up" of its own before this ` +
      `change, or delete the objects in ${shown} first`
    );
  }
  return adopted
    ? `it stays: query ${queryId} of another resource or stack made it, and this resource adopted it. Set another ` +
        `outputTable, or delete the objects in ${shown} first if nobody needs them`
    : `deletionPolicy "keep" keeps it: set another outputTable, run "pulumi up" with deletionPolicy "purge" before this ` +
        `change, or delete the objects in ${shown} first`;
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
export function keptTableWarnings(
  news: TableInputs,
  before: TableInputs | undefined,
  isReplaced: boolean,
  context: Pick<LifecycleContext, "secret">,
): string[] {
  const name = () => redacted(qualifiedNameOf(news), context);
  // Whether purge would delete it is not known here: the table may be adopted, or have objects of others.
  if (news.rerunOnInputChange === true && news.deletionPolicy !== "purge" && !hasUnknown(news)) {
    return [
      `rerunOnInputChange cannot rebuild the table ${name()} while deletionPolicy "keep" keeps it: ` +
        `set deletionPolicy "purge", or leave out outputTable`,
    ];
  }
  if (!before || !isReplaced || before.deletionPolicy === "purge" || hasUnknown(news)) return [];
  if (before.outputDatabase !== news.outputDatabase || before.outputTable !== news.outputTable) return [];
  return [
    `the table ${name()} cannot be replaced while it exists, and deletionPolicy "keep" keeps it: ` +
      `set another outputTable, or delete the objects in ${redacted(folderOfTable(news), context)} first`,
  ];
}
