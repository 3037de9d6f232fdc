/** What the engine asks of resources, in the terms of the lifecycles. */
import { printableFailures } from "../pulumi-engine/failures";
import { lifecycleContext, type Runtime } from "../pulumi-engine/runtime";
import { lifecycleOf, PartialCreate, type CheckFailure, type CheckOptions, type LifecycleContext } from "../lifecycles";
import { withoutIgnored, type Difference } from "./differences";
import { UnfinishedError } from "./errors";
import type { Overlaps } from "./overlaps";
import {
  foreignness,
  isState,
  knownOf,
  previewedState,
  propertiesOf,
  unfinishedReason,
  withoutDefaults,
  type AnyLifecycle,
  type Answer,
  type ReadAnswer,
} from "./properties";
import type { Unwrapped, Values } from "./values";

/** A resource of which a request is. */
interface Subject {
  readonly urn: string;
  /** Milliseconds; absent for the default. */
  readonly timeout?: number | undefined;
}

/** A resource as the state file has it. */
interface Existing extends Subject {
  readonly id: string;
  /** All its properties. */
  readonly state: Unwrapped;
  readonly inputs: Unwrapped;
}

/** How a name is made where the program gives none. */
interface Naming {
  /** The same for a preview and its update; empty where the engine has none. */
  readonly randomSeed: Uint8Array;
  readonly autonaming: CheckOptions["autonaming"];
}

/** Serves resources with one configuration. */
export class Resources {
  /** Those that are to be made anew: the engine checks them again, as if there were none yet. */
  readonly #replaced = new Set<string>();

  constructor(
    private readonly runtime: Runtime,
    private readonly overlaps: Overlaps,
    private readonly signal: AbortSignal,
  ) {}

  async check(
    { urn }: Subject,
    olds: Unwrapped,
    news: Unwrapped,
    { randomSeed, autonaming }: Naming,
  ): Promise<Answer & { readonly failures: readonly CheckFailure[] }> {
    const lifecycle = lifecycleFor(urn);
    const { configuration, storage, log } = this.runtime;
    const exists = Object.keys(olds.values).length > 0;
    const secret = news.secrets.size > 0;
    const { inputs, failures, warnings } = lifecycle.check(news.values, {
      urn,
      olds: exists ? olds.values : undefined,
      randomSeed: randomSeed.length > 0 ? randomSeed : undefined,
      autonaming,
      storage: storage !== undefined,
      submissionToken: configuration.submissionToken,
      secret,
    });
    const warn = (text: string) => log.message(urn, "warning", text);
    warnings.forEach(warn);
    // A message about an overlap quotes locations.
    const found = failures.length > 0 || secret ? failures : await this.overlaps.claim(urn, inputs as Values);
    // What the resource itself has made is no news: only a new resource is warned of.
    if (!exists && found.length === 0 && !this.#replaced.has(urn)) {
      await lifecycle.preflight?.(inputs, { storage, warn, secret });
    }
    return {
      values: withoutDefaults(lifecycle, inputs as Values),
      secrets: news.secrets,
      failures: printableFailures(found, news.values, secret),
    };
  }

  /** @param ignored paths of inputs whose changes the program ignores. */
  diff(old: Existing, news: Unwrapped, ignored: readonly string[]): Difference {
    const lifecycle = lifecycleFor(old.urn);
    const inputNames = new Set(Object.keys(lifecycle.properties.inputs));
    const all = { ...lifecycle.diff(knownOf(lifecycle, old), news.values), inputNames };
    const found = withoutIgnored(all, ignored);
    if (found.replaces.length > 0) this.#replaced.add(old.urn);
    if (found.changes) return found;
    // A resource that the dynamic provider made is the same, but its state is written anew.
    const detailedDiff = foreignness(lifecycle, old.state.values);
    return { ...found, changes: Object.keys(detailedDiff).length > 0, detailedDiff };
  }

  async create(subject: Subject, news: Unwrapped): Promise<Answer & { readonly id: string }> {
    const lifecycle = lifecycleFor(subject.urn);
    const context = this.#context(subject, news.secrets);
    try {
      const { id, state } = await lifecycle.create(news.values, context);
      return { id, ...propertiesOf(lifecycle, news, state) };
    } catch (error) {
      throw unfinished(error, news, lifecycle);
    }
  }

  /** What a preview of a create knows: the inputs, and nothing that the service will say. */
  previewCreate({ urn }: Subject, news: Unwrapped): Answer {
    const lifecycle = lifecycleFor(urn);
    return propertiesOf(lifecycle, news, previewedState(lifecycle, news.values));
  }

  async update(old: Existing, news: Unwrapped): Promise<Answer> {
    const lifecycle = lifecycleFor(old.urn);
    const context = this.#context(old, news.secrets);
    try {
      return propertiesOf(
        lifecycle,
        news,
        await lifecycle.update(old.id, knownOf(lifecycle, old), news.values, context),
      );
    } catch (error) {
      throw unfinished(error, news, lifecycle);
    }
  }

  /** What a preview of an update knows: what will be waited for or looked at again is unknown. */
  previewUpdate(old: Existing, news: Unwrapped): Answer {
    const lifecycle = lifecycleFor(old.urn);
    return propertiesOf(lifecycle, news, previewedState(lifecycle, news.values, knownOf(lifecycle, old).state));
  }

  /**
   * The resource as the service has it; undefined where it is gone.
   * @throws {UnfinishedError} where it is in the state file already, and failed or is not finished.
   */
  async read(subject: Existing): Promise<ReadAnswer | undefined> {
    const lifecycle = lifecycleFor(subject.urn);
    const isKnown = isState(lifecycle, subject.state.values);
    const known = knownOf(lifecycle, subject);
    const secrets = new Set([...subject.inputs.secrets, ...known.secrets]);
    const context = this.#context(subject, secrets);
    const found = await lifecycle.read(subject.id, isKnown ? known : undefined, context);
    if (!found) return undefined;
    const inputs = { values: found.inputs as Values, secrets };
    const answer = { id: found.id, inputs, ...propertiesOf(lifecycle, inputs, found.state) };
    const reason = isKnown ? unfinishedReason(found) : undefined;
    if (reason !== undefined) throw new UnfinishedError(answer, [reason]);
    return answer;
  }

  async delete(old: Existing): Promise<void> {
    const lifecycle = lifecycleFor(old.urn);
    await lifecycle.delete(old.id, knownOf(lifecycle, old), this.#context(old, old.inputs.secrets));
  }

  #context({ urn, timeout }: Subject, secrets: ReadonlySet<string>): LifecycleContext {
    return lifecycleContext(this.runtime, { urn, timeout, secret: secrets.size > 0, signal: this.signal });
  }
}

/** Type of a resource for the engine is `dag:index:<name>`; the URN holds it as the last of its types. */
function lifecycleFor(urn: string): AnyLifecycle {
  const type = (urn.split("::")[2] ?? "").split("$").at(-1)!;
  const lifecycle = type.startsWith("dag:index:") ? lifecycleOf(type.slice("dag:index:".length)) : undefined;
  if (!lifecycle) throw new Error(`the provider dag has no resource of type "${type}"`);
  return lifecycle;
}

/** What is said of an operation that failed: of what is submitted and not finished, id and state are kept. */
function unfinished(error: unknown, news: Unwrapped, lifecycle: AnyLifecycle): unknown {
  if (!(error instanceof PartialCreate)) return error;
  const answer = { id: error.id, inputs: news, ...propertiesOf(lifecycle, news, error.state) };
  return new UnfinishedError(answer, error.reasons, { cause: error });
}
