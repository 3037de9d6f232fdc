/** The shared dependencies of a provider process, for both front ends. */
import { setTimeout as sleep } from "node:timers/promises";
import { Client } from "../client";
import type { LifecycleContext } from "../lifecycles";
import type { Configuration } from "../lifecycles/configuration";
import { Run } from "../lifecycles/freshness/run";
import { ServiceStorage } from "../lifecycles/queries/service-storage";
import { openStorage, type Storage } from "../../storage";
import type { PulumiLog } from "./pulumi-log";
import { isOnTerminal } from "./terminal";

/** Default timeout of create, update and delete, in milliseconds: 60 minutes. */
const defaultTimeout = 3_600_000;
/** Time between two lines of progress of a resource where each stays on the screen or in a log, in milliseconds. */
const intervalWithoutTerminal = 30_000;

/** Dependencies that all operations of a provider process share. */
export interface Runtime {
  readonly configuration: Configuration;
  readonly client: Client;
  /** As it is configured. The operations get it from {@link lifecycleContext}, which compares it with the service's. */
  readonly storage: Storage | undefined;
  readonly log: PulumiLog;
  readonly run: Run;
}

/** Details of one operation on a resource. */
export interface OperationDetails {
  readonly urn: string;
  /** True when an input is secret. */
  readonly secret: boolean;
  /** Timeout in milliseconds. @default 60 minutes */
  readonly timeout?: number | undefined;
  /** Aborted when the user interrupts the operation. @default never */
  readonly signal?: AbortSignal | undefined;
  /** True for a check or a comparison, which may be of a preview. @default false */
  readonly isPlan?: boolean | undefined;
}

/**
 * Creates the client and the storage of a configuration.
 * @throws {InvalidClientOptionError | StorageSpecificationError} that names the invalid value.
 */
export function openRuntime(configuration: Configuration, log: PulumiLog): Runtime {
  const { client, storage, progressInterval } = configuration;
  log.limitProgress(progressInterval ?? (isOnTerminal() ? 0 : intervalWithoutTerminal));
  return {
    configuration,
    client: new Client(client),
    storage: storage === undefined ? undefined : openStorage(storage),
    log,
    run: new Run(),
  };
}

/** Creates the context of a lifecycle's operation. */
export function lifecycleContext(
  { client, storage, log, configuration, run }: Runtime,
  { urn, secret, timeout = defaultTimeout, signal = new AbortController().signal, isPlan = false }: OperationDetails,
): LifecycleContext {
  const asking = { client, secret, signal, sleep: pauseFor };
  return {
    ...asking,
    storage: storage && new ServiceStorage(storage, asking, { isPlan }),
    timeout,
    urn,
    programTables: run.tables,
    submissionToken: configuration.submissionToken,
    consoleUrl: configuration.consoleUrl,
    report: (line) => log.progress(urn, line),
    info: (text) => log.message(urn, "info", text),
    warn: (text) => log.message(urn, "warning", text),
    now: Date.now,
  };
}

/** Warns of the queries and splits that the last check or comparison has found to run too early. */
export function warnOfEarlyReaders({ run, log }: Pick<Runtime, "run" | "log">): void {
  for (const { urn, text } of run.tables.earlyReaders.take()) log.message(urn, "warning", text);
}

async function pauseFor(milliseconds: number, signal?: AbortSignal): Promise<void> {
  signal?.throwIfAborted();
  await sleep(Math.min(milliseconds, longestTimer), undefined, signal && { signal });
}

const longestTimer = 2_147_483_647;
