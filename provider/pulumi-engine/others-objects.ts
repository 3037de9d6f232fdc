/** Says before a replacement, in its preview too, what it does with objects that are not, or no longer, its own. */
import type { Lifecycle, LifecycleContext, StoredResource } from "../lifecycles/lifecycle";

/** Warns of the objects of others that the replacement of a resource keeps or deletes. */
export async function warnOfOthersObjects<Inputs extends object, State extends object>(
  { othersObjects }: Pick<Lifecycle<Inputs, State>, "othersObjects">,
  id: string,
  old: StoredResource<Inputs, State>,
  news: Inputs,
  context: LifecycleContext,
): Promise<void> {
  const text = await othersObjects?.(id, old, news, context);
  if (text !== undefined) context.warn(text);
}
