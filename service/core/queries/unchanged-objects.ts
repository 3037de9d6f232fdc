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
 * Runs a job, and looks at the objects that it reads before and after it. One that is added meanwhile does not matter,
 * nor one that is deleted after it was read: the engine has listed them before, and fails if it misses one.
 * @throws StorageAccessError when one of them is not the same any more, or the job failed and one of them is gone
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
    const seen = await look(after);
    // Of very many objects only the first are seen: one that is not there may have been moved out by a new one.
    const isComplete =
      after.size < before.size && seen.every(({ kind, objects }) => kind === "view" || objects !== null);
    const namesMissing = cause !== undefined && isComplete;
    for (const [name, identity] of before) {
      const now = after.get(name);
      if (now === identity || (now === undefined && !namesMissing)) continue;
      const change = now === undefined ? "deleted" : "replaced";
      throw new errors.StorageAccessError(`${name} was ${change} while it was read: submit the query again`, { cause });
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
