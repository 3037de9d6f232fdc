/** What SplitTable and SelectQuery, the resources that are one query, differ in. */
import type { QueryRecord, QuerySummary } from "../../../contract";
import type { Deadline } from "../deadline";
import type { Expectation, Result } from "../freshness/expectation";
import type { FollowedObjects, InputSource } from "../freshness/follow-inputs";
import type { LifecycleContext } from "../lifecycle";
import type { ObjectList } from "./results";
import type { Submitted } from "./submission";

/** The inputs that the operations need. */
export interface QueryInputs {
  readonly clusterName: string;
  readonly rerunOnInputChange?: boolean | undefined;
  readonly expect?: Expectation | undefined;
  readonly deletionPolicy?: "keep" | "purge" | undefined;
}

/** The state that the operations need. */
export interface QueryState extends FollowedObjects {
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

export type RecordOf<Type extends QueryRecord["type"]> = Extract<QueryRecord, { type: Type }>;

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
  /** Says that a deleted resource's objects were deleted with it. @default nothing */
  purged?(state: State, context: LifecycleContext): void;
}
