/** The shared dependencies of a provider process, for both front ends. */
import { setTimeout as sleep } from "node:timers/promises";
import { Client } from "../client";
import type { LifecycleContext } from "../lifecycles";
import type { Configuration } from "../lifecycles/configuration";
import { Run } from "../lifecycles/freshness/run";
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
  { urn, secret, timeout = defaultTimeout, signal = new AbortController().signal }: OperationDetails,
): LifecycleContext {
  return {
    client,
    storage,
    signal,
    timeout,
    urn,
    secret,
    programTables: run.tables,
    submissionToken: configuration.submissionToken,
    consoleUrl: configuration.consoleUrl,
    report: (line) => log.progress(urn, line),
    info: (text) => log.message(urn, "info", text),
    warn: (text) => log.message(urn, "warning", text),
    now: Date.now,
    async sleep(milliseconds, wake) {
      wake?.throwIfAborted();
      await sleep(Math.min(milliseconds, longestTimer), undefined, wake && { signal: wake });
    },
  };
}

const longestTimer = 2_147_483_647;
