import { createHook } from "node:async_hooks";

/** Counts the requests to the file system that work makes, and the most that were under way at a time. */
export async function requestsOf(work: () => Promise<unknown>): Promise<{ made: number; atATime: number }> {
  const open = new Set<number>();
  let [made, atATime] = [0, 0];
  const hook = createHook({
    init(id, type) {
      if (!type.startsWith("FSREQ")) return;
      made += 1;
      open.add(id);
      atATime = Math.max(atATime, open.size);
    },
    before: (id) => void open.delete(id),
    promiseResolve: (id) => void open.delete(id),
  }).enable();
  try {
    await work();
  } finally {
    hook.disable();
  }
  return { made, atATime };
}
