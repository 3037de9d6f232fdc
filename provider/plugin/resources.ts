/** The resource operations of the plugin, implemented by the lifecycles. */
import { printableFailures } from "../pulumi-engine/check-failures";
import { stillRunsText } from "../pulumi-engine/stale-text";
import { compare, warnOfOthersObjects } from "../pulumi-engine/comparison";
import { lifecycleContext, warnOfEarlyReaders, type Runtime } from "../pulumi-engine/runtime";
import { lifecycleOf, PartialCreate, type CheckFailure, type CheckOptions, type LifecycleContext } from "../lifecycles";
import { withRedactedErrors } from "../lifecycles/redaction";
import { isState } from "../lifecycles/schema/properties";
import { deleting, refreshing } from "../lifecycles/unanswered";
import { withoutIgnored, withoutSecretParts, withTableNames, type Difference } from "./differences";
import { UnfinishedError } from "./errors";
import {
  dynamicStateDifferences,
  toStoredResource,
  previewState,
  propertiesOf,
  unfinishedReason,
  withoutDefaults,
  type AnyLifecycle,
  type ResponseValues,
  type ReadValues,
} from "./resource-state";
import type { Unwrapped, Values } from "./struct-values";

/** The resource of a request. */
interface ResourceRequest {
  readonly urn: string;
  /** Timeout in milliseconds; undefined for the default. */
  readonly timeout?: number | undefined;
}

/** A resource from the state file. */
interface ExistingResource extends ResourceRequest {
  readonly id: string;
  /** All its properties. */
  readonly state: Unwrapped;
  readonly inputs: Unwrapped;
}

/** Options for generating a name when the program does not set one. */
interface NamingOptions {
  /** The same seed for a preview and its update; empty if the engine sends none. */
  readonly randomSeed: Uint8Array;
  readonly autonaming: CheckOptions["autonaming"];
}

/** Implements the resource operations for one configuration. */
export class Resources {
  constructor(
    private readonly runtime: Runtime,
    private readonly signal: AbortSignal,
  ) {}

  async check(
    { urn }: ResourceRequest,
    olds: Unwrapped,
    news: Unwrapped,
    { randomSeed, autonaming }: NamingOptions,
  ): Promise<ResponseValues & { readonly failures: readonly CheckFailure[] }> {
    return this.runtime.run.overlaps.registering(() => this.#check({ urn }, olds, news, { randomSeed, autonaming }));
  }

  async #check(
    { urn }: ResourceRequest,
    olds: Unwrapped,
    news: Unwrapped,
    { randomSeed, autonaming }: NamingOptions,
  ): ReturnType<Resources["check"]> {
    const lifecycle = lifecycleFor(urn);
    const { configuration, run } = this.runtime;
    const { submissionToken } = configuration;
    const exists = Object.keys(olds.values).length > 0;
    const secret = news.secrets.size > 0;
    const context = this.#context({ urn }, news.secrets, true);
    const { inputs, failures, warnings } = lifecycle.check(news.values, {
      urn,
      olds: exists ? olds.values : undefined,
      randomSeed: randomSeed.length > 0 ? randomSeed : undefined,
      autonaming,
      storage: context.storage !== undefined,
      submissionToken,
      secret,
      programTables: run.tables,
    });
    run.checked({ urn, secret }, lifecycle, inputs, exists ? olds.values : undefined);
    warnings.forEach((text) => context.warn(text));
    warnOfEarlyReaders(this.runtime);
    // Not with secret inputs, because the message of an overlap quotes locations.
    const found = failures.length > 0 || secret ? failures : await run.overlaps.check(urn, inputs);
    if (found.length > 0) run.refused(urn);
    const more = exists || found.length > 0 ? [] : await run.preflight({ urn, secret }, lifecycle, inputs, context);
    return {
      values: withoutDefaults(lifecycle, inputs as Values),
      secrets: news.secrets,
      failures: printableFailures([...found, ...more], news.values, secret),
    };
  }

  /** @param ignored paths of inputs whose changes the program ignores. */
  async diff(old: ExistingResource, news: Unwrapped, ignored: readonly string[]): Promise<Difference> {
    const lifecycle = lifecycleFor(old.urn);
    const inputNames = new Set(Object.keys(lifecycle.properties.inputs));
    const stored = toStoredResource(lifecycle, old);
    const secrets = new Set([...news.secrets, ...stored.secrets]);
    const context = this.#context(old, secrets, true);
    const compared = await compare(lifecycle, old.id, stored, news.values, context);
    const found = withoutIgnored({ ...compared, inputNames }, ignored);
    const secret = secrets.size > 0;
    const { run } = this.runtime;
    const { reason, replaces } = run.compared({ urn: old.urn, secret }, found, stored, news.values);
    warnOfEarlyReaders(this.runtime);
    if (reason !== undefined) this.runtime.log.status(old.urn, reason);
    if (replaces.length > 0) await warnOfOthersObjects(lifecycle, old.id, stored, news.values, context, run);
    if (found.changes) {
      const named = withTableNames({ ...found, replaces }, secret, (table) => run.tables.isOfNew(table));
      return withoutSecretParts(named, secrets);
    }
    // A state that the dynamic provider wrote needs an update that rewrites it in the plugin's form.
    const detailedDiff = dynamicStateDifferences(lifecycle, old.state.values);
    return { ...found, changes: Object.keys(detailedDiff).length > 0, detailedDiff };
  }

  async create(subject: ResourceRequest, news: Unwrapped): Promise<ResponseValues & { readonly id: string }> {
    const lifecycle = lifecycleFor(subject.urn);
    const context = this.#context(subject, news.secrets);
    try {
      const create = () => lifecycle.create(news.values, context);
      const { id, state } = await this.runtime.run.create(context, create);
      return { id, ...propertiesOf(lifecycle, news, state) };
    } catch (error) {
      throw toUnfinishedError(error, news, lifecycle);
    } finally {
      this.runtime.log.settle(subject.urn);
    }
  }

  /** Returns the values for the preview of a create: the inputs. Outputs of the service are unknown. */
  previewCreate({ urn }: ResourceRequest, news: Unwrapped): ResponseValues {
    const lifecycle = lifecycleFor(urn);
    this.runtime.run.tables.earlyReaders.made(urn);
    return propertiesOf(lifecycle, news, previewState(lifecycle, news.values));
  }

  async update(old: ExistingResource, news: Unwrapped): Promise<ResponseValues> {
    const lifecycle = lifecycleFor(old.urn);
    const context = this.#context(old, news.secrets);
    try {
      const update = () => lifecycle.update(old.id, toStoredResource(lifecycle, old), news.values, context);
      const state = await this.runtime.run.update(context, old.state.values, update);
      return propertiesOf(lifecycle, news, state);
    } catch (error) {
      throw toUnfinishedError(error, news, lifecycle);
    } finally {
      this.runtime.log.settle(old.urn);
    }
  }

  /** Returns the values for the preview of an update. Outputs that the update reads again are unknown. */
  previewUpdate(old: ExistingResource, news: Unwrapped): ResponseValues {
    const lifecycle = lifecycleFor(old.urn);
    return propertiesOf(lifecycle, news, previewState(lifecycle, news.values, toStoredResource(lifecycle, old).state));
  }

  /**
   * Reads a resource; undefined if it no longer exists.
   * @throws {UnfinishedError} when the resource is in the state file and has failed or is not finished.
   */
  async read(subject: ExistingResource): Promise<ReadValues | undefined> {
    const lifecycle = lifecycleFor(subject.urn);
    const isStored = isState(subject.state.values, lifecycle.properties);
    const stored = toStoredResource(lifecycle, subject);
    const secrets = new Set([...subject.inputs.secrets, ...stored.secrets]);
    const context = this.#context(subject, secrets);
    const read = (reading: LifecycleContext) => lifecycle.read(subject.id, isStored ? stored : undefined, reading);
    const found = await (isStored ? refreshing(context, read) : withRedactedErrors(context, () => read(context)));
    if (!found) return undefined;
    if (!isStored) this.runtime.run.lookedUp(found);
    if (!isStored && "status" in found.state && found.state.status === "running") context.warn(stillRunsText(found.id));
    const inputs = { values: found.inputs as Values, secrets };
    const reason = isStored ? unfinishedReason(found, context) : undefined;
    // The engine compares a resource only when its inputs differ from those that the next check returns.
    const isStale = isStored && reason === undefined && lifecycle.diff(found, found.inputs).changes;
    const marked = isStale ? { values: { ...inputs.values, [staleKey]: true }, secrets } : inputs;
    const values = { id: found.id, ...propertiesOf(lifecycle, inputs, found.state), inputs: marked };
    if (reason !== undefined) throw new UnfinishedError(values, [reason]);
    return values;
  }

  async delete(old: ExistingResource): Promise<void> {
    const lifecycle = lifecycleFor(old.urn);
    await this.runtime.run.delete(old.id, this.#context(old, old.inputs.secrets), (context) =>
      deleting(context, () => lifecycle.delete(old.id, toStoredResource(lifecycle, old), context)),
    );
  }

  #context({ urn, timeout }: ResourceRequest, secrets: ReadonlySet<string>, isPlan = false): LifecycleContext {
    return lifecycleContext(this.runtime, { urn, timeout, secret: secrets.size > 0, signal: this.signal, isPlan });
  }
}

/** Input by which a refresh marks a finished resource whose input objects changed. */
const staleKey = "__stale";

/** Returns the lifecycle of a URN. The resource's type, `dag:index:<name>`, is the last of the URN's types. */
function lifecycleFor(urn: string): AnyLifecycle {
  const type = (urn.split("::")[2] ?? "").split("$").at(-1)!;
  const lifecycle = type.startsWith("dag:index:") ? lifecycleOf(type.slice("dag:index:".length)) : undefined;
  if (!lifecycle) throw new Error(`the provider dag has no resource of type "${type}"`);
  return lifecycle;
}

/** Converts {@link PartialCreate}, so that the engine stores the id and state of an unfinished resource. */
function toUnfinishedError(error: unknown, news: Unwrapped, lifecycle: AnyLifecycle): unknown {
  if (!(error instanceof PartialCreate)) return error;
  const values = { id: error.id, inputs: news, ...propertiesOf(lifecycle, news, error.state) };
  return new UnfinishedError(values, error.reasons, { cause: error });
}
