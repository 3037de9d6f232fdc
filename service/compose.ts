/** Composition root of the service: connects the core's ports to their adapters. */
import { availableParallelism, totalmem } from "node:os";
import { join } from "node:path";
import type { Logger } from "pino";
import type { Credentials } from "../contract";
import { describeDiskProblem, diskProblem } from "../storage/disk-errors";
import {
  bucketsFolder,
  composeStorage,
  lockBuckets,
  prepareFolder,
  requireBuckets,
  type ComposedStorage,
} from "./compose-storage";
import { loadOrCreateCredentials } from "./config/credentials";
import { embeddedEngine } from "./config/engines";
import { ownerOfPort } from "./config/port-owner";
import type { ServiceConfig } from "./config/schema";
import { sharedConfig } from "./config/shared";
import { StartError, TemporaryStartError } from "./config/start-error";
import { AdvanceableClock, systemClock } from "./core/clock";
import type { Clock, OutputFolders, Platform } from "./core/ports/platform";
import { UsageHistory } from "./core/inspection/usage";
import type { Inspection } from "./core/ports/inspection";
import { clusterMemory, instanceCount } from "./core/clusters/grades";
import type { EngineFamily, EngineOptions } from "./core/ports/engine";
import { Service, type ServiceOptions } from "./core/service";
import { duckDbFamily } from "./engines/duckdb";
import { hiveFamily } from "./engines/hiveserver2";
import { AccessKeys, type ReplacedKeys } from "./http/access-keys";
import { createApp } from "./http/app";
import { SignInLinks } from "./http/console/sign-in";
import type { ExtensionOptions } from "./http/extension/index";
import type { TestControls } from "./http/test-controls";
import { Faults } from "./http/faults";
import { IdempotencyKeys } from "./http/idempotency-keys";
import { Metrics } from "./http/metrics";
import { listen, type HttpServer } from "./http/server";
import { lockFolder, shareFolder, takeProcessName, wasLocked } from "./state/lock";
import { LocalLogFiles, logsOf, processFolders } from "./state/log-files";
import type { QueryLogStore } from "./state/query-logs";
import { SharedLogFiles } from "./state/shared-logs";
import { memoryByArgument } from "./state/process-memory";
import { httpReceiver } from "./openlineage/http-receiver";
import { ownVersion } from "./own-version";
import { openConfiguredState, stateSetting } from "./state/open";

export interface ComposeOptions {
  readonly config: ServiceConfig;
  readonly log: Logger;
  /** True to serve the test controls `/_faults`, `/_clock` and `/_reset`. @default false */
  readonly allowFaults?: boolean;
  /** True to use a state file that lost its end: what it still holds is kept, and no ID is given again. @default false */
  readonly acceptStateLoss?: boolean;
  /** The service's clock. @default the system clock; with `allowFaults`, an {@link AdvanceableClock} */
  readonly clock?: Clock;
  /** Called when the service has created a key pair because the config has none. */
  readonly onNewCredentials?: (credentials: Credentials, file: string) => void;
}

export interface RunningService {
  /** Base URL, such as `http://127.0.0.1:9393`. */
  readonly url: string;
  readonly credentials: readonly Credentials[];
  readonly dataDirectory: string;
  /** Folder of the buckets, or the S3 server, as `s3:http://127.0.0.1:7070`. */
  readonly buckets: string;
  /** Accepts these key pairs and no others, from the next request on. Queries go on. */
  replaceCredentials(credentials: readonly Credentials[]): ReplacedKeys;
  /** What operators should know of the storage, for the log. */
  readonly note: string | undefined;
  /** Returns the URL of a page that signs its first visitor in as the first key pair. */
  signInLink(): string;
  /** Deletes every query and its results, and restores the configured fault rules. */
  reset(): Promise<void>;
  /**
   * Stops accepting requests, waits for open responses and ends the engines. The next start resumes running queries.
   */
  close(): Promise<void>;
}

/** Where the program is developed, for those who receive what it sends. */
const projectUrl = "https://github.com/pulumi-dag/pulumi-dag";

/** Milliseconds that open responses get to finish when the service stops. */
const closeGrace = 10_000;

/**
 * Starts a service. Resolves when it accepts requests and the first start of each cluster has succeeded or failed.
 * @throws {StartError} when the config cannot be served; the message says what is wrong and what to do.
 */
export async function compose(options: ComposeOptions): Promise<RunningService> {
  const disposables: Disposable[] = [];
  const release = () => {
    while (disposables.length > 0) disposables.pop()![Symbol.dispose]();
  };
  try {
    return await start(options, disposables, release);
  } catch (error) {
    release();
    const problem = error instanceof StartError ? undefined : diskProblem(error);
    if (problem === undefined) throw error;
    throw new TemporaryStartError(`${describeDiskProblem(problem, options.config.data)}, then start again`, {
      cause: error,
    });
  }
}

/** @param disposables receives the resources to release when the service stops or fails to start. */
async function start(options: ComposeOptions, disposables: Disposable[], release: () => void): Promise<RunningService> {
  const { config } = options;
  const { data } = config;
  requireFamilies(config);
  const app = Promise.withResolvers<ReturnType<typeof createApp>>();
  app.promise.catch(() => undefined);
  // First, so that a start whose address is in use creates nothing.
  const server = await listenOnAddress(config, app.promise);
  try {
    prepareFolder(data, "--data");
    const isShared = stateSetting(config).kind === "postgres";
    const lock = isShared ? shareFolder : lockFolder;
    disposables.push(lock(data, "--data"));
    const processName = isShared ? takeProcessName(data) : undefined;
    if (processName) disposables.push(processName);
    const clock = options.clock ?? (options.allowFaults ? new AdvanceableClock() : systemClock);
    const buckets = bucketsFolder(config);
    // Before the state, so that a start whose buckets are in use creates none.
    const isLocked = buckets !== undefined && wasLocked(buckets);
    if (isLocked) disposables.push(lockBuckets(buckets, lock));
    const {
      state,
      lock: held,
      queryLogs,
      warnings,
    } = await openConfiguredState(config, {
      now: () => clock.now(),
      acceptLoss: options.acceptStateLoss ?? false,
      processName: processName?.uniqueName ?? "",
      isApart: buckets === undefined,
      process: { shared: sharedConfig(config), clusters: config.clusters.map(({ name }) => name) },
    });
    if (held) disposables.push(held);
    disposables.push({ [Symbol.dispose]: () => void state.close() });
    for (const warning of warnings) options.log.warn(warning);
    if (buckets !== undefined) await requireBuckets(buckets, state);
    const composed = await composeStorage(
      config,
      { lock: isLocked ? undefined : lock, name: processName?.name },
      disposables,
    );
    const credentials = config.credentials ?? [loadCredentials(options)];
    const { storage } = composed;
    const families = familiesOf(config, composed);
    const platform = platformOf({ ...options, clock }, composed, {
      outputs: composed.outputs(state.outputRecords),
      queryLogs,
    });
    const { tables, views, retention, openlineage } = config;
    const clusters = clustersOf(config, processName?.name);
    const lineage = openlineage && {
      source: { namespace: openlineage.namespace, producer: `${projectUrl}/tree/v${ownVersion()}` },
      receiver: httpReceiver(openlineage),
    };
    const service = new Service({ platform, state, storage, families, tables, views, clusters, retention, lineage });
    await service.start();
    const faults = new Faults(config.faults);
    const repeated = new IdempotencyKeys(clock);
    const reset = async () => {
      faults.reset();
      await service.reset();
      repeated.clear();
    };
    const inspection = inspectionOf(composed, service);
    const usage = new UsageHistory(service.context, inspection);
    disposables.push(usage);
    const links = new SignInLinks();
    const keys = new AccessKeys(credentials);
    app.resolve(appOf(options, { service, platform, keys, faults, repeated, reset, inspection, usage, links }));
    let closed: Promise<void> | undefined;
    const close = async () => {
      await server.close(closeGrace);
      await service.stop();
      release();
    };
    return {
      url: server.url,
      credentials,
      replaceCredentials: (pairs) => keys.replace(pairs),
      dataDirectory: data,
      buckets: composed.local?.directory ?? storage.description,
      note: composed.note,
      signInLink: () => server.url + links.create(credentials[0]!),
      reset,
      close: () => (closed ??= close()),
    };
  } catch (error) {
    app.reject(error);
    await server.close(0);
    throw error;
  }
}

function familiesOf({ engines }: ServiceConfig, { ofEngine, ofServers }: ComposedStorage): EngineFamily[] {
  const embedded = duckDbFamily({ storage: ofEngine });
  const startLocal = (options: EngineOptions) => embedded.start(options);
  const others = Object.entries(engines).map(([name, { dialect, ui, urls, auth: login, tls, s3Scheme }]) => {
    const servers = urls.map((url) => ({ ...url, login, tls }));
    return hiveFamily({ name, dialect, ui, storage: ofServers(s3Scheme), startLocal, servers });
  });
  return [embedded, ...others];
}

function clustersOf({ clusters, data }: ServiceConfig, processName?: string): ServiceOptions["clusters"] {
  return clusters.map(({ memory, ...cluster }) => ({
    ...cluster,
    memoryBytes: memory ?? clusterMemory(cluster.instances, totalmem()),
    threads: Math.max(1, Math.min(availableParallelism(), instanceCount(cluster.instances))),
    directory: join(
      data,
      "clusters",
      cluster.name,
      ...(processName === undefined ? [] : [processFolders, processName]),
    ),
  }));
}

interface AppParts
  extends Pick<TestControls, "faults" | "reset">, Pick<ExtensionOptions, "inspection" | "usage" | "links"> {
  readonly service: Service;
  readonly platform: ComposedPlatform;
  readonly keys: AccessKeys;
  readonly repeated: IdempotencyKeys;
}

function appOf(
  { config, log, allowFaults }: ComposeOptions,
  { service, platform, keys, faults, repeated, reset, ...parts }: AppParts,
) {
  const { clock, metrics } = platform;
  const { scheme, maxSkewSeconds, headerPrefix } = config.signature;
  metrics.registerGauges(service.context);
  return createApp({
    context: service.context,
    clock,
    log,
    metrics,
    faults,
    repeated,
    headerPrefix,
    authentication: { scheme, maxSkewSeconds, keys },
    console: {
      ...parts,
      config: { scheme, headerPrefix, idempotencyKeys: true, docs: process.env["DAG_DOCS"] },
      allowedOrigins: config.console.allowedOrigins,
      secretOf: (id) => keys.secretOf(id),
    },
    ...(clock instanceof AdvanceableClock && allowFaults ? { controls: { faults, clock, reset } } : {}),
  });
}

function inspectionOf({ inspection }: ComposedStorage, { context }: Service): Inspection {
  return {
    ...inspection,
    memory: () => memoryByArgument([...context.clusters.keys()]),
  };
}

interface ComposedPlatform extends Platform {
  readonly metrics: Metrics;
}

function platformOf(
  { config, log, clock }: ComposeOptions & { readonly clock: Clock },
  { diskUsage }: ComposedStorage,
  { outputs, queryLogs }: { readonly outputs: OutputFolders; readonly queryLogs: QueryLogStore | undefined },
): ComposedPlatform {
  const metrics = new Metrics();
  const local = new LocalLogFiles({
    directory: logsOf(config.data),
    engines: join(config.data, "clusters"),
    clock,
    log,
  });
  return {
    clock,
    log,
    metrics,
    outputs,
    logs: queryLogs ? new SharedLogFiles({ local, store: queryLogs, clock, log }) : local,
    diskUsage,
    queryEnded: (type, status) => metrics.queryEnded(type, status),
    lineageEvents: (outcome, count) => metrics.lineageEvents(outcome, count),
  };
}

function loadCredentials({ config, onNewCredentials }: ComposeOptions): Credentials {
  const { credentials, isNew, file } = loadOrCreateCredentials(config.data);
  if (isNew) onNewCredentials?.(credentials, file);
  return credentials;
}

async function listenOnAddress(
  { listen: address, signature }: ServiceConfig,
  app: Parameters<typeof listen>[1],
): Promise<HttpServer> {
  try {
    return await listen(address, app, signature.headerPrefix);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    const target = `${address.host}:${address.port}`;
    const why =
      code === "EADDRINUSE" ? `is in use by another ${await ownerOfPort(address)}` : `cannot be listened on (${code})`;
    throw new StartError(`address ${target} ${why}: choose another with --listen, such as --listen 127.0.0.1:0`, {
      cause: error,
    });
  }
}

function requireFamilies({ clusters, engines }: ServiceConfig): void {
  const types = [embeddedEngine, ...Object.keys(engines)];
  const unknown = clusters.find(({ type }) => !types.includes(type));
  if (unknown) {
    const { name, type } = unknown;
    const example = `engines: {${type}: {dialect: ${type === "hive" ? "hive" : "spark"}, urls: ["hive2://HOST:PORT"]}}`;
    throw new StartError(
      `cluster "${name}" has the type "${type}", which is no engine of this service: use ${types.join(" or ")}, or name the servers of Hive or Spark in the config, such as ${example}`,
    );
  }
}
