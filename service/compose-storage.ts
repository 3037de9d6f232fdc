/** Opens the storage of the config, with the adapters that fit it: a local directory, or S3. */
import { accessSync, constants, existsSync, rmSync } from "node:fs";
import { join } from "node:path";
import { diskProblem } from "../storage/disk-errors";
import { createFolderSync } from "../storage/durable";
import { FileStorage } from "../storage/file";
import { s3OptionsOf, StorageSpecificationError } from "../storage/open";
import { S3Storage, type S3StorageOptions } from "../storage/s3";
import { isS3Denial, s3Problem, type S3Problem } from "../storage/s3-problems";
import type { Storage } from "../storage/storage";
import type { ServiceConfig } from "./config/schema";
import { TemporaryStartError, StartError } from "./config/start-error";
import type { Inspection } from "./core/ports/inspection";
import type { OutputFolders, Platform } from "./core/ports/platform";
import type { State } from "./core/ports/state";
import type { DuckDBFamilyOptions } from "./engines/duckdb";
import type { HiveFamilyOptions } from "./engines/hiveserver2";
import { sampleOf } from "./engines/duckdb/inspect";
import { checkExtension } from "./engines/duckdb/s3/extension";
import { sampleOfS3 } from "./engines/duckdb/s3/inspect";
import { diskUsageOf } from "./state/disk-usage";
import type { OutputRecords } from "./state/outputs/output-records";
import { FileOutputFolders } from "./state/outputs/folders";
import { S3OutputFolders } from "./state/outputs/s3";
import { s3UsageOf } from "./state/s3-usage";

/** A storage with its adapters. */
export interface ComposedStorage {
  readonly storage: Storage;
  /** The local directory; undefined on S3. */
  readonly local: FileStorage | undefined;
  /** What the processes of the embedded engine need. */
  readonly ofEngine: DuckDBFamilyOptions["storage"];
  /** What engines on other servers need. @param s3Scheme as the config has it */
  ofServers(s3Scheme: string | undefined): HiveFamilyOptions["storage"];
  readonly diskUsage: Platform["diskUsage"];
  /** What operators should know of it at the start. */
  readonly note?: string | undefined;
  readonly inspection: Omit<Inspection, "memory">;
  outputs(records: OutputRecords): OutputFolders;
}

/** Locks a folder, for this process or for all that share its state. */
type LockFolder = (folder: string, setting: string) => Disposable;

/** The process that opens the storage. */
export interface StorageProcess {
  /** Locks the folder of the buckets; undefined when the process has locked it. */
  readonly lock: LockFolder | undefined;
  /** Its name among those that share the data folder; undefined when no other does. */
  readonly name: string | undefined;
}

/**
 * Opens the storage.
 * @param disposables receives what must be released when the service stops.
 * @throws {StartError} when it cannot be used.
 */
export async function composeStorage(
  config: ServiceConfig,
  process: StorageProcess,
  disposables: Disposable[],
): Promise<ComposedStorage> {
  const s3 = s3Of(config.storage);
  if (s3) return composeS3(s3, config, process);
  const directory = fileFolder(config);
  if (process.lock) disposables.push(lockBuckets(directory, process.lock));
  const storage = new FileStorage(directory);
  return {
    storage,
    local: storage,
    ofEngine: storage,
    ofServers: () => storage,
    diskUsage: diskUsageOf(storage),
    inspection: { ...bucketsOf(storage), sample: sampleOf(storage) },
    outputs: () => new FileOutputFolders(storage),
  };
}

/** Creates the folder of the buckets, and locks it. @throws {StartError} */
export function lockBuckets(folder: string, lock: LockFolder): Disposable {
  prepareFolder(folder, "--storage");
  return lock(folder, "--storage");
}

/** Returns the folder of the buckets; undefined on S3. @throws {StartError} when the setting names neither */
export function bucketsFolder(config: ServiceConfig): string | undefined {
  return s3Of(config.storage) === undefined ? fileFolder(config) : undefined;
}

function fileFolder({ data, storage }: ServiceConfig): string {
  return typeof storage === "string" ? storage.slice("file:".length) : join(data, "buckets");
}

/**
 * Refuses a folder without a bucket while the state has queries or tables: its disk may not be mounted. Creates nothing.
 * @throws {StartError}
 */
export async function requireBuckets(folder: string, state: Pick<State, "queries" | "catalog">): Promise<void> {
  const exists = existsSync(folder);
  // Of a folder that cannot be read, prepareFolder says so.
  const buckets = exists ? await new FileStorage(folder).buckets().catch(() => undefined) : [];
  if (buckets?.length !== 0) return;
  const queries = await state.queries.list({ order: "desc", limit: 1 });
  const isNew = queries.length === 0 && (await state.catalog.listTables({ limit: 1 })).length === 0;
  if (isNew) return;
  throw new TemporaryStartError(
    `folder ${folder} of the buckets ${exists ? "has no bucket" : "does not exist"}, and the state has queries or tables: mount its disk, or correct --storage; if it shall be empty, create the folder ${join(folder, "default")}`,
  );
}

/** Creates a folder, and checks that it can be used. @throws {StartError} unless the disk is full */
export function prepareFolder(folder: string, setting: string): void {
  try {
    createFolderSync(folder);
    accessSync(folder, constants.R_OK | constants.W_OK | constants.X_OK);
  } catch (error) {
    if (diskProblem(error) === "full") throw error;
    const { code } = error as NodeJS.ErrnoException;
    throw new StartError(
      `folder ${folder} cannot be used (${code}): make it readable and writable, or choose another with ${setting}`,
    );
  }
}

function s3Of(setting: ServiceConfig["storage"]): S3StorageOptions | undefined {
  if (typeof setting === "object") {
    const { endpoint, region, ...credentials } = setting.s3;
    return { endpoint, region, credentials };
  }
  try {
    return setting === undefined ? undefined : s3OptionsOf(setting);
  } catch (error) {
    if (error instanceof StorageSpecificationError) throw new StartError(error.message, { cause: error });
    throw error;
  }
}

async function composeS3(
  options: S3StorageOptions,
  { data, httpfs: givenHttpfs }: ServiceConfig,
  { name }: StorageProcess,
): Promise<ComposedStorage> {
  const storage = new S3Storage(options);
  await requireS3(storage, options);
  const { httpfs, note } = await httpfsOf(givenHttpfs);
  const samples = join(data, "samples", ...(name === undefined ? [] : [name]));
  // What a killed service has left.
  rmSync(samples, { recursive: true, force: true });
  const { endpoint, region, credentials } = options;
  return {
    storage,
    local: undefined,
    ofEngine: {
      s3: {
        ...(endpoint !== undefined && { endpoint }),
        ...(region !== undefined && { region }),
        ...(httpfs !== undefined && { httpfs }),
      },
      environment: environmentOf(credentials),
    },
    ofServers: (scheme = "s3a") => ({ s3: storage, scheme }),
    diskUsage: s3UsageOf(storage),
    note,
    inspection: { ...bucketsOf(storage), sample: sampleOfS3(storage, samples) },
    outputs: (records) => new S3OutputFolders({ storage, records }),
  };
}

/**
 * Finds DuckDB's extension httpfs. Without it objects are copied, which the note says.
 * @param given its path as the config has it
 * @throws {StartError} when that one cannot be used
 */
async function httpfsOf(given: string | undefined): Promise<{ readonly httpfs?: string; readonly note?: string }> {
  const { path, version, platform, state } = await checkExtension(given);
  if (state === "loaded") return { httpfs: path };
  const remedy = `install that of DuckDB ${version} for ${platform} as docs/scale/s3.md describes`;
  const why =
    state === "missing"
      ? "does not exist"
      : "is not loaded by DuckDB: it is for another version or platform, or is not signed by DuckDB";
  if (given !== undefined) throw new StartError(`httpfs: ${path} ${why}: ${remedy}, or remove the setting`);
  const note = `Parquet objects are copied whole to be read, because DuckDB's extension httpfs is missing: ${path} ${why}: ${remedy}, or name it with --httpfs`;
  return { note };
}

function bucketsOf(storage: Storage): Pick<Inspection, "buckets" | "folders"> {
  return {
    buckets: () => storage.buckets(),
    folders: (bucket) => storage.folders({ bucket, key: "" }),
  };
}

/** Variables of the environment, besides `AWS_…`, from which the SDK takes credentials and trusted authorities. */
const sdkVariables = new Set(["HOME", "NODE_EXTRA_CA_CERTS"]);

function environmentOf(credentials: S3StorageOptions["credentials"]): Record<string, string> {
  const found = Object.entries(process.env).flatMap(([name, value]) => {
    const isUsed = sdkVariables.has(name) || (name.startsWith("AWS_") && credentials === undefined);
    return isUsed && value !== undefined ? [[name, value] as const] : [];
  });
  return {
    ...Object.fromEntries(found),
    ...(credentials && {
      AWS_ACCESS_KEY_ID: credentials.accessKeyId,
      AWS_SECRET_ACCESS_KEY: credentials.secretAccessKey,
    }),
  };
}

/**
 * Checks that the server answers and knows the key. A key that may not list the buckets can still be one that may use
 * some of them.
 */
async function requireS3(storage: S3Storage, { endpoint, credentials }: S3StorageOptions): Promise<void> {
  try {
    await storage.buckets();
  } catch (error) {
    const found = s3Problem(error);
    if (found === "denied" && isS3Denial(error)) return;
    const problem = found === "denied" ? "not-s3" : found;
    const where = endpoint === undefined ? "Amazon S3" : `the S3 server ${endpoint}`;
    const why = (credentials && configuredKeyProblems[problem ?? "other"]) ?? startProblems[problem ?? "other"];
    const text = `storage: ${where} ${why}`;
    throw problem === "unreachable"
      ? new TemporaryStartError(text, { cause: error })
      : new StartError(text, { cause: error });
  }
}

const startProblems: Readonly<Record<Exclude<S3Problem, "denied"> | "other", string>> = {
  "no-credentials":
    "needs credentials: set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or configure a profile or a role",
  "unknown-key":
    "does not accept the access key, or its session has expired: check AWS_ACCESS_KEY_ID and AWS_SESSION_TOKEN",
  "wrong-secret": "refuses the signature: check AWS_SECRET_ACCESS_KEY",
  clock: "refuses the time of the request: set the clock of this machine, or of the server",
  "no-region": "has the buckets in another region: name it, as in s3:…?region=eu-west-1",
  unreachable: "does not answer: check its address and the network, and that it runs",
  certificate:
    "has a certificate that is not trusted: set NODE_EXTRA_CA_CERTS to the file of its authority, or correct the certificate",
  "not-s3": "does not answer as S3 does: check the address, which is that of the server without a bucket",
  other: "cannot be used: check its address, the region (s3:…?region=REGION) and the credentials",
};

/** Those of a key pair that the config has, instead of the environment. */
const configuredKeyProblems: Readonly<Partial<Record<S3Problem | "other", string>>> = {
  "unknown-key": "does not accept the access key: check accessKeyId in storage.s3",
  "wrong-secret": "refuses the signature: check secretAccessKey in storage.s3",
  "no-region": "has the buckets in another region: name it in storage.s3.region",
};
