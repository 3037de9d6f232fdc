/**
 * The dynamic provider behind every resource (front end 1 of the design): translates what the engine asks to the
 * lifecycles and back.
 */
import type * as dynamic from "@pulumi/pulumi/dynamic";
import { engineLog } from "../pulumi-engine/log";
import { printableFailures } from "../pulumi-engine/failures";
import { lifecycleContext, openRuntime, type Runtime } from "../pulumi-engine/runtime";
import { lifecycleOf, PartialCreate, type Lifecycle, type LifecycleContext } from "../lifecycles";
import { readConfiguration } from "../lifecycles/configuration";
import { explain } from "../lifecycles/explanation";
import { OperationError, UnfinishedError } from "./errors";
import { lifecycleName, providerKey, type Hidden } from "./hidden";
import { encodeInputs, encodeState, hiddenOf, isState, ownValues, splitState } from "./values";

type Values = Readonly<Record<string, unknown>>;

/** The dynamic provider of all resources; {@link Hidden} in their inputs tells which is meant. */
export function createProvider(world: {
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly engineAddress: string | undefined;
  /** Aborted when the user interrupts. @default never */
  readonly signal?: AbortSignal;
}): Required<dynamic.ResourceProvider<Values, Values>> {
  // The SDK calls configure together with the first other calls, so each of them waits for it.
  const configured = Promise.withResolvers<dynamic.ConfigureRequest>();
  let runtime: Promise<Runtime> | undefined;
  const replaced = new Set<string>();

  const ready = () =>
    (runtime ??= configured.promise.then(({ config }) => {
      const configuration = readConfiguration((key) => config.get(`dag:${key}`), world.environment);
      return openRuntime(configuration, engineLog(world.engineAddress));
    }));

  const contextFor = async ({ urn, secret }: Hidden, timeout?: number): Promise<LifecycleContext> =>
    lifecycleContext(await ready(), { urn, secret: secret === true, timeout, signal: world.signal });

  return {
    async configure(request) {
      configured.resolve(request);
      return Promise.resolve();
    },

    async check(olds, news) {
      const hidden = hiddenOf(news);
      const secret = hidden.secret === true;
      try {
        const lifecycle = lifecycleFor(hidden);
        const { configuration, storage, log } = await ready();
        const old = Object.keys(olds ?? {}).length > 0 ? ownValues(olds) : undefined;
        const { inputs, failures, warnings } = lifecycle.check(ownValues(news), {
          urn: hidden.urn,
          olds: old,
          storage: storage !== undefined,
          submissionToken: configuration.submissionToken,
          secret,
        });
        const warn = (text: string) => log.message(hidden.urn, "warning", text);
        warnings.forEach(warn);
        // What the resource itself has made is no news: only a new resource is warned of.
        if (!old && failures.length === 0 && !replaced.has(hidden.urn)) {
          await lifecycle.preflight?.(inputs, { storage, warn, secret });
        }
        return { inputs: encodeInputs(inputs, hidden), failures: [...printableFailures(failures, inputs, secret)] };
      } catch (error) {
        // Of what is thrown the SDK shows the stack as well.
        return { inputs: news, failures: [{ property: "", reason: explain(error) }] };
      }
    },

    async diff(_id, olds, news) {
      const hidden = hiddenOf(news);
      return runOperation(hidden, async () => {
        const lifecycle = lifecycleFor(hidden);
        await ready();
        const result = lifecycle.diff(splitState(olds, lifecycle), ownValues(news));
        if (result.replaces.length > 0) replaced.add(hidden.urn);
        // The plugin's state has no provider, without which the SDK could not delete the resource: it is written anew.
        const moved = olds[providerKey] === undefined;
        return {
          changes: result.changes || moved,
          replaces: [...result.replaces],
          deleteBeforeReplace: result.deleteBeforeReplace,
        };
      });
    },

    async create(given) {
      const hidden = hiddenOf(given);
      return runMutation(given, async (lifecycle) => {
        const inputs = ownValues(given);
        const context = await contextFor(hidden, hidden.timeouts?.create);
        const { id, state } = await lifecycle.create(inputs, context);
        return { id, outs: encodeState(inputs, state, hidden, lifecycle.properties) };
      });
    },

    async read(id, given = {}) {
      const hidden = hiddenOf(given);
      return runOperation(hidden, async () => {
        const lifecycle = lifecycleFor(hidden);
        const context = await contextFor(hidden);
        const known = isState(given, lifecycle.properties) ? splitState(given, lifecycle) : undefined;
        const found = await lifecycle.read(id, known, context);
        // Of what is looked up and not there, the program would get outputs that are undefined.
        if (!found && !known) throw new Error(`the service knows nothing of the id "${id}"`);
        if (!found) return { id: "", props: {} };
        // A refresh takes the engine's own mark of it away.
        const stale = lifecycle.diff(found, found.inputs).changes;
        if (stale)
          context.warn('it is not finished, or failed: the next "pulumi up" goes on with it, or makes it anew');
        const { stale: _before, ...rest } = hidden;
        return {
          id: found.id,
          props: encodeState(found.inputs, found.state, hidden, lifecycle.properties),
          inputs: encodeInputs(found.inputs, stale ? { ...rest, stale } : rest),
        };
      });
    },

    async update(id, olds, news) {
      const hidden = hiddenOf(news);
      return runMutation(news, async (lifecycle) => {
        const inputs = ownValues(news);
        const context = await contextFor(hidden, hidden.timeouts?.update ?? hidden.timeouts?.create);
        const state = await lifecycle.update(id, splitState(olds, lifecycle), inputs, context);
        return { outs: encodeState(inputs, state, hidden, lifecycle.properties) };
      });
    },

    async delete(id, given) {
      const hidden = hiddenOf(given);
      return runOperation(hidden, async () => {
        const lifecycle = lifecycleFor(hidden);
        const context = await contextFor(hidden, hidden.timeouts?.delete);
        await lifecycle.delete(id, splitState(given, lifecycle), context);
      });
    },
  };
}

function lifecycleFor({ urn }: Hidden): Lifecycle<object, object> {
  const lifecycle = lifecycleOf(lifecycleName(urn));
  if (!lifecycle) throw new Error(`pulumi-dag has no resource of the type of ${urn || "a resource without URN"}`);
  return lifecycle;
}

/** Runs what makes or changes a resource; of one that is submitted and not finished, id and state are kept. */
async function runMutation<Result>(
  given: Values,
  operation: (lifecycle: Lifecycle<object, object>) => Promise<Result>,
): Promise<Result> {
  const hidden = hiddenOf(given);
  const lifecycle = lifecycleFor(hidden);
  try {
    return await operation(lifecycle);
  } catch (error) {
    if (!(error instanceof PartialCreate)) throw new OperationError(error, hidden);
    const state = encodeState(ownValues(given), error.state, hidden, lifecycle.properties);
    throw new UnfinishedError(error, { ...state, [providerKey]: given[providerKey] });
  }
}

/** Runs an operation on a resource that is there. */
async function runOperation<Result>(hidden: Hidden, operation: () => Promise<Result>): Promise<Result> {
  try {
    return await operation();
  } catch (error) {
    throw new OperationError(error, hidden);
  }
}
