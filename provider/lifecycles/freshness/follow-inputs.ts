/** Finds out whether the input objects of a query changed since it read them (`rerunOnInputChange`). */
import * as z from "zod";
import { describeError } from "../describe-error";
import type { LifecycleContext } from "../lifecycle";
import { OtherStorageError } from "../queries/folder-comparison";
import { rerunStep } from "../queries/resource-name";
import { redacted } from "../redaction";
import { optional, sometimes } from "../schema/properties";
import { changesSince, fingerprintBefore, fingerprintOf } from "./fingerprint";
import type { InputSource } from "./input-objects";

/** The outputs of a resource that follows its input objects. */
export const followedObjectsOutputs = {
  inputFingerprint: sometimes(
    z.string(),
    "Fingerprint of the names, sizes and etags of the input objects when the query was submitted, or when " +
      "`rerunOnInputChange` was set later. Requires `rerunOnInputChange`.",
  ),
  inputsChanged: sometimes(
    z.array(z.string()),
    "Input objects that the last refresh found changed. The next `pulumi up` runs the query again.",
    { quotesInputs: true },
  ),
};

/** Declares the input `rerunOnInputChange`. */
export function rerunOnInputChangeInput(description: string) {
  return optional(z.boolean({ error: "it must be true or false" }), {
    change: "update",
    fallback: false,
    description,
  });
}

/** What a resource stores when its query is submitted. */
export interface FollowedObjects {
  readonly inputFingerprint?: string | undefined;
}

/** The part of a state that tells about input objects. */
interface FollowedState extends FollowedObjects {
  readonly queryId?: number | undefined;
  readonly status: string;
  readonly startTime?: string | undefined;
  readonly inputsChanged?: readonly string[] | undefined;
}

/**
 * Returns the fingerprint of the input objects; nothing if the storage cannot be read, which is a warning.
 * @throws {OtherStorageError} when it is not that of the service.
 */
export async function takeFingerprint(
  source: InputSource,
  context: Pick<LifecycleContext, "storage" | "warn" | "secret">,
  submitted?: Date,
): Promise<FollowedObjects> {
  const { storage } = context;
  if (!storage) return {};
  try {
    const missing: string[] = [];
    const objects = source(storage, (name) => missing.push(name));
    const inputFingerprint = await (submitted ? fingerprintBefore(objects, submitted) : fingerprintOf(objects));
    if (missing.length > 0) {
      context.warn(`found no objects at ${names(missing, context)}: changes there are not noticed`);
    }
    return { inputFingerprint };
  } catch (error) {
    if (error instanceof OtherStorageError) throw error;
    context.warn(`cannot read the input objects, so their changes are not noticed: ${reason(error, context)}`);
    return {};
  }
}

/**
 * Compares the input objects with the stored fingerprint, for a refresh. Storage that cannot be read is a warning, and
 * changes nothing. So are objects that no longer exist: the query could not run again, also for an earlier change.
 */
export async function observeInputs<State extends FollowedState>(
  follows: boolean | undefined,
  state: State,
  source: InputSource,
  context: LifecycleContext,
): Promise<State> {
  const { storage } = context;
  const { inputFingerprint, startTime, inputsChanged: _before, ...rest } = state;
  // Also of a query that runs: its inputs changed since it was submitted, and nothing compares them when it ends.
  const hasRead = state.status === "finished" || state.status === "running";
  if (!follows || !hasRead || !storage || inputFingerprint === undefined) return state;
  try {
    const missing: string[] = [];
    const objects = source(storage, (name) => missing.push(name));
    const changes = await changesSince(inputFingerprint, objects, timeOf(startTime));
    if (missing.length > 0) {
      const gone = names(missing, context);
      context.warn(`the input objects ${gone} no longer exist, so the query cannot run again: its result is kept`);
      // A change that an earlier refresh has found runs nothing any more.
      return { ...rest, inputFingerprint, startTime } as unknown as State;
    }
    if (changes.length === 0) return { ...rest, inputFingerprint, startTime } as unknown as State;
    const what = context.secret ? "" : `: ${changes.join(", ")}`;
    // Also said by `pulumi up --refresh`, which goes on and runs the query.
    context.info(`the input objects changed since the query read them${what}\n${whenItRuns}`);
    return { ...state, inputsChanged: changes };
  } catch (error) {
    context.warn(`cannot read the input objects, so it is unknown whether they changed: ${reason(error, context)}`);
    return state;
  }
}

/**
 * Returns the state after an update: with a fingerprint if the resource now follows its input objects, in which objects
 * newer than the query count as changed; without one if it no longer does. What the query read is not known any more: a
 * warning says that the other objects count as they are now.
 */
export async function followedState<State extends FollowedState>(
  follows: boolean | undefined,
  state: State,
  source: InputSource,
  context: LifecycleContext,
): Promise<State> {
  const { inputFingerprint, inputsChanged: _changed, ...rest } = state;
  if (!follows) return rest as unknown as State;
  if (inputFingerprint !== undefined) return state;
  const followed = await takeFingerprint(source, context, timeOf(state.startTime));
  if (followed.inputFingerprint && state.status === "finished") context.warn(unknownBefore(state, context));
  return { ...rest, ...followed } as unknown as State;
}

/** Returns only what {@link FollowedObjects} has. */
export function followedPart({ inputFingerprint }: FollowedObjects): FollowedObjects {
  return inputFingerprint === undefined ? {} : { inputFingerprint };
}

function unknownBefore({ queryId }: FollowedState, { urn }: Pick<LifecycleContext, "urn">): string {
  return (
    `rerunOnInputChange is new: what the input objects were when query ${queryId} ran is not known. Those written since count ` +
    "as changed, and the others as they are now: if objects were removed, or replaced by older ones, since it ran, " +
    rerunStep(urn)
  );
}

/** Parses a time of the service, which has whole seconds; an object of the same second counts as newer. */
export function timeOf(startTime: string | undefined): Date {
  const time = new Date(`${(startTime ?? "").replace(" ", "T")}Z`);
  return Number.isNaN(time.getTime()) ? new Date(0) : time;
}

function names(missing: readonly string[], context: Pick<LifecycleContext, "secret">): string {
  return redacted(missing.join(", "), context);
}

function reason(error: unknown, { secret }: Pick<LifecycleContext, "secret">): string {
  return secret ? "the reason is not shown, because an input is secret" : describeError(error);
}

/** True of a refresh by itself, and of one at the beginning of an update. */
const whenItRuns = 'The query runs again in this "pulumi up", or else in the next one.';
