/** Says before a replacement, in its preview too, which objects a purge will keep. */
import type { Lifecycle, LifecycleContext, StoredResource } from "../lifecycles/lifecycle";

/**
 * Warns when the replacement of a resource with `deletionPolicy: "purge"` keeps objects, because they are no longer its
 * own.
 */
export async function warnOfKeptObjects<Inputs extends object, State extends object>(
  { whyKept }: Pick<Lifecycle<Inputs, State>, "whyKept">,
  id: string,
  old: StoredResource<Inputs, State>,
  context: LifecycleContext,
): Promise<void> {
  const reason = await whyKept?.(id, old, context);
  if (reason !== undefined) context.warn(`the replacement keeps the objects of its old query ${id}: ${reason}`);
}
