/**
 * The objects of a resource that the engine deletes before it is made again. Often that is long before, because another
 * resource on which it depends is made again first. If that fails, nothing makes the objects, so they stay until then.
 */
import { describeError } from "../describe-error";
import type { LifecycleContext } from "../lifecycle";
import { purgePublished, type Published } from "../queries/purge";
import { redacted } from "../redaction";
import type { ProgramTables } from "./program-tables";

/** What was left in each run, by URN. */
const leftIn = new WeakMap<ProgramTables, Map<string, Published>>();

/** Returns true when a replacement writes to the folder of the query that it replaces: its own query replaces the objects. */
export function isOverwritten({ queryId, folder }: Published, { programTables, urn }: LifecycleContext): boolean {
  return programTables?.isReplaced(queryId) === true && programTables.writerOf(folder) === urn;
}

/** Returns true when the engine was asked to replace a resource, has made that first, and it has adopted the old table. */
export function isTakenOver({ queryId, folder }: Published, { programTables, urn }: LifecycleContext): boolean {
  return (
    programTables?.isAdopted(folder) === true &&
    !programTables.isReplaced(queryId) &&
    programTables.writerOf(folder) === urn
  );
}

/**
 * Purges the objects of a deleted resource, or leaves them until it is made again.
 * @param staysItself true when the objects need not be gone before the resource itself is made
 * @returns true when it has deleted some
 */
export async function purgeOrLeave(
  published: Published,
  context: LifecycleContext,
  staysItself = false,
): Promise<boolean> {
  const { programTables, urn } = context;
  const isLeft =
    programTables?.isDeletedForOther(published.queryId, urn) === true ||
    (staysItself && programTables?.isMadeLater(published.queryId, urn) === true);
  if (programTables === undefined || !isLeft) return purgePublished(published, context);
  const left = leftIn.get(programTables) ?? new Map<string, Published>();
  leftIn.set(programTables, left.set(urn, published));
  context.report(`its objects in ${redacted(published.folder, context)} stay until it is made again`);
  return false;
}

/** Warns, when a resource could not be made again, of what was left in another folder: no later run purges it. */
export function warnOfLeft({ programTables, urn, warn, secret }: Pick<LifecycleContext, LeftContext>): void {
  const published = programTables && leftIn.get(programTables)?.get(urn);
  if (published === undefined || programTables?.writerOf(published.folder) !== undefined) return;
  warn(
    `the earlier objects in ${redacted(published.folder, { secret })} stay, and no resource has them now: delete them by hand ` +
      "if nobody needs them",
  );
}

type LeftContext = "programTables" | "urn" | "warn" | "secret";

/**
 * Purges what was left for a resource that is made again.
 * @param folder that the resource writes
 * @param isThere true to purge what is in that folder, false what is in another one
 * @param before checks, when there is something to purge, that the resource can be made again
 */
export async function purgeLeft(
  context: LifecycleContext,
  folder: string,
  isThere: boolean,
  before?: () => Promise<void>,
): Promise<void> {
  const { programTables, urn } = context;
  const left = programTables && leftIn.get(programTables);
  const published = left?.get(urn);
  if (published === undefined || (published.folder === folder) !== isThere) return;
  left?.delete(urn);
  // Its query replaces the objects, perhaps just now.
  const writer = programTables?.writerOf(published.folder);
  if (writer !== undefined && writer !== urn) return;
  await before?.();
  try {
    await purgePublished(published, context);
  } catch (error) {
    // A query that has finished must be stored; a split is refused while its table exists.
    const reason = context.secret ? "" : `: ${describeError(error)}`;
    context.warn(`the earlier objects in ${redacted(published.folder, context)} are kept${reason}`);
  }
}
