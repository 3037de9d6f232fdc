/** Starts engines on other servers: built code, a real HiveServer2, files in a temporary folder. */
import { join } from "node:path";
import { afterAll, beforeAll, inject } from "vitest";
import type { Engine, EngineFamily } from "../../service/core/ports/engine";
import type { HiveFamilyOptions } from "../../service/engines/hiveserver2";
import { builtModule, Machine } from "../contract/engine/harness";

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

/** Returns the family of a dialect over the folder of a machine. */
async function familyOf(
  dialect: DialectName,
  machine: Machine,
  options: Partial<HiveFamilyOptions>,
): Promise<EngineFamily> {
  const { hiveFamily } = (await import(builtHive)) as BuiltHive;
  const { duckDbFamily } = (await import(builtModule)) as BuiltDuckDB;
  const { storage } = machine;
  const embedded = duckDbFamily({ storage });
  const startLocal: HiveFamilyOptions["startLocal"] = (settings) => embedded.start(settings);
  return hiveFamily({ name: dialect, dialect, servers: [serverOf(dialect)], storage, startLocal, ...options });
}

/** Starts an embedded engine and one on another server over the same folder, for the tests of a file. */
export function useEngines(dialect: DialectName) {
  const machine = new Machine();
  let embedded: Engine;
  let remote: Engine;
  beforeAll(async () => {
    embedded = await machine.start();
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
