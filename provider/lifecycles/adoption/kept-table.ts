/** The table that deletionPolicy "keep" keeps, so that its name cannot be used again. */
import type { LifecycleContext, OthersObjects } from "../lifecycle";
import { laterPublisherOf, whyKept, type Published } from "../queries/purge";
import { changedTableRemedy } from "../queries/resource-name";
import { hasObjects } from "../queries/results";
import { withServiceStorage } from "../queries/service-storage";
import { redacted } from "../redaction";
import { Refusal } from "../refusal";
import { folderOfTable, qualifiedNameOf } from "../schema/table-names";
import { hasUnknown } from "../schema/check";
import { mayChange } from "./existing-table";
import { findExisting, type WantedTable } from "./preflight";

/**
 * Checks that a replacement can make a table again under its name, or adopt the one that is there, before the engine deletes
 * the resource that has it.
 * @param published what the query of the replaced resource published.
 * @param old the replaced resource, whose deletionPolicy counts for its objects.
 * @returns the table of another query that the replacement adopts; undefined if it adopts none
 * @throws Refusal when the table that is there stays
 */
export async function requireTableGoes(
  published: Published,
  { inputs: before, state }: { readonly inputs: TableInputs; readonly state: { readonly status: string } },
  news: WantedTable,
  context: LifecycleContext,
): Promise<OthersObjects | undefined> {
  const { outputDatabase: database, outputTable: table } = news;
  if (state.status !== "finished" || hasUnknown([database, table]) || table === undefined) return undefined;
  if (database !== before.outputDatabase || table !== before.outputTable) return undefined;
  if (!isNamed(news, context)) return undefined;
  // Nobody may answer: the replacement then says what is wrong.
  const { problem, adopted, deleted } = await tableThatStays(published, before.deletionPolicy, news, context).catch(
    nothing,
  );
  if (problem !== undefined) throw new Refusal(problem);
  if (deleted !== undefined) return { warning: deleted, effect: "deleted" };
  return adopted === undefined ? undefined : { warning: adopted, effect: "adopted" };
}

/** What becomes of a table that a replacement would make again under its name. */
interface StayingTable {
  /** Why it stays so that the replacement cannot be made, and what to do. */
  readonly problem?: string;
  /** Says that the replacement adopts it. */
  readonly adopted?: string;
  /** Says that the replacement deletes it first. */
  readonly deleted?: string;
}

const nothing = (): StayingTable => ({});

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

/** Finds out whether the table of a query stays; nothing while that is not known. */
async function tableThatStays(
  published: Published,
  policy: TableInputs["deletionPolicy"],
  news: WantedTable,
  given: LifecycleContext,
): Promise<StayingTable> {
  const { queryId, folder, adopted } = published;
  const context = await withServiceStorage(folder, given);
  if (!context.storage || !(await hasObjects(context.storage, folder))) return {};
  const foreign = adopted ? undefined : await whyKept(published, { ...context, programTables: undefined });
  const isPurged = policy === "purge" && !adopted && !context.isRetained;
  if (isPurged && foreign === undefined) return {};
  if (await laterPublisherOf(queryId, folder, context)) return tableOfAnother(queryId, news, context);
  const shown = redacted(folder, context);
  return {
    problem: `the table cannot be made again while it exists, and ${stayingReason(published, { policy, foreign, shown }, context)}`,
  };
}

/** Finds out whether a replacement adopts what another query has made since the one of the replaced resource. */
async function tableOfAnother(queryId: number, news: WantedTable, context: LifecycleContext): Promise<StayingTable> {
  if (hasUnknown(news)) return {};
  const made = await findExisting(news, context);
  const name = redacted(qualifiedNameOf(news), context);
  if ("rebuilt" in made) return { deleted: `the table ${name} ${made.rebuilt}` };
  // Over its own table, a select has written, whose result no replacement deletes.
  if ("problem" in made) return mayChange(made) && made.split?.record.id !== queryId ? {} : { problem: made.problem };
  const outdated = made.outdated === undefined ? "" : `; ${made.outdated}`;
  return { adopted: `the table ${name} ${made.text}${outdated}` };
}

/** Returns why the table of a query stays, and what to do. @param found.foreign why it is not, or not only, its own */
function stayingReason(
  { queryId, adopted }: Published,
  found: {
    readonly policy: TableInputs["deletionPolicy"];
    readonly foreign: string | undefined;
    readonly shown: string;
  },
  { isRetained }: LifecycleContext,
): string {
  const { policy, foreign, shown } = found;
  if (foreign !== undefined) {
    const keeps = policy === "purge" ? '"purge" keeps' : '"keep" keeps it, and "purge" would keep';
    return `deletionPolicy ${keeps} the objects in ${shown}: ${foreign}. ${changedTableRemedy(queryId, shown)}`;
  }
  if (!adopted && isRetained) {
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
