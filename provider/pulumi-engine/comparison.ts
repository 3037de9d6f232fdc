/** What the comparison of a resource finds out about objects that others have written or deleted. */
import { tablesOfExisting } from "../lifecycles/freshness/generations";
import type { Run } from "../lifecycles/freshness/run";
import type { DiffResult, Lifecycle, LifecycleContext, StoredResource } from "../lifecycles/lifecycle";
import { withRedactedErrors } from "../lifecycles/redaction";

/** The hidden input of what a resource reads. */
interface TablesRead {
  readonly tables?: readonly string[] | undefined;
}

/** Compares a resource with new inputs, and its objects with those that it has adopted. */
export async function compare<Inputs extends object, State extends object>(
  lifecycle: Pick<Lifecycle<Inputs, State>, "diff" | "withObserved">,
  id: string,
  old: StoredResource<Inputs, State>,
  news: Inputs,
  context: LifecycleContext,
): Promise<DiffResult> {
  const tables = tablesOfExisting(id, old.inputs, (news as TablesRead).tables, context.programTables);
  const known = tables === undefined ? old : { ...old, inputs: { ...old.inputs, tables } };
  const diff = lifecycle.diff(known, news);
  const observe = async () => lifecycle.withObserved?.(id, old, diff, context);
  return (await withRedactedErrors(context, observe)) ?? diff;
}

/** Warns before a replacement, in its preview too, of the objects of others that it keeps, deletes or adopts. */
export async function warnOfOthersObjects<Inputs extends object, State extends object>(
  { othersObjects }: Pick<Lifecycle<Inputs, State>, "othersObjects">,
  id: string,
  old: StoredResource<Inputs, State>,
  news: Inputs,
  context: LifecycleContext,
  run: Run,
): Promise<void> {
  await run.comparing(context.urn, async () => {
    const found = await withRedactedErrors(context, async () => othersObjects?.(id, old, news, context));
    if (found === undefined) return;
    context.warn(found.warning);
    if (found.effect === "adopted") run.adopts(context.urn);
    else if (found.effect === "kept") run.report.keepsObjects(context.urn);
  });
}
