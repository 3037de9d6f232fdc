/**
 * What every resource of the provider does. Front ends (dynamic providers, the plugin) call these and translate;
 * nothing here knows Pulumi or HTTP.
 */
import type { Client } from "../client";
import type { Storage } from "../../storage";
import type { Properties } from "./schema/properties";

/** Something a lifecycle needs to do its work. */
export interface LifecycleContext {
  readonly client: Client;
  /** The object storage behind the service, where configured. */
  readonly storage?: Storage | undefined;
  /** Aborted when the user interrupts; a wait then ends in {@link PartialCreate}. */
  readonly signal: AbortSignal;
  /** How long create, update and delete may take, in milliseconds. */
  readonly timeout: number;
  /** What identifies the resource among all of all stacks; the submission token is made of it. */
  readonly urn: string;
  /** Whether submissions carry a token by which they are found again. */
  readonly submissionToken: boolean;
  /** Whether an input is secret: what quotes inputs or the log is then kept out of messages. */
  readonly secret: boolean;
  /** Shows a line on the resource's row. */
  report(status: string): void;
  /** Tells the user something that stays on the screen. */
  info(message: string): void;
  /** Tells the user something that stays on the screen and asks for attention. */
  warn(message: string): void;
  /** Milliseconds since 1970. */
  now(): number;
  /** Resolves after `milliseconds`; rejects with the signal's reason as soon as it is aborted. */
  sleep(milliseconds: number, signal?: AbortSignal): Promise<void>;
}

/** One input that is not as it must be. */
export interface CheckFailure {
  readonly property: string;
  readonly reason: string;
}

/** Inputs as the resource will use them, names filled in, and what is wrong with them. */
export interface CheckResult<Inputs> {
  readonly inputs: Inputs;
  readonly failures: readonly CheckFailure[];
  /** What may be wrong, though only the service knows. */
  readonly warnings: readonly string[];
}

/** What a check goes by besides the inputs. */
export interface CheckOptions {
  readonly urn: string;
  /** Inputs of the resource as it is; absent where a new one is to be made. */
  readonly olds?: object | undefined;
  /** Makes names that are filled in the same again. @default chance */
  readonly randomSeed?: Uint8Array | undefined;
  /** How the user wants names filled in. @default the resource's name and 7 characters of chance */
  readonly autonaming?: Autonaming | undefined;
  /** Whether object storage is configured. */
  readonly storage: boolean;
  /** Whether submissions carry a token. */
  readonly submissionToken: boolean;
  /** Whether an input is secret, so that messages must not quote any. */
  readonly secret: boolean;
}

/** What the setting `pulumi:autonaming` says of a resource. */
interface Autonaming {
  readonly proposedName: string;
  /** Whether the name is to be used as it is, may be adapted, or must be given by the program. */
  readonly mode: "enforce" | "propose" | "disable";
}

/** How one property differs. */
export interface PropertyDiff {
  readonly kind: "add" | "update" | "delete";
  readonly replace: boolean;
}

/** What new inputs mean for a resource that exists. */
export interface DiffResult {
  readonly changes: boolean;
  /** Properties that only a new resource can have. */
  readonly replaces: readonly string[];
  /** Whether the old resource must go before the new one comes. */
  readonly deleteBeforeReplace: boolean;
  /** Every property that differs, by its path. */
  readonly detailedDiff: Readonly<Record<string, PropertyDiff>>;
}

/** A resource as the state file keeps it. */
interface Resource<State> {
  readonly id: string;
  readonly state: State;
}

/** A resource as the service has it; `inputs` are what would have made it. */
export interface ReadResult<Inputs, State> extends Resource<State> {
  readonly inputs: Inputs;
}

/** A resource that exists. */
export interface Known<Inputs, State> {
  readonly inputs: Inputs;
  readonly state: State;
}

/** The lifecycle of one kind of resource. */
export interface Lifecycle<Inputs extends object, State extends object> {
  /** Name of the resource, as in `dag:index:<name>`. */
  readonly name: string;
  /** What it is, for schema.json and the documentation. */
  readonly description: string;
  readonly properties: Properties;
  /** Checks inputs and fills in names. Pure, and without network: the engine calls it one resource after another. */
  check(inputs: object, options: CheckOptions): CheckResult<Inputs>;
  /** Warns of what making the resource would destroy. Looks at the storage only, and never fails. */
  preflight?(inputs: Inputs, context: Pick<LifecycleContext, "storage" | "warn" | "secret">): Promise<void>;
  /** Compares a resource with new inputs. Pure. */
  diff(old: { readonly inputs: Inputs; readonly state?: Partial<State> | undefined }, news: Inputs): DiffResult;
  /** The outputs that only say what the inputs say. Pure. */
  named(inputs: Inputs): Partial<State>;
  create(inputs: Inputs, context: LifecycleContext): Promise<Resource<State>>;
  /** The resource as it is now, or undefined where it is gone; `known` is absent on import. */
  read(
    id: string,
    known: Known<Inputs, State> | undefined,
    context: LifecycleContext,
  ): Promise<ReadResult<Inputs, State> | undefined>;
  /** Goes on with a resource whose create was interrupted, and takes over inputs that need no new one. */
  update(id: string, old: Known<Inputs, State>, news: Inputs, context: LifecycleContext): Promise<State>;
  delete(id: string, old: Known<Inputs, State>, context: LifecycleContext): Promise<void>;
}

/** The resource was submitted but is not finished: its id and state must be kept, the next update goes on with it. */
export class PartialCreate<State extends object = object> extends Error {
  override readonly name = "PartialCreate";
  constructor(
    readonly id: string,
    readonly state: State,
    /** Why it is not finished, for the user. */
    readonly reasons: readonly string[],
    options?: ErrorOptions,
  ) {
    super(reasons.join("\n"), options);
  }
}
