/**
 * The dynamic provider behind every resource (front end 1 of the design): translates what the engine asks to the
 * lifecycles and back.
 */
import type * as dynamic from "@pulumi/pulumi/dynamic";
import { engineLog } from "../engine/log";
import { lifecycleContext, openRuntime, type Runtime } from "../engine/runtime";
import { lifecycleOf, PartialCreate, type Lifecycle, type LifecycleContext } from "../lifecycles";
import { readConfiguration } from "../lifecycles/configuration";
import { lifecycleName, providerKey, type Hidden } from "./hidden";
import { encodeInputs, encodeState, hiddenOf, isState, ownValues, splitState } from "./values";

type Values = Readonly<Record<string, unknown>>;

/** The dynamic provider of all resources; {@link Hidden} in their inputs tells which is meant. */
export function createProvider(world: {
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly engineAddress: string | undefined;
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

  return {
    async configure(request) {
      configured.resolve(request);
      return Promise.resolve();
    },

    check: reported(async (olds, news) => {
      const hidden = hiddenOf(news);
      const lifecycle = lifecycleFor(hidden);
      const { configuration, storage, log } = await ready();
      const old = Object.keys(olds ?? {}).length > 0 ? ownValues(olds) : undefined;
      const { inputs, failures, warnings } = lifecycle.check(ownValues(news), {
        urn: hidden.urn,
        olds: old,
        storage: storage !== undefined,
        submissionToken: configuration.submissionToken,
        secret: hidden.secret === true,
      });
      const warn = (text: string) => log.message(hidden.urn, "warning", text);
      warnings.forEach(warn);
      // What the resource itself has made is no news: only a new resource is warned of.
      if (!old && failures.length === 0 && !replaced.has(hidden.urn)) {
        await lifecycle.forewarn?.(inputs, { storage, warn }).catch((error: unknown) => warn(String(error)));
      }
      return { inputs: encodeInputs(inputs, hidden), failures: [...failures] };
    }),

    diff: reported(async (_id, olds, news) => {
      const hidden = hiddenOf(news);
      const lifecycle = lifecycleFor(hidden);
      await ready();
      const result = lifecycle.diff(splitState(olds, lifecycle), ownValues(news));
      if (result.replaces.length > 0) replaced.add(hidden.urn);
      return {
        changes: result.changes,
        replaces: [...result.replaces],
        deleteBeforeReplace: result.deleteBeforeReplace,
      };
    }),

    async create(given) {
      const hidden = hiddenOf(given);
      const lifecycle = lifecycleFor(hidden);
      const inputs = ownValues(given);
      const context = contextFor(await ready(), hidden, hidden.timeouts?.create);
      const { id, state } = await partialKept(given, inputs, lifecycle, () => lifecycle.create(inputs, context));
      return { id, outs: encodeState(inputs, state, hidden, lifecycle.properties) };
    },

    read: reported(async (id, given = {}) => {
      const hidden = hiddenOf(given);
      const lifecycle = lifecycleFor(hidden);
      const context = contextFor(await ready(), hidden, undefined);
      const known = isState(given, lifecycle.properties) ? splitState(given, lifecycle) : undefined;
      const found = await lifecycle.read(id, known, context);
      if (!found) return { id: "", props: {} };
      // A refresh takes the engine's own mark of it away.
      const stale = lifecycle.diff(found, found.inputs).changes;
      if (stale) context.warn('it is not finished, or failed: the next "pulumi up" goes on with it, or makes it anew');
      const { stale: _before, ...rest } = hidden;
      return {
        id: found.id,
        props: encodeState(found.inputs, found.state, hidden, lifecycle.properties),
        inputs: encodeInputs(found.inputs, stale ? { ...rest, stale } : rest),
      };
    }),

    async update(id, olds, news) {
      const hidden = hiddenOf(news);
      const lifecycle = lifecycleFor(hidden);
      const inputs = ownValues(news);
      const context = contextFor(await ready(), hidden, hidden.timeouts?.update ?? hidden.timeouts?.create);
      const old = splitState(olds, lifecycle);
      const state = await partialKept(news, inputs, lifecycle, () => lifecycle.update(id, old, inputs, context));
      return { outs: encodeState(inputs, state, hidden, lifecycle.properties) };
    },

    delete: reported(async (id, given) => {
      const hidden = hiddenOf(given);
      const lifecycle = lifecycleFor(hidden);
      const context = contextFor(await ready(), hidden, hidden.timeouts?.delete);
      await lifecycle.delete(id, splitState(given, lifecycle), context);
    }),
  };
}

function lifecycleFor({ urn }: Hidden): Lifecycle<object, object> {
  const lifecycle = lifecycleOf(lifecycleName(urn));
  if (!lifecycle) throw new Error(`pulumi-dag has no resource of the type of ${urn || "a resource without URN"}`);
  return lifecycle;
}

/** The engine does not tell dynamic providers of an interruption: it waits, or ends the process. */
function contextFor(runtime: Runtime, { urn, secret }: Hidden, timeout: number | undefined): LifecycleContext {
  return lifecycleContext(runtime, { urn, secret: secret === true, timeout });
}

/** Runs an operation; of what is submitted and not finished the id and state are kept, as the SDK takes them. */
async function partialKept<Result>(
  given: Values,
  inputs: object,
  { properties }: Lifecycle<object, object>,
  operation: () => Promise<Result>,
): Promise<Result> {
  try {
    return await operation();
  } catch (error) {
    if (!(error instanceof PartialCreate)) throw error;
    const state = encodeState(inputs, error.state, hiddenOf(given), properties);
    throw Object.assign(new Error(error.message, { cause: error }), {
      id: error.id,
      properties: { ...state, [providerKey]: given[providerKey] },
      reasons: [...error.reasons],
    });
  }
}

/** The SDK prints the stack of what check, diff, read and delete throw; the message alone is for people. */
function reported<Given extends unknown[], Result>(
  operation: (...given: Given) => Promise<Result>,
): (...given: Given) => Promise<Result> {
  return async (...given) => {
    try {
      return await operation(...given);
    } catch (error) {
      if (error instanceof Error) error.stack = error.message;
      throw error;
    }
  };
}
