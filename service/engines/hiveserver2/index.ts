/**
 * Engine families on other servers: the selects of a cluster run on a HiveServer2, over the folder of the buckets, which
 * the server sees at the same path, or over the same buckets on S3.
 */
import type { EngineFamily } from "../../core/ports/engine";
import type { ServerAddress } from "./client/connection";
import type { Reader } from "../prepared-statement";
import type { StartLocalWork } from "./local-work";
import type { LocalFolder } from "./storage/local";
import type { S3Buckets } from "./storage/s3";
import type { ServerStorage } from "./storage/server-storage";

export interface HiveFamilyOptions {
  /** The name of the engine in the config, which clusters have as their `type`. */
  readonly name: string;
  /** What the servers run. */
  readonly dialect: Reader;
  /** URL of the web interface of a Spark, which reports the progress. */
  readonly ui?: string | undefined;
  /** Servers of the same warehouse, tried in this order. */
  readonly servers: readonly ServerAddress[];
  readonly storage: LocalFolder | S3Buckets;
  /** Starts what parses statements, reads objects and splits. */
  readonly startLocal: StartLocalWork;
  /** Maximum bytes of a result's object; only a single longer row exceeds it. @default 256 MB */
  readonly resultObjectBytes?: number;
}

/** Creates the engine family of a Hive or a Spark. */
export function hiveFamily({
  name,
  dialect: dialectName,
  ui,
  servers,
  storage,
  startLocal,
  resultObjectBytes = 256_000_000,
}: HiveFamilyOptions): EngineFamily {
  return {
    type: name,
    async start(options) {
      // Loaded when a cluster needs it: Thrift takes 20 MB of memory.
      const { ControlConnections } = await import("./control.js");
      const { ServerHealth } = await import("./health.js");
      const { HiveEngine } = await import("./engine.js");
      const { dialectOf } = await import("./dialects/index.js");
      const { checkServer, firstContactError } = await import("./check-server.js");
      const dialect = dialectOf(dialectName, ui);
      const { signal = new AbortController().signal } = options;
      const session = await checkServer(servers, dialect, signal).catch((error: unknown) => {
        throw firstContactError(error);
      });
      const health = new ServerHealth(servers, dialect, session);
      try {
        const serverStorage = await storageOf(storage, dialectName);
        const local = await startLocal(options);
        const control = new ControlConnections();
        return new HiveEngine({ servers, dialect, health, control, local, storage: serverStorage, resultObjectBytes });
      } catch (error) {
        health.close();
        throw error;
      }
    },
  };
}

async function storageOf(storage: HiveFamilyOptions["storage"], dialect: Reader): Promise<ServerStorage> {
  if ("s3" in storage) {
    const { S3ServerStorage } = await import("./storage/s3.js");
    return new S3ServerStorage(storage);
  }
  const { LocalServerStorage } = await import("./storage/local.js");
  const local = new LocalServerStorage(storage);
  if (dialect === "spark" && patternCharacter.test(local.directory)) throw patternFolder(local.directory);
  return local;
}

/** Characters with which a path is a pattern for Spark. */
const patternCharacter = /[*?[\]{},\\]/;

const patternFolder = (folder: string) =>
  new Error(
    `the folder ${folder} has a character that Spark takes for a pattern (* ? [ ] { } , \\): choose another folder with storage in the config`,
  );
