/**
 * Notices that objects change while a query reads them: a part of its answer would be of what was there before, and a part
 * of what is there now, or new objects would be read with the columns of the old ones.
 */
import { errors } from "../../../contract";
import type { ReadInput } from "../ports/read-records";
import type { SeenObjects } from "./read-states";

/** Returns what a query reads, with its state, and adds the objects to those seen. */
type Look = (seen: SeenObjects) => Promise<readonly ReadInput[]>;

/**
 * Runs a job, and looks at the objects that it reads before and after it. Objects that are added or deleted meanwhile do
 * not matter: the engine has listed them before, and cannot read one that is gone.
 * @throws StorageAccessError when one of them is not the same any more
 */
export async function whileUnchanged<Result>(
  look: Look,
  run: () => Promise<Result>,
  signal: AbortSignal,
): Promise<{ readonly inputs: readonly ReadInput[]; readonly result: Result }> {
  const before: SeenObjects = new Map();
  const inputs = await look(before);
  const requireUnchanged = async (cause?: unknown) => {
    const after: SeenObjects = new Map();
    await look(after);
    for (const [name, identity] of before) {
      const now = after.get(name);
      if (now === undefined || now === identity) continue;
      throw new errors.StorageAccessError(`${name} was replaced while it was read: submit the query again`, { cause });
    }
  };
  let result: Result;
  try {
    result = await run();
  } catch (error) {
    if (!signal.aborted) await requireUnchanged(error);
    throw error;
  }
  signal.throwIfAborted();
  await requireUnchanged();
  return { inputs, result };
}
