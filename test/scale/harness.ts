/** Starts engines on other servers: built code, a real HiveServer2, files in a temporary folder. */
import { mkdtempSync, readdirSync, renameSync } from "node:fs";
import { dirname, join } from "node:path";
import { afterAll, beforeAll, beforeEach, inject } from "vitest";
import { S3Storage } from "../../storage";
import type { Engine, EngineFamily } from "../../service/core/ports/engine";
import type { HiveFamilyOptions } from "../../service/engines/hiveserver2";
import { builtModule, Machine } from "../contract/engine/harness";
import { s3Environment } from "../contract/s3/harness";
import { S3Machine } from "../contract/s3/machine";
import { s3Credentials } from "../contract/storage/s3-server";

/** The built module; its types are those of the source. */
const builtHive = join(__dirname, "../../service/dist/service/engines/hiveserver2/index.js");

type BuiltHive = typeof import("../../service/engines/hiveserver2");
type BuiltDuckDB = typeof import("../../service/engines/duckdb");

export type DialectName = HiveFamilyOptions["dialect"];

/** The server of the test run. */
export function serverOf(dialect: DialectName): { readonly host: string; readonly port: number } {
  const { hostname, port } = new URL(inject(dialect));
  return { host: hostname, port: Number(port) };
}

/** Where the objects of a machine are: the servers see its folder, or reach the same S3 server. */
export type Place = "files" | "s3";

/** Returns the family of a dialect over the folder of a machine. */
async function familyOf(
  dialect: DialectName,
  machine: Machine,
  options: Partial<HiveFamilyOptions>,
): Promise<EngineFamily> {
  const { hiveFamily } = (await import(builtHive)) as BuiltHive;
  const { duckDbFamily } = (await import(builtModule)) as BuiltDuckDB;
  const isS3 = machine instanceof S3Machine;
  const storage = isS3 ? { s3: s3Storage(), scheme: "s3a" } : machine.storage;
  const embedded = duckDbFamily({ storage: isS3 ? embeddedOnS3() : machine.storage });
  const startLocal: HiveFamilyOptions["startLocal"] = (settings) => embedded.start(settings);
  return hiveFamily({ name: dialect, dialect, servers: [serverOf(dialect)], storage, startLocal, ...options });
}

const s3Options = () => ({ endpoint: inject("s3").endpoint, region: "us-east-1" });

/** Returns the S3 of the test run. */
const s3Storage = () => new S3Storage({ ...s3Options(), credentials: s3Credentials });

const embeddedOnS3 = () => ({ s3: s3Options(), environment: s3Environment });

/**
 * Moves the buckets of the S3 server away, to a folder beside them that is deleted with the server: the files of the
 * tests on S3 run one after another. They are not deleted here, since the tasks of a statement that was cancelled last
 * may still be writing to them.
 */
export function emptyS3(): void {
  const { directory } = inject("s3");
  const away = mkdtempSync(join(dirname(directory), "emptied-"));
  for (const name of readdirSync(directory)) renameSync(join(directory, name), join(away, name));
}

/** Skips the tests on S3 of a run whose servers reach none. */
export function skipWithoutS3(place: Place): void {
  beforeEach(({ skip }) => {
    if (place === "s3" && inject("s3").endpoint === "") skip("the server of this run reaches no S3 server");
  });
}

/** Starts an embedded engine and one on another server over the same objects, for the tests of a file. */
export function useEngines(dialect: DialectName, place: Place = "files") {
  skipWithoutS3(place);
  const { endpoint, directory } = inject("s3");
  const isOnS3 = place === "s3" && endpoint !== "";
  if (isOnS3) emptyS3();
  const machine = isOnS3 ? new S3Machine({ directory }) : new Machine();
  let embedded: Engine;
  let remote: Engine;
  beforeAll(async () => {
    embedded = await machine.start({}, machine instanceof S3Machine ? { storage: embeddedOnS3() } : {});
    remote = await startRemote(dialect, machine);
  });
  afterAll(async () => {
    await remote?.close();
    await machine[Symbol.asyncDispose]();
  });
  return {
    machine,
    get embedded() {
      return embedded;
    },
    get remote() {
      return remote;
    },
  };
}

let engines = 0;

/** Starts an engine on another server over the folder of a machine. */
export async function startRemote(
  dialect: DialectName,
  machine: Machine,
  options: Partial<HiveFamilyOptions> = {},
): Promise<Engine> {
  const clusterName = `r${++engines}`;
  const family = await familyOf(dialect, machine, options);
  return family.start({
    clusterName,
    debug: false,
    memoryBytes: 1_000_000_000,
    threads: 2,
    directory: machine.directory(clusterName),
  });
}
