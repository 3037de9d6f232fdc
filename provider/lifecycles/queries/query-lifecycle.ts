/** The operations on a resource that is one query: create, read, update and delete of SplitTable and SelectQuery. */
import type { QueryRecord, QuerySummary } from "../../../contract";
import { startDeadline, type Deadline } from "../deadline";
import { checkedState, requireExpected, type Expectation, type Result } from "../freshness/expectation";
import {
  followedPart,
  followedState,
  observeInputs,
  takeFingerprint,
  type FollowedObjects,
  type InputSource,
} from "../freshness/follow-inputs";
import type { Lifecycle, LifecycleContext, StoredResource } from "../lifecycle";
import { parseQueryId } from "../query-id";
import { redacted } from "../redaction";
import { hasUnknown } from "../schema/check";
import { clusterCoordinator } from "./cluster-coordinator";
import { purgePublished, whyKept, type Published } from "./purge";
import {
  cancelAndWait,
  initialState,
  readUnlessExpired,
  recordState,
  requireFinished,
  throwQueryFailed,
  throwResultUnavailable,
} from "./query-resource";
import { folderOf, hasObjects, type ObjectList } from "./results";
import type { Submitted } from "./submission";
import { waitForEnd } from "./waiting";

/** The inputs that the operations need. */
interface QueryInputs {
  readonly clusterName: string;
  readonly rerunOnInputChange?: boolean | undefined;
  readonly expect?: Expectation | undefined;
  readonly deletionPolicy?: "keep" | "purge" | undefined;
}

/** The state that the operations need. */
interface QueryState extends FollowedObjects {
  readonly status: string;
  readonly startTime: string;
  /** The folder of the objects. */
  readonly location: string;
  readonly result?: ObjectList | undefined;
  /** True when a query of another resource published the objects. */
  readonly adopted?: boolean | undefined;
  readonly recordExpired?: boolean | undefined;
  readonly inputsChanged?: readonly string[] | undefined;
}

type RecordOf<Type extends QueryRecord["type"]> = Extract<QueryRecord, { type: Type }>;

/** What is different between the two resources. */
export interface QueryKind<Inputs extends QueryInputs, State extends QueryState, Type extends QueryRecord["type"]> {
  readonly type: Type;
  readonly resource: "SelectQuery" | "SplitTable";
  /** The resource for queries of the other type. */
  readonly other: "SelectQuery" | "SplitTable";
  /** Returns the input objects, for their fingerprint. */
  objectsOf(inputs: Inputs): InputSource;
  /** Submits the query, or finds one that can be adopted. */
  submit(inputs: Inputs, followed: FollowedObjects, deadline: Deadline, context: LifecycleContext): Promise<Submitted>;
  /** Returns the outputs of an unfinished query besides the common ones. */
  unfinishedOutputs(inputs: Inputs, seen: QuerySummary | undefined): Partial<State>;
  /** Returns the state that a record tells, without the result. */
  stateOf(record: RecordOf<Type>, inputs: Inputs): State;
  /** Adds the result to the state of a query that has ended. */
  withResult(state: State, record: RecordOf<Type>, inputs: Inputs, context: LifecycleContext): Promise<State>;
  /** Reads the result of a finished query again, for changed inputs. */
  withResultAgain(state: State, inputs: Inputs, context: LifecycleContext): Promise<State>;
  /**
   * Describes the result for the check of an expectation.
   * @param record undefined when the query finished in an earlier run.
   */
  resultToCheck(
    queryId: number,
    record: RecordOf<Type> | undefined,
    inputs: Inputs,
    context: LifecycleContext,
  ): Promise<Result>;
  /** Returns the inputs that would submit a query, for an import. */
  inputsOf(record: RecordOf<Type>): Inputs;
  /** True when a query deletes all objects that are in its folder before it publishes. */
  readonly overwrites: boolean;
  /** Returns the folder that a query with these inputs writes, as a location. */
  folderOf(inputs: Inputs): string;
  /** Says that a deleted resource's objects are kept. @default nothing */
  kept?(state: State, context: LifecycleContext): void;
}

/** Returns the operations on the resources of a kind. */
export function queryOperations<Inputs extends QueryInputs, State extends QueryState, Type extends QueryRecord["type"]>(
  kind: QueryKind<Inputs, State, Type>,
): Pick<Lifecycle<Inputs, State>, "create" | "read" | "update" | "delete" | "othersObjects"> {
  const { type, resource, other } = kind;

  function published(id: string, { inputs, state }: StoredResource<Inputs, State>): Published {
    return { queryId: Number(id), folder: kind.folderOf(inputs), objects: state.result, adopted: state.adopted };
  }

  /** Says at a refresh that the objects are no longer what the outputs describe, and that a later delete keeps them. */
  async function warnOfOthers(
    id: string,
    old: StoredResource<Inputs, State>,
    context: LifecycleContext,
  ): Promise<void> {
    // Without an etag, only a search through the service's records tells, which a refresh is not worth.
    if (old.state.status !== "finished" || old.state.result?.etag === undefined) return;
    const reason = await whyKept({ ...published(id, old), adopted: false }, context);
    if (reason === undefined) return;
    const folder = redacted(kind.folderOf(old.inputs), context);
    const kept = old.inputs.deletionPolicy === "purge" ? ". A delete will keep the objects" : "";
    context.warn(
      `the outputs describe what query ${id} wrote to ${folder}, where other objects are now: ${reason}${kept}. ` +
        `Change "triggers" to run it again`,
    );
  }

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
        if (await isGone(kind, state, context)) return undefined;
        if (!finishedSince) return { id, inputs, state };
        const check = () => requireAsExpected(queryId, record, inputs, state, context);
        return { id, inputs, state: await checkedState(state, check) };
      });
      if (found && stored) await warnOfOthers(id, { inputs: stored.inputs, state: found.state }, context);
      if (!found || !stored?.inputs.rerunOnInputChange || found.state.status !== "finished") return found;
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
      if (old.state.status === "running") await cancelAndWait(Number(id), clusterName, context);
      // If the new query fails, the old result is still there.
      if (isOverwritten(id, old, context)) return;
      if (deletionPolicy === "purge") await purgePublished(published(id, old), context);
      else kind.kept?.(old.state, context);
    },

    async othersObjects(id, old, news, context) {
      const { status, result } = old.state;
      const isPurged = old.inputs.deletionPolicy === "purge";
      const isSame = kind.overwrites && !hasUnknown(news) && kind.folderOf(news) === kind.folderOf(old.inputs);
      // Without an etag, a folder that is not purged is not worth a search through the service's records.
      if (!isPurged && (!isSame || status !== "finished" || result?.etag === undefined)) return undefined;
      // The replacement holds the folder only when it has been created.
      const reason = await whyKept(published(id, old), { ...context, programTables: undefined });
      if (reason === undefined) return undefined;
      if (!isSame) return `the replacement keeps the objects of its old query ${id}: ${reason}`;
      const folder = redacted(kind.folderOf(old.inputs), context);
      return `the new query deletes all objects in ${folder}, also those that are not of its old query ${id}: ${reason}. Move them away first to keep them`;
    },
  };
}

/** The part of a state that says that a query of another resource published the objects. */
interface AdoptedPart {
  readonly adopted?: boolean | undefined;
}

const adoptedPart = ({ adopted }: AdoptedPart): AdoptedPart => (adopted ? { adopted } : {});

/** Returns true when all objects were deleted: the resource no longer exists, and is made again. */
async function isGone(
  { resource }: { readonly resource: "SelectQuery" | "SplitTable" },
  { status, location, result }: QueryState,
  context: LifecycleContext,
): Promise<boolean> {
  const { storage, warn } = context;
  if (!storage || status !== "finished" || !result || result.objects.length === 0) return false;
  if (await hasObjects(storage, location)) return false;
  const folder = redacted(location, context);
  // A storage that is configured wrongly has no bucket either, and must not make everything run again.
  if (!(await storage.bucketExists(folderOf(location).bucket))) {
    warn(`the bucket of ${folder} does not exist in dag:storage: it is unknown whether the objects there still exist`);
    return false;
  }
  const what = resource === "SplitTable" ? "table" : "result";
  warn(`the objects in ${folder} were deleted, so the ${what} no longer exists: run "pulumi up" to create it again`);
  return true;
}

function isOfType<Type extends QueryRecord["type"]>(record: QueryRecord, type: Type): record is RecordOf<Type> {
  return record.type === type;
}
