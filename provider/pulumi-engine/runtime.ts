/** What a process that serves resources works with, whichever front end it is. */
import { setTimeout as sleep } from "node:timers/promises";
import { Client } from "../client";
import type { LifecycleContext } from "../lifecycles";
import type { Configuration } from "../lifecycles/configuration";
import { openStorage, type Storage } from "../../storage";
import type { EngineLog } from "./log";

/** How long create, update and delete may take where customTimeouts do not say, in milliseconds: 60 minutes. */
const defaultTimeout = 3_600_000;

/** What a process of the provider works with. */
export interface Runtime {
  readonly configuration: Configuration;
  readonly client: Client;
  readonly storage: Storage | undefined;
  readonly log: EngineLog;
}

/** One operation on one resource. */
export interface OperationDetails {
  readonly urn: string;
  /** Whether an input is secret. */
  readonly secret: boolean;
  /** In milliseconds. @default 60 minutes */
  readonly timeout?: number | undefined;
  /** Aborted when the user interrupts. @default never */
  readonly signal?: AbortSignal | undefined;
}

/**
 * Makes what a configuration says.
 * @throws {InvalidClientOptionError | StorageSpecificationError} naming the value that cannot be used.
 */
export function openRuntime(configuration: Configuration, log: EngineLog): Runtime {
  const { client, storage } = configuration;
  return {
    configuration,
    client: new Client(client),
    storage: storage === undefined ? undefined : openStorage(storage),
    log,
  };
}

/** What a lifecycle gets for an operation. */
export function lifecycleContext(
  { client, storage, log, configuration }: Runtime,
  { urn, secret, timeout = defaultTimeout, signal = new AbortController().signal }: OperationDetails,
): LifecycleContext {
  return {
    client,
    storage,
    signal,
    timeout,
    urn,
    secret,
    submissionToken: configuration.submissionToken,
    report: (line) => log.status(urn, line),
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
