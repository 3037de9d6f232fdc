/**
 * Starts the servers that the tests of this project need: `DAG_TEST_SCALE` lists them. A test file runs only when its
 * servers are in the list.
 */
import type { TestProject } from "vitest/node";
import { type ComponentName, startComponents } from "../../tools/scale/components.mts";
import { versionOf } from "./server-version.ts";

declare module "vitest" {
  interface ProvidedContext {
    /** URL of the Hive server, such as `hive2://127.0.0.1:10012`; empty when the run does not need it. */
    hive: string;
    /** URL of the Spark server. */
    spark: string;
    /** URL of the Spark server's web interface; empty when it is not known. */
    sparkUi: string;
    /**
     * URL of the S3 server that Hive and Spark reach, the folder of its buckets, and the file of its log; empty when it is
     * not our own.
     */
    s3: { readonly endpoint: string; readonly directory: string; readonly log: string };
    /** URL of a database that is empty at first. */
    postgres: string;
  }
}

/** The servers of the run. Vitest loads this module once for each project, and all projects share the servers. */
const shared = globalThis as { scaleServers?: ReturnType<typeof start> };

async function start() {
  const names = (process.env["DAG_TEST_SCALE"] ?? "").split(",") as ComponentName[];
  const options = { buckets: ["data", "raw", "out"], workers: 2 };
  const servers = await startComponents(names, options, (line) => console.log(line));
  try {
    for (const dialect of ["hive", "spark"] as const) {
      const url = servers[dialect]?.url;
      if (url) console.log(`${dialect} says that it is ${await versionOf(dialect, url)}`);
    }
  } catch (error) {
    await servers.stop();
    throw error;
  }
  return servers;
}

export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const isFirst = shared.scaleServers === undefined;
  const servers = await (shared.scaleServers ??= start());
  project.provide("hive", servers.hive?.url ?? "");
  project.provide("spark", servers.spark?.url ?? "");
  project.provide("sparkUi", servers.spark?.ui ?? "");
  const { access, directory, log } = servers.s3 ?? {};
  project.provide(
    "s3",
    access && directory && log
      ? { endpoint: access.endpoint, directory, log }
      : { endpoint: "", directory: "", log: "" },
  );
  project.provide("postgres", servers.postgres?.url ?? "");
  return async () => {
    if (isFirst) await servers.stop();
  };
}
