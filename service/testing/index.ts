/**
 * Starts a complete service in a test: real HTTP on a free port, real engines as child processes, data in a temporary
 * folder that is deleted on close. `docs/service.md` shows a test with vitest.
 */
// oxlint-disable-next-line import/no-unassigned-import -- it must run before the modules below are loaded
import "../require-node";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { pino, type Logger } from "pino";
import { parseLocation } from "../../contract/location";
import type { Credentials } from "../../contract/string-to-sign";
import { FileStorage } from "../../storage/file";
import { compose } from "../compose";
import { AdvanceableClock } from "../core/clock";
import { configOf, requireOptions } from "./options";
import type { Clusters, FaultRule, Signature, Tables, Views } from "./types";

export { AdvanceableClock } from "../core/clock";
export type * from "./types";

/** Options of a test service; all are optional. */
export interface TestServiceOptions {
  /** @default one named `demo`: duckdb, 5 instances */
  readonly clusters?: Clusters;
  /** Declared tables, as in the config file. */
  readonly tables?: Tables;
  /** Views, as in the config file. */
  readonly views?: Views;
  /** Objects to create, by location, such as `{"dag://data/events/a.csv": "1,x\n"}`; their buckets are created too. */
  readonly objects?: Readonly<Record<string, string | Uint8Array>>;
  /** Buckets to create besides those of `objects`, for instance for results. */
  readonly buckets?: readonly string[];
  /** @default one pair, created for this service */
  readonly credentials?: readonly Credentials[];
  /** Fault injection rules. */
  readonly faults?: readonly FaultRule[];
  /** The service's clock, for the test to advance. @default a new clock, the result's `clock` */
  readonly clock?: AdvanceableClock;
  /** @default as in the config file */
  readonly signature?: Signature;
  /** A data folder that is kept on close, to start another service on it. @default a temporary folder */
  readonly dataDirectory?: string;
  /** The service's log. @default no log */
  readonly log?: ServiceLog;
}

const optionNames = Object.keys({
  clusters: true,
  tables: true,
  views: true,
  objects: true,
  buckets: true,
  credentials: true,
  faults: true,
  clock: true,
  signature: true,
  dataDirectory: true,
  log: true,
} satisfies Record<keyof TestServiceOptions, true>);

/** A logger of pino. Its own declarations compile only with `esModuleInterop`. */
export interface ServiceLog {
  readonly level: string;
  info(fields: object, message?: string): void;
  child(bindings: object): unknown;
}

/** A running service. */
export interface TestService extends AsyncDisposable {
  /** Base URL, such as `http://127.0.0.1:40123`: the value of `dag:endpoint`. */
  readonly url: string;
  /** The first key pair. */
  readonly credentials: Credentials;
  readonly dataDirectory: string;
  /** Folder of the buckets, with objects as plain files: `file:<folder>` is the value of `dag:storage`. */
  readonly bucketsDirectory: string;
  readonly clock: AdvanceableClock;
  /** Deletes every query and its results, and restores `objects`, faults and clock. */
  reset(): Promise<void>;
  /** Ends the service and its engines, and deletes the temporary folder. */
  close(): Promise<void>;
}

/**
 * Starts a service. Resolves when it accepts requests and its clusters accept queries.
 * @example
 * await using service = await startService({ objects: { "dag://data/birds/a.csv": "owl,3\n" } });
 * @throws StartError when the options cannot be served.
 */
export async function startService(options: TestServiceOptions = {}): Promise<TestService> {
  requireOptions(options, optionNames);
  const { objects = {}, buckets = [], clock = new AdvanceableClock(), dataDirectory } = options;
  const data = dataDirectory ?? mkdtempSync(join(tmpdir(), "dag-service-"));
  const removeData = () => {
    if (dataDirectory === undefined) rmSync(data, { recursive: true, force: true, maxRetries: 3 });
  };
  try {
    const { clusters, tables, views, credentials, faults, signature } = options;
    const given = Object.entries({ clusters, tables, views, credentials, faults, signature });
    const config = configOf({
      ...Object.fromEntries(given.filter(([, value]) => value !== undefined)),
      listen: "127.0.0.1:0",
      data,
    });
    const storage = new FileStorage(join(data, "buckets"));
    const fill = () => putObjects(storage, objects, buckets);
    fill();
    const log = (options.log as Logger | undefined) ?? pino({ level: "silent" });
    const service = await compose({ config, log, clock, allowFaults: true });
    const reset = async () => {
      clock.reset();
      await service.reset();
      fill();
    };
    const close = async () => {
      await service.close();
      removeData();
    };
    return {
      url: service.url,
      credentials: service.credentials[0]!,
      dataDirectory: data,
      bucketsDirectory: service.buckets,
      clock,
      reset,
      close,
      [Symbol.asyncDispose]: close,
    };
  } catch (error) {
    removeData();
    throw error;
  }
}

function putObjects(
  storage: FileStorage,
  objects: Readonly<Record<string, string | Uint8Array>>,
  buckets: readonly string[],
): void {
  for (const bucket of buckets) mkdirSync(storage.path({ bucket, key: "" }), { recursive: true });
  for (const [location, content] of Object.entries(objects)) {
    const path = storage.path(parseLocation(location));
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, content);
  }
}
