/** The operations on a resource that is one query: create, read, update and delete of SplitTable and SelectQuery. */
import type { QueryRecord, QuerySummary } from "../../../contract";
import { startDeadline, type Deadline } from "../deadline";
import { checkedState, requireExpected } from "../freshness/expectation";
import {
  followedPart,
  followedState,
  observeInputs,
  takeFingerprint,
  type FollowedObjects,
} from "../freshness/follow-inputs";
import type { Lifecycle, LifecycleContext, StoredResource } from "../lifecycle";
import { parseQueryId } from "../query-id";
import { clusterCoordinator } from "./cluster-coordinator";
import { objectOperations } from "./published-objects";
import { purgePublished } from "./purge";
import type { QueryInputs, QueryKind, QueryState, RecordOf } from "./query-kind";
import {
  cancelAndWait,
  initialState,
  readUnlessExpired,
  recordState,
  requireFinished,
  throwQueryFailed,
  throwResultUnavailable,
} from "./query-resource";
import { isKnownEmpty } from "./results";
import { waitForEnd } from "./waiting";

/** Returns the operations on the resources of a kind. */
export function queryOperations<Inputs extends QueryInputs, State extends QueryState, Type extends QueryRecord["type"]>(
  kind: QueryKind<Inputs, State, Type>,
): Pick<Lifecycle<Inputs, State>, "create" | "read" | "update" | "delete" | "withGoneObjects" | "othersObjects"> {
  const { type, resource, other } = kind;
  const objects = objectOperations(kind);

  /** Returns true when the replacement writes to the folder of the resource that it replaces. */
  function isOverwritten(id: string, { inputs }: StoredResource<Inputs, State>, context: LifecycleContext): boolean {
    const { programTables, urn } = context;
    if (!kind.overwrites || !programTables?.isReplaced(Number(id))) return false;
    return programTables.writerOf(kind.folderOf(inputs)) === urn;
  }

  function waitForQuery(
    queryId: number,
    inputs: Inputs,
    followed: FollowedObjects,
    deadline: Deadline,
    context: LifecycleContext,
    adopted: AdoptedPart = {},
  ): Promise<QueryRecord> {
    const partial = (seen: QuerySummary | undefined) =>
      ({
        ...(seen ? recordState(seen) : initialState(queryId)),
        ...kind.unfinishedOutputs(inputs, seen),
        ...followedPart(followed),
        ...adopted,
      }) as unknown as State;
    return waitForEnd<State>({ queryId, clusterName: inputs.clusterName, partial }, deadline, context);
  }

  /**
   * Collects the result of a finished query and checks it. If the result cannot be read, stores the finished query, and
   * the next update reads the result again.
   */
  async function collect(
    record: RecordOf<Type>,
    inputs: Inputs,
    followed: FollowedObjects & AdoptedPart,
    context: LifecycleContext,
  ): Promise<State> {
    const finished = { ...kind.stateOf(record, inputs), ...followedPart(followed), ...adoptedPart(followed) };
    const state = await kind
      .withResult(finished, record, inputs, context)
      .catch((error: unknown) => throwResultUnavailable(String(record.id), finished, error));
    await requireAsExpected(record.id, record, inputs, state, context);
    return state;
  }

  async function requireAsExpected(
    queryId: number,
    record: RecordOf<Type> | undefined,
    inputs: Inputs,
    state: State,
    context: LifecycleContext,
  ): Promise<void> {
    const { expect } = inputs;
    if (expect === undefined) return;
    await requireExpected(expect, await kind.resultToCheck(queryId, record, inputs, context), state, context);
  }

  return {
    withGoneObjects: objects.withGoneObjects,
    othersObjects: objects.othersObjects,

    async create(news, context) {
      const deadline = startDeadline(context);
      // Before patterns are expanded, so that an object that arrives between the two is noticed later.
      const followed = news.rerunOnInputChange ? await takeFingerprint(kind.objectsOf(news), context) : {};
      const { queryId, adopted, isOfOther } = await kind.submit(news, followed, deadline, context);
      context.programTables?.hold(kind.folderOf(news), adopted === true);
      const taken = adoptedPart({ adopted: isOfOther });
      const record = await waitForQuery(queryId, news, followed, deadline, context, taken);
      const finished = await requireFinished(record, type, context);
      return { id: String(queryId), state: await collect(finished, news, { ...followed, ...taken }, context), adopted };
    },

    async read(id, stored, context) {
      const queryId = parseQueryId(resource, id);
      const found = await readUnlessExpired(id, stored, context, async () => {
        const record = await context.client.getQuery({ queryId }, { signal: context.signal });
        if (!isOfType(record, type)) {
          throw new Error(`query ${id} is a ${record.type}, not a ${type}: use a ${other} for it`);
        }
        const inputs = stored?.inputs ?? kind.inputsOf(record);
        const seen = kind.stateOf(record, inputs);
        if (!stored) return { id, inputs, state: await kind.withResult(seen, record, inputs, context) };
        const { recordExpired: _expired, ...kept } = stored.state;
        const finishedSince = stored.state.status === "running" && record.status === "finished";
        const news = finishedSince ? await kind.withResult(seen, record, inputs, context) : seen;
        const state = { ...kept, ...news };
        if (await objects.isGone(state, context)) return undefined;
        if (!finishedSince) return { id, inputs, state };
        const check = () => requireAsExpected(queryId, record, inputs, state, context);
        return { id, inputs, state: await checkedState(state, check) };
      });
      if (found && stored) await objects.warnOfOthers(id, { inputs: stored.inputs, state: found.state }, context);
      const { status } = found?.state ?? {};
      // Also of a query that runs: its inputs changed since it was submitted, and nothing compares them when it ends.
      if (!found || !stored?.inputs.rerunOnInputChange || (status !== "finished" && status !== "running")) return found;
      return { ...found, state: await observeInputs(found.state, kind.objectsOf(stored.inputs), context) };
    },

    async update(id, { state }, news, context) {
      const queryId = Number(id);
      if (state.status !== "running") {
        const followed = await followedState(news.rerunOnInputChange, state, kind.objectsOf(news), context);
        const updated = await kind.withResultAgain(followed, news, context);
        await requireAsExpected(queryId, undefined, news, updated, context);
        return updated;
      }
      const record = await waitForQuery(queryId, news, state, startDeadline(context), context, adoptedPart(state));
      const finished = await requireFinished(record, type, context).catch((error: unknown) =>
        throwQueryFailed(id, { ...state, ...recordState(record) }, error),
      );
      return collect(finished, news, state, context);
    },

    async delete(id, old, context) {
      const { clusterName, deletionPolicy } = old.inputs;
      clusterCoordinator(context.client, clusterName).relinquished.add(Number(id));
      if (old.state.status === "running") {
        if (old.state.adopted)
          context.info(`query ${id}, which may still run, is not cancelled: another resource or stack submitted it`);
        else await cancelAndWait(Number(id), clusterName, context);
      }
      // If the new query fails, the old result is still there.
      if (isOverwritten(id, old, context)) return;
      if (deletionPolicy === "purge") {
        const isPurged = await purgePublished(objects.published(id, old), context);
        // A replacement makes the objects again.
        if (isPurged && !context.programTables?.isReplaced(Number(id))) kind.purged?.(old.state, context);
      } else if (kind.kept && !(await isKnownEmpty(context.storage, kind.folderOf(old.inputs)))) {
        kind.kept(old.state, context);
      }
    },
  };
}

/** The part of a state that says that a query of another resource published the objects. */
interface AdoptedPart {
  readonly adopted?: boolean | undefined;
}

const adoptedPart = ({ adopted }: AdoptedPart): AdoptedPart => (adopted ? { adopted } : {});

function isOfType<Type extends QueryRecord["type"]>(record: QueryRecord, type: Type): record is RecordOf<Type> {
  return record.type === type;
}
