/** Resources whose query the service no longer has a record of: retention has deleted it, or the service is another one. */
import { errors } from "../../../contract";
import { describeError } from "../describe-error";
import type { LifecycleContext, ReadResult, StoredResource } from "../lifecycle";
import { otherQueryText } from "./own-query";
import { isGone, OthersObjectsError, type PublishedState } from "./published-objects";

/**
 * Reads a resource from its query's record. If the service no longer has the record, returns the stored resource
 * with `recordExpired`, so that the query does not run again; undefined if no resource is stored, or its objects were
 * deleted. An unfinished query whose result cannot be read, or is no longer there, stays as it is stored, after a warning.
 * @param what the objects are.
 */
export async function readUnlessExpired<Inputs, State extends PublishedState>(
  what: "result" | "table",
  id: string,
  stored: StoredResource<Inputs, State> | undefined,
  context: LifecycleContext,
  read: () => Promise<ReadResult<Inputs, State> | undefined>,
): Promise<ReadResult<Inputs, State> | undefined> {
  try {
    return await read();
  } catch (error) {
    if (error instanceof OthersObjectsError && stored?.state.status === "running") {
      context.warn(error.message);
      return { id, ...stored };
    }
    if (error instanceof errors.StorageAccessError && stored?.state.status === "running") {
      context.warn(`cannot read the ${what} of query ${id}${context.secret ? "" : `: ${describeError(error)}`}`);
      return { id, ...stored };
    }
    if (!(error instanceof errors.QueryNotFound)) throw error;
    if (!stored) return undefined;
    if (await isGone(what, stored.state, context)) return undefined;
    const hadEnded = stored.state.status !== "running";
    context.warn(
      `the service no longer has the record of query ${id}${otherQueryText(error)}; the stored state is kept, and the query ` +
        `is not run again` +
        (hadEnded ? "" : '. How it ended is unknown: check its output, and change "triggers" to run it again'),
    );
    return { id, inputs: stored.inputs, state: { ...stored.state, recordExpired: true } };
  }
}
