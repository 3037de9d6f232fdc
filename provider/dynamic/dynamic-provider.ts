/**
 * The dynamic provider of all resources: translates between the engine and the lifecycles.
 */
import { isDeepStrictEqual } from "node:util";
import type * as dynamic from "@pulumi/pulumi/dynamic";
import { compare, warnOfOthersObjects } from "../pulumi-engine/comparison";
import { engineLog } from "../pulumi-engine/pulumi-log";
import { printableFailures } from "../pulumi-engine/check-failures";
import { lifecycleContext, openRuntime, warnOfEarlyReaders, type Runtime } from "../pulumi-engine/runtime";
import { lifecycleOf, PartialCreate, type Lifecycle, type LifecycleContext } from "../lifecycles";
import { readConfiguration, unknownKeys } from "../lifecycles/configuration";
import { describeError } from "../lifecycles/describe-error";
import { withRedactedErrors } from "../lifecycles/redaction";
import { isState } from "../lifecycles/schema/properties";
import { deleting, refreshing } from "../lifecycles/unanswered";
import { OperationError, UnfinishedError } from "./errors";
import { lifecycleName, providerKey, type ResourceMetadata } from "./resource-metadata";
import { encodeInputs, encodeState, metadataOf, ownValues, splitState } from "./engine-values";
import { staleText } from "../pulumi-engine/stale-text";

type Values = Readonly<Record<string, unknown>>;

/** A dynamic provider with the report of its run. */
interface ReportingProvider {
  readonly provider: Required<dynamic.ResourceProvider<Values, Values>>;
  /** Prints what the run did with the queries of the program. Resolves when the engine has the lines. */
  printReport(): Promise<void>;
}

/** Creates the dynamic provider. {@link ResourceMetadata} in a resource's inputs determines its lifecycle. */
export function createProvider(options: {
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly engineAddress: string | undefined;
  /** Aborted when the user interrupts the operation. @default never */
  readonly signal?: AbortSignal;
}): ReportingProvider {
  // The SDK calls configure concurrently with the first operations, so every operation waits for it.
  const configured = Promise.withResolvers<dynamic.ConfigureRequest>();
  let runtime: Promise<Runtime> | undefined;

  const ready = () =>
    (runtime ??= configured.promise.then(async ({ config }) => {
      const log = engineLog(options.engineAddress);
      await log.messages("warning", unknownKeysOf(config));
      const configuration = readConfiguration((key) => config.get(`dag:${key}`), options.environment);
      return openRuntime(configuration, log);
    }));

  const contextFor = async (
    { urn, secret }: ResourceMetadata,
    more: { readonly timeout?: number | undefined; readonly isPlan?: boolean } = {},
  ): Promise<LifecycleContext> =>
    lifecycleContext(await ready(), { urn, secret: secret === true, signal: options.signal, ...more });

  /** Shows the last line of an operation's progress when it has ended. */
  const settled = async <Result>({ urn }: ResourceMetadata, operation: Promise<Result>): Promise<Result> => {
    try {
      return await operation;
    } finally {
      (await ready()).log.settle(urn);
    }
  };

  const printReport = async () => {
    const { run, log } = (await runtime) ?? {};
    await log?.messages("info", run?.report.lines() ?? []);
  };

  const provider: ReportingProvider["provider"] = {
    async configure(request) {
      configured.resolve(request);
      return Promise.resolve();
    },

    async check(olds, news) {
      const metadata = metadataOf(news);
      const { urn } = metadata;
      const secret = metadata.secret === true;
      try {
        const lifecycle = lifecycleFor(metadata);
        const { configuration, run, log } = await ready();
        const { submissionToken } = configuration;
        const context = await contextFor(metadata, { isPlan: true });
        const old = Object.keys(olds ?? {}).length > 0 ? ownValues(olds) : undefined;
        return await run.overlaps.registering(async () => {
          const { inputs, failures, warnings } = lifecycle.check(ownValues(news), {
            urn,
            olds: old,
            storage: context.storage !== undefined,
            submissionToken,
            secret,
            programTables: run.tables,
          });
          run.checked({ urn, secret }, lifecycle, inputs, old);
          warnings.forEach((text) => context.warn(text));
          // In a preview, nothing tells when a resource is made. The classes add the dependencies on it.
          run.tables.earlyReaders.made(urn);
          warnOfEarlyReaders({ run, log });
          // The program has compared its resources, but one that it makes later may not be among them yet.
          const found = failures.length > 0 || secret ? failures : await run.overlaps.check(urn, inputs);
          if (found.length > 0) run.refused(urn);
          const more =
            old || found.length > 0
              ? []
              : await run.preflight({ urn, secret }, lifecycle, inputs, context, replacementOrder(metadata));
          const all = printableFailures([...found, ...more], inputs, secret);
          return { inputs: encodeInputs(inputs, metadata), failures: [...all] };
        });
      } catch (error) {
        // Returned as a failure, because the SDK prints the stack of a thrown error.
        return { inputs: news, failures: [{ property: "", reason: describeError(error) }] };
      }
    },

    async diff(id, olds, news) {
      const metadata = metadataOf(news);
      return runOperation(metadata, async () => {
        const lifecycle = lifecycleFor(metadata);
        const { run, log } = await ready();
        const inputs = ownValues(news);
        const { urn, secret = false } = metadata;
        const { state, ...stored } = splitState(olds, lifecycle);
        // The state of a finished resource contains no hidden inputs. Its generation is that which the check has kept.
        const tables = run.tablesReadBy(urn, inputs["tables"] as readonly string[] | undefined);
        const old = { state, inputs: { generation: inputs["generation"], ...stored.inputs, tables } };
        const isRetained = metadata.isRetained && metadataOf(olds).isRetained;
        const context = { ...(await contextFor(metadata, { isPlan: true })), isRetained };
        const result = await compare(lifecycle, id, old, inputs, context);
        const { reason, replaces } = run.compared({ urn, secret }, result, old, inputs);
        warnOfEarlyReaders({ run, log });
        if (reason !== undefined) log.status(metadata.urn, reason);
        if (replaces.length > 0) await warnOfOthersObjects(lifecycle, id, old, inputs, context, run);
        // A state that the plugin wrote lacks the provider code, which the SDK needs to delete the resource. An update
        // adds it.
        const lacksProviderCode = olds[providerKey] === undefined;
        return {
          changes: result.changes || lacksProviderCode,
          replaces: [...replaces],
          deleteBeforeReplace: result.deleteBeforeReplace,
        };
      });
    },

    async create(given) {
      const metadata = metadataOf(given);
      const operation = runMutation(given, async (lifecycle) => {
        const inputs = ownValues(given);
        const context = await contextFor(metadata, { timeout: metadata.timeouts?.create });
        const { run } = await ready();
        const { id, state } = await run.create(context, () => lifecycle.create(inputs, context));
        return { id, outs: encodeState(inputs, state, metadata, lifecycle.properties) };
      });
      return settled(metadata, operation);
    },

    async read(id, given = {}) {
      const metadata = metadataOf(given);
      return runOperation(metadata, async () => {
        const lifecycle = lifecycleFor(metadata);
        const stored = isState(given, lifecycle.properties) ? splitState(given, lifecycle) : undefined;
        // The engine imports no dynamic resource.
        const isLookup = !stored || metadata.isLookup === true;
        const context = { ...(await contextFor(metadata)), isLookup };
        const read = (reading: LifecycleContext) => lifecycle.read(id, stored, reading);
        const found = await (stored ? refreshing(context, read) : withRedactedErrors(context, () => read(context)));
        // Otherwise a lookup of a missing resource would return undefined outputs to the program.
        if (!found && !stored) throw new Error(`the id "${id}" does not exist in the service`);
        if (!found) return { id: "", props: {} };
        if (!stored) (await ready()).run.lookedUp(found);
        // A refresh removes the engine's own mark of an unfinished resource.
        const stale = lifecycle.diff(found, found.inputs).changes;
        if (stale && !("inputsChanged" in found.state)) context.warn(staleText(found, isLookup));
        const { stale: _before, ...rest } = metadata;
        const isChanged = stale || !stored || !isDeepStrictEqual(found.inputs, stored.inputs);
        return {
          id: found.id,
          props: encodeState(
            found.inputs,
            found.state,
            { ...metadata, ...(isLookup && { isLookup }) },
            lifecycle.properties,
          ),
          // Without inputs, the engine keeps those it has, which contain the hidden ones.
          ...(isChanged && { inputs: encodeInputs(found.inputs, stale ? { ...rest, stale } : rest) }),
        };
      });
    },

    async update(id, olds, news) {
      const metadata = metadataOf(news);
      const operation = runMutation(news, async (lifecycle) => {
        const inputs = ownValues(news);
        const timeout = metadata.timeouts?.update ?? metadata.timeouts?.create;
        const context = await contextFor(metadata, { timeout });
        const { run } = await ready();
        const old = splitState(olds, lifecycle);
        const state = await run.update(context, olds, () => lifecycle.update(id, old, inputs, context));
        return { outs: encodeState(inputs, state, metadata, lifecycle.properties) };
      });
      return settled(metadata, operation);
    },

    async delete(id, given) {
      const metadata = metadataOf(given);
      return runOperation(metadata, async () => {
        const lifecycle = lifecycleFor(metadata);
        const context = await contextFor(metadata, { timeout: metadata.timeouts?.delete });
        const { run } = await ready();
        await run.delete(id, context, (deletion) =>
          deleting(context, () => lifecycle.delete(id, splitState(given, lifecycle), deletion)),
        );
      });
    },
  };
  return { provider, printReport };
}

/** What the SDK stores in the configuration that it passes. */
interface ConfigInternals {
  readonly rawConfig?: object;
  readonly projectName?: string;
}

/** Returns a warning for each unknown key `dag:*` of the stack. In a project named dag, it may be the program's own. */
function unknownKeysOf(config: dynamic.Config): string[] {
  const { rawConfig = {}, projectName } = config as unknown as ConfigInternals;
  const own = Object.keys(rawConfig).filter((key) => projectName !== "dag" && key.startsWith("dag:"));
  return unknownKeys(own.map((key) => key.slice("dag:".length))).map(({ reason }) => reason);
}

/** The classes ask the engine to delete a table before it is replaced, unless the program says otherwise. */
function replacementOrder({ createsFirst, isRetained }: ResourceMetadata) {
  return { createsFirst, deletesFirst: createsFirst !== true && isRetained !== true };
}

function lifecycleFor({ urn }: ResourceMetadata): Lifecycle<object, object> {
  const lifecycle = lifecycleOf(lifecycleName(urn));
  if (!lifecycle) throw new Error(`pulumi-dag has no resource type for ${urn || "a resource without URN"}`);
  return lifecycle;
}

/**
 * Runs a create or an update. Converts {@link PartialCreate} so that the engine stores the id and state of the
 * resource.
 */
async function runMutation<Result>(
  given: Values,
  operation: (lifecycle: Lifecycle<object, object>) => Promise<Result>,
): Promise<Result> {
  const metadata = metadataOf(given);
  const lifecycle = lifecycleFor(metadata);
  try {
    return await operation(lifecycle);
  } catch (error) {
    if (!(error instanceof PartialCreate)) throw new OperationError(error, metadata);
    const state = encodeState(ownValues(given), error.state, metadata, lifecycle.properties);
    throw new UnfinishedError(error, { ...state, [providerKey]: given[providerKey] });
  }
}

/** Runs an operation on an existing resource and names the resource in its errors. */
async function runOperation<Result>(metadata: ResourceMetadata, operation: () => Promise<Result>): Promise<Result> {
  try {
    return await operation();
  } catch (error) {
    throw new OperationError(error, metadata);
  }
}
