/**
 * The interface of a resource's lifecycle. The front ends (dynamic provider and plugin) call lifecycles and convert the
 * values. Lifecycles depend neither on Pulumi nor on HTTP.
 */
import type { Client } from "../client";
import type { Storage } from "../../storage";
import type { ServiceTables } from "./columns/service-tables";
import type { KeptResults } from "./freshness/kept-results";
import type { ProgramTables } from "./freshness/program-tables";
import type { Properties } from "./schema/properties";

/** The dependencies of a lifecycle's operation. */
export interface LifecycleContext {
  readonly client: Client;
  /** The object storage of the service, if it is configured. */
  readonly storage?: Storage | undefined;
  /** Aborted when the user interrupts the operation. A wait then ends with {@link PartialCreate}. */
  readonly signal: AbortSignal;
  /** Timeout of create, update and delete, in milliseconds. */
  readonly timeout: number;
  /** URN of the resource, unique across all stacks. The submission token is computed from it. */
  readonly urn: string;
  /** True when a token is added to the label of each query (see `dag:submissionToken`). */
  readonly submissionToken: boolean;
  /** Base URL of the console, without a trailing `/`; absent when messages do not link to it (see `dag:consoleUrl`). */
  readonly consoleUrl?: string | undefined;
  /** True when an input is secret. Messages then contain neither inputs nor the log. */
  readonly secret: boolean;
  /** The tables that the program's resources make, as far as this run has checked them. */
  readonly programTables?: ProgramTables | undefined;
  /** True when a read, or a refresh, is that of a resource which the program only looks up. @default it may be an import */
  readonly isLookup?: boolean | undefined;
  /** True when `retainOnDelete` keeps what the resource has when it is replaced. @default unknown */
  readonly isRetained?: boolean | undefined;
  /** Shows the progress in the resource's row. */
  report(status: string): void;
  /** Prints a permanent message. */
  info(message: string): void;
  /** Prints a permanent warning. */
  warn(message: string): void;
  /** Returns the milliseconds since 1970. */
  now(): number;
  /** Resolves after `milliseconds`; rejects with the signal's reason when the signal is aborted. */
  sleep(milliseconds: number, signal?: AbortSignal): Promise<void>;
}

/** An invalid input. */
export interface CheckFailure {
  readonly property: string;
  readonly reason: string;
}

/** Result of a check: the inputs with generated names filled in, and the problems. */
export interface CheckResult<Inputs> {
  readonly inputs: Inputs;
  readonly failures: readonly CheckFailure[];
  /** Possible problems that only the service can confirm. */
  readonly warnings: readonly string[];
}

/** Options of a check. */
export interface CheckOptions {
  readonly urn: string;
  /** Inputs of the existing resource; absent for a new one. */
  readonly olds?: object | undefined;
  /** Seed for generated names, which makes them reproducible. @default random */
  readonly randomSeed?: Uint8Array | undefined;
  /** The user's autonaming setting. @default the resource's name and 7 random characters */
  readonly autonaming?: Autonaming | undefined;
  /** True when object storage is configured. */
  readonly storage: boolean;
  /** True when a token is added to the label of each query. */
  readonly submissionToken: boolean;
  /** True when an input is secret. Messages then quote no input. */
  readonly secret: boolean;
  /** The tables that the program's resources make. The check adds the resource's own. @default nothing is followed */
  readonly programTables?: ProgramTables | undefined;
}

/** The setting `pulumi:autonaming` for a resource. */
interface Autonaming {
  readonly proposedName: string;
  /**
   * `enforce`: use the name unchanged. `propose`: the name may be adapted. `disable`: the program must set the name.
   */
  readonly mode: "enforce" | "propose" | "disable";
}

/** The difference of one property. */
export interface PropertyDiff {
  readonly kind: "add" | "update" | "delete";
  readonly replace: boolean;
}

/** The difference between an existing resource and new inputs. */
export interface DiffResult {
  readonly changes: boolean;
  /** Names or paths of the properties whose change requires a replacement. */
  readonly replaces: readonly string[];
  /** True when the old resource must be deleted before its replacement is created. */
  readonly deleteBeforeReplace: boolean;
  /** Why the resource is replaced, for messages, such as `query changed`. */
  readonly reasons: readonly string[];
  /** The properties among `replaces` whose new values are not known yet, so that they may be the same. @default none */
  readonly unknown?: readonly string[];
  /** Names of the tables that a query reads and that were rebuilt. @default none */
  readonly rebuilt?: readonly string[];
  /** Every changed property, by path. */
  readonly detailedDiff: Readonly<Record<string, PropertyDiff>>;
}

/** The dependencies of a preflight. */
export interface PreflightContext extends Pick<LifecycleContext, "storage" | "warn" | "secret" | "programTables"> {
  /** The service. @default nothing is asked */
  readonly serviceTables?: ServiceTables | undefined;
  /** @default nothing is asked */
  readonly client?: Client | undefined;
  /** Folder of the resource that this one replaces, whose objects are its own. @default none */
  readonly ownFolder?: string | undefined;
  /** The results that this run keeps. @default those that a query reads are not examined */
  readonly keptResults?: KeptResults | undefined;
  /** URN of the resource. @default it is not known whether an existing table would be adopted */
  readonly urn?: string | undefined;
  /** True when a token is added to the label of each query. @default false */
  readonly submissionToken?: boolean | undefined;
  /** True when the program asks that a replacement is created before the old resource is deleted. @default false */
  readonly createsFirst?: boolean | undefined;
  /** True when the old resource is deleted before its replacement is created, also with `--replace`. @default false */
  readonly deletesFirst?: boolean | undefined;
}

/** Result of a preflight. */
export interface Preflight {
  /** Folder with objects that creating the resource deletes, for a message. */
  readonly deletes?: string | undefined;
  /** True when it deletes objects, or nobody can tell. Creating it then waits for what the program registers after it. */
  readonly mayDelete?: boolean | undefined;
  /** True when nobody can tell whether it deletes objects. */
  readonly isUnchecked?: boolean | undefined;
  /** True when no query will run, because the resource adopts what one has made. */
  readonly adopts?: boolean | undefined;
  readonly failures?: readonly CheckFailure[] | undefined;
}

/** Id and state of a resource. */
interface Resource<State> {
  readonly id: string;
  readonly state: State;
}

/** Result of a create. */
interface CreateResult<State> extends Resource<State> {
  /** True when a query of an earlier run, or the table of an earlier split, was taken over. */
  readonly adopted?: boolean | undefined;
}

/** Result of a read. `inputs` are the inputs that would create the resource. */
export interface ReadResult<Inputs, State> extends Resource<State> {
  readonly inputs: Inputs;
}

/** Inputs and state of a resource in the state file. */
export interface StoredResource<Inputs, State> {
  readonly inputs: Inputs;
  readonly state: State;
}

/** The lifecycle of one kind of resource. */
export interface Lifecycle<Inputs extends object, State extends object> {
  /** Name of the resource, as in `dag:index:<name>`. */
  readonly name: string;
  /** Description for schema.json and the documentation. */
  readonly description: string;
  readonly properties: Properties;
  /** Validates inputs and fills in generated names. Pure and without network access. */
  check(inputs: object, options: CheckOptions): CheckResult<Inputs>;
  /**
   * Finds out what creating the resource would delete, and whether its inputs exist. Only reads from the storage and the
   * service; that one of them is inaccessible is a warning.
   * @param isReplacement true when the resource exists, and this run replaces it.
   */
  preflight?(inputs: Inputs, context: PreflightContext, isReplacement?: boolean): Promise<Preflight>;
  /** Compares an existing resource with new inputs. Pure. */
  diff(old: { readonly inputs: Inputs; readonly state?: Partial<State> | undefined }, news: Inputs): DiffResult;
  /**
   * Adds to a difference what others, or an interrupted run, do to the objects of a resource. Reads the storage only when
   * the resource has adopted them: otherwise a refresh does.
   */
  withObserved?(
    id: string,
    old: StoredResource<Inputs, State>,
    diff: DiffResult,
    context: LifecycleContext,
  ): Promise<DiffResult>;
  /** Computes the outputs that depend only on the inputs. Pure. */
  outputsFromInputs(inputs: Inputs): Partial<State>;
  create(inputs: Inputs, context: LifecycleContext): Promise<CreateResult<State>>;
  /** Reads the current resource; undefined if it no longer exists. `stored` is undefined for an import. */
  read(
    id: string,
    stored: StoredResource<Inputs, State> | undefined,
    context: LifecycleContext,
  ): Promise<ReadResult<Inputs, State> | undefined>;
  /** Continues an interrupted create and applies inputs that do not require a replacement. */
  update(id: string, old: StoredResource<Inputs, State>, news: Inputs, context: LifecycleContext): Promise<State>;
  delete(id: string, old: StoredResource<Inputs, State>, context: LifecycleContext): Promise<void>;
  /**
   * Says what the replacement of a resource does with objects that are not, or no longer, its own: it keeps, deletes or
   * adopts them. Undefined without such objects.
   * @throws an error when the replacement cannot be made, before anything is deleted.
   */
  othersObjects?(
    id: string,
    old: StoredResource<Inputs, State>,
    news: Inputs,
    context: LifecycleContext,
  ): Promise<OthersObjects | undefined>;
}

/** What becomes of objects that are not, or no longer, those of a resource that is replaced. */
export interface OthersObjects {
  /** For the user. */
  readonly warning: string;
  /** `adopted`: no query runs, and nothing is deleted. */
  readonly effect: "kept" | "deleted" | "adopted";
}

/** A resource was submitted but is not finished. Its id and state must be stored; the next update continues it. */
export class PartialCreate<State extends object = object> extends Error {
  override readonly name = "PartialCreate";
  constructor(
    readonly id: string,
    readonly state: State,
    /** Messages for the user: why the resource is not finished. */
    readonly reasons: readonly string[],
    options?: ErrorOptions,
  ) {
    super(reasons.join("\n"), options);
  }
}
