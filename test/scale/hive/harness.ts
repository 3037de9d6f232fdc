/** Starts engines of the family `hive`: built code, a real HiveServer2, files in a temporary folder. */
import { join } from "node:path";
import { afterAll, beforeAll, inject } from "vitest";
import type { Engine, EngineFamily } from "../../../service/core/ports/engine";
import type { HiveFamilyOptions } from "../../../service/engines/hiveserver2";
import { builtModule, Machine } from "../../contract/engine/harness";

/** The built module; its types are those of the source. */
const builtHive = join(__dirname, "../../../service/dist/service/engines/hiveserver2/index.js");

type BuiltHive = typeof import("../../../service/engines/hiveserver2");
type BuiltDuckDB = typeof import("../../../service/engines/duckdb");

/** The server of the test run. */
function hiveServer(): { readonly host: string; readonly port: number } {
  const { hostname, port } = new URL(inject("hive"));
  return { host: hostname, port: Number(port) };
}

/** Returns the family `hive` over the folder of a machine. */
async function hiveFamilyOf(machine: Machine, options: Partial<HiveFamilyOptions> = {}): Promise<EngineFamily> {
  const { hiveFamily } = (await import(builtHive)) as BuiltHive;
  const { duckDbFamily } = (await import(builtModule)) as BuiltDuckDB;
  const { storage } = machine;
  const embedded = duckDbFamily({ storage });
  const startLocal: HiveFamilyOptions["startLocal"] = (settings) => embedded.start(settings);
  return hiveFamily({ name: "hive", servers: [hiveServer()], storage, startLocal, ...options });
}

/** Starts an embedded engine and a hive engine over the same folder, for the tests of a file. */
export function useEngines() {
  const machine = new Machine();
  let embedded: Engine;
  let hive: Engine;
  beforeAll(async () => {
    embedded = await machine.start();
    hive = await startHiveEngine(machine);
  });
  afterAll(async () => {
    await hive?.close();
    await machine[Symbol.asyncDispose]();
  });
  return {
    machine,
    get embedded() {
      return embedded;
    },
    get hive() {
      return hive;
    },
  };
}

let engines = 0;

/** Starts a hive engine over the folder of a machine. */
export async function startHiveEngine(machine: Machine, options: Partial<HiveFamilyOptions> = {}): Promise<Engine> {
  const clusterName = `h${++engines}`;
  const family = await hiveFamilyOf(machine, options);
  return family.start({
    clusterName,
    debug: false,
    memoryBytes: 1_000_000_000,
    threads: 2,
    directory: machine.directory(clusterName),
  });
}
