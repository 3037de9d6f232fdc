/** Tells of input objects that were written after a split read them, where nothing follows them. */
import { describeError } from "../describe-error";
import type { LifecycleContext } from "../lifecycle";
import { redacted } from "../redaction";
import { observeInputs, timeOf } from "./follow-inputs";
import { lookUpObjects, objectsNamed } from "./input-objects";

/** The service's times have whole seconds. */
const secondMilliseconds = 1_000;

type LookupContext = Pick<LifecycleContext, "storage" | "secret">;

/** The inputs and the state of a table that tell about input objects. */
interface NamedInputs {
  readonly inputObjectKeys: readonly string[];
  readonly rerunOnInputChange?: boolean | undefined;
}
type ObservedState = Parameters<typeof observeInputs>[1];

/** What was found out about objects: those that are newer, as a text, or why that is unknown; nothing if none is. */
interface ChangedInputs {
  readonly newer?: string;
  readonly problem?: string;
}

/**
 * Looks for objects that were written after a query was accepted.
 * @param names of objects; patterns among them, and objects that do not exist, are left out
 * @param startTime the query's
 */
export async function changedInputs(
  names: readonly string[],
  startTime: string,
  context: LookupContext,
): Promise<ChangedInputs> {
  const { storage } = context;
  if (!storage) return {};
  const since = timeOf(startTime).getTime() + secondMilliseconds;
  let newer: string[];
  try {
    const objects = await lookUpObjects(storage, names);
    newer = objects.filter(({ object }) => object && object.lastModified.getTime() >= since).map(({ name }) => name);
  } catch (error) {
    return { problem: context.secret ? "" : `: ${describeError(error)}` };
  }
  const [first, ...more] = newer;
  if (first === undefined) return {};
  return { newer: `${redacted(first, context)}${more.length > 0 ? ` and ${more.length} more` : ""}` };
}

/**
 * Compares the input objects of a table with what its split read, for a refresh, as {@link observeInputs} does. Of a table
 * that does not follow them, a refresh says which objects it does not have.
 */
export async function observeNamedInputs<State extends ObservedState>(
  { inputObjectKeys, rerunOnInputChange }: NamedInputs,
  state: State,
  context: LifecycleContext,
): Promise<State> {
  if (!rerunOnInputChange && state.status === "finished" && state.startTime) {
    const { newer } = await changedInputs(inputObjectKeys, state.startTime, context);
    const because = context.isLookup ? "" : ", because rerunOnInputChange is not set";
    if (newer !== undefined) {
      context.info(`${newer}: written after the query read it, and the table keeps what it has${because}`);
    }
  }
  return observeInputs(rerunOnInputChange, state, objectsNamed(inputObjectKeys), context);
}
