/**
 * Engine families on other servers: the selects of a cluster run on a HiveServer2, over the folder of the buckets, which
 * the server sees at the same path.
 */
import { realpathSync } from "node:fs";
import type { Location } from "../../../contract";
import type { EngineFamily } from "../../core/ports/engine";
import type { ServerAddress } from "./client/connection";
import type { DialectName, StartLocalWork } from "./local-work";

export interface HiveFamilyOptions {
  /** The name of the engine in the config, which clusters have as their `type`. */
  readonly name: string;
  /** What the servers run. */
  readonly dialect: DialectName;
  /** URL of the web interface of a Spark, which tells the progress. */
  readonly ui?: string | undefined;
  /** Servers of the same warehouse, tried in this order. */
  readonly servers: readonly ServerAddress[];
  readonly storage: { readonly directory: string; path(location: Location): string };
  /** Starts what parses statements, looks at objects and splits. */
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
      const { HiveEngine } = await import("./engine.js");
      const { dialectOf } = await import("./dialects/index.js");
      const { checkServer } = await import("./check-server.js");
      const dialect = dialectOf(dialectName, ui);
      const control = await ControlConnections.open(servers);
      try {
        await checkServer(servers, dialect);
        const dataDirectory = realpathSync(storage.directory);
        if (dialectName === "spark" && patternCharacter.test(dataDirectory)) throw patternFolder(dataDirectory);
        const pathOf = (location: Location) => dataDirectory + storage.path(location).slice(storage.directory.length);
        const local = await startLocal(options);
        return new HiveEngine({ servers, dialect, control, local, dataDirectory, pathOf, resultObjectBytes });
      } catch (error) {
        control.close();
        throw error;
      }
    },
  };
}

/** Characters with which a path is a pattern for Spark. */
const patternCharacter = /[*?[\]{},\\]/;

const patternFolder = (folder: string) =>
  new Error(
    `the folder ${folder} has a character that Spark takes for a pattern (* ? [ ] { } , \\): choose another folder with storage in the config`,
  );
