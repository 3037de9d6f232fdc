/**
 * Starts one Hive server and one Spark server for the tests of this project, or uses those that `DAG_TEST_HIVE` and
 * `DAG_TEST_SPARK` name. `DAG_TEST_SCALE` lists the dialects that the run needs.
 */
import { join } from "node:path";
import type { TestProject } from "vitest/node";
import { startHive } from "../conformance/hive/hive-server.mts";
import { versionOf } from "./server-version.ts";
import { startSpark } from "./spark-server.mts";

declare module "vitest" {
  interface ProvidedContext {
    /** URL of the Hive server, such as `hive2://127.0.0.1:10012`; empty when the run does not need it. */
    hive: string;
    /** URL of the Spark server. */
    spark: string;
    /** URL of the Spark server's web interface; empty when it is not known. */
    sparkUi: string;
  }
}

export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const { DAG_TEST_HIVE: hiveUrl, DAG_TEST_SPARK: sparkUrl, DAG_TEST_SPARK_UI: sparkUi } = process.env;
  const servers: { stop(): Promise<void> }[] = [];
  const stop = async () => {
    await Promise.all(servers.map((server) => server.stop()));
  };
  const needs = (dialect: string) => (process.env.DAG_TEST_SCALE ?? "").split(",").includes(dialect);
  try {
    if (!needs("hive")) project.provide("hive", "");
    else if (hiveUrl) project.provide("hive", hiveUrl);
    else {
      const hive = await startHive(join(import.meta.dirname, "hive-home"));
      servers.push(hive);
      project.provide("hive", hive.url.replace(/^hive:/, "hive2:"));
    }
    if (!needs("spark")) {
      project.provide("spark", "");
      project.provide("sparkUi", "");
    } else if (sparkUrl) {
      project.provide("spark", sparkUrl);
      project.provide("sparkUi", sparkUi ?? "");
    } else {
      const spark = await startSpark();
      servers.push(spark);
      project.provide("spark", spark.url);
      project.provide("sparkUi", spark.ui);
    }
    for (const dialect of ["hive", "spark"] as const) {
      if (needs(dialect)) console.log(await versionOf(dialect, project.getProvidedContext()[dialect]));
    }
    return stop;
  } catch (error) {
    await stop();
    throw error;
  }
}
