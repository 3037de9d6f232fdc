/**
 * A whole service for a test of a user's own: real HTTP on a free port, real engines as child processes, data in a
 * temporary folder that goes when it closes. `docs/service.md` shows a test with vitest.
 */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { pino, type Logger } from "pino";
import { parseLocation, type Credentials } from "../../contract";
import { FileStorage } from "../../storage/file";
import { compose } from "../compose";
import { configSchema, type ServiceConfigInput } from "../config/schema";
import { AdvanceableClock } from "../core/clock";
import type { FaultRule } from "../http/faults";

export { AdvanceableClock } from "../core/clock";
export type { FaultRule } from "../http/faults";

/** What a test's service is made of; everything may be left out. */
export interface TestServiceOptions {
  /** @default one named `demo`: duckdb, 5 instances */
  readonly clusters?: ServiceConfigInput["clusters"];
  /** Tables that are declared, as in the config file. */
  readonly tables?: ServiceConfigInput["tables"];
  /** Objects that are there, by location, such as `{"dag://data/events/a.csv": "1,x\n"}`; their buckets are made. */
  readonly objects?: Readonly<Record<string, string | Uint8Array>>;
  /** Buckets that are there besides those of `objects`, such as the one that results go to. */
  readonly buckets?: readonly string[];
  /** @default one pair, made for this service */
  readonly credentials?: readonly Credentials[];
  /** @see FaultRule */
  readonly faults?: readonly FaultRule[];
  /** The service's time, to be advanced by the test. @default one of its own, at `clock` of the result */
  readonly clock?: AdvanceableClock;
  /** @default as in the config file */
  readonly signature?: ServiceConfigInput["signature"];
  /** A folder that stays when the service closes, to start another one on. @default a temporary one that goes */
  readonly dataDirectory?: string;
  /** @default none */
  readonly log?: Logger;
}

/** A running service. */
export interface TestService extends AsyncDisposable {
  /** Such as `http://127.0.0.1:40123`; what `dag:endpoint` takes. */
  readonly url: string;
  /** The first pair. */
  readonly credentials: Credentials;
  readonly dataDirectory: string;
  /** Folder that holds the buckets, as plain files: `file:<it>` is what `dag:storage` takes. */
  readonly bucketsDirectory: string;
  readonly clock: AdvanceableClock;
  /** Forgets every query and what it wrote, and puts `objects`, faults and clock back to the start. */
  reset(): Promise<void>;
  /** Ends the service and its engines, and removes the temporary folder. */
  close(): Promise<void>;
}

/**
 * Starts a service; resolves when it answers and its clusters take queries.
 * @example
 * await using service = await startService({ objects: { "dag://data/birds/a.csv": "owl,3\n" } });
 * @throws StartError where the options cannot be served.
 */
export async function startService(options: TestServiceOptions = {}): Promise<TestService> {
  const { objects = {}, buckets = [], clock = new AdvanceableClock(), dataDirectory } = options;
  const data = dataDirectory ?? mkdtempSync(join(tmpdir(), "dag-service-"));
  const removeData = () => {
    if (dataDirectory === undefined) rmSync(data, { recursive: true, force: true, maxRetries: 3 });
  };
  try {
    const { clusters, tables, credentials, faults, signature } = options;
    const given = Object.entries({ clusters, tables, credentials, faults, signature });
    const config = configSchema.parse({
      ...Object.fromEntries(given.filter(([, value]) => value !== undefined)),
      listen: "127.0.0.1:0",
      data,
    });
    const storage = new FileStorage(join(data, "buckets"));
    const fill = () => putObjects(storage, objects, buckets);
    fill();
    const log = options.log ?? pino({ level: "silent" });
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
      bucketsDirectory: service.bucketsDirectory,
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
