/**
 * Starts one Hive server and one Spark server for the tests of this project, with an S3 server that both reach, or uses
 * those that `DAG_TEST_HIVE` and `DAG_TEST_SPARK` name, with the S3 server `DAG_TEST_S3`, whose buckets are in the folder
 * `DAG_TEST_S3_FOLDER`. `DAG_TEST_SCALE` lists the dialects that the run needs.
 */
import { join } from "node:path";
import type { TestProject } from "vitest/node";
import { s3Credentials, startS3Server } from "../contract/storage/s3-server.ts";
import { startHive } from "../conformance/hive/hive-server.mts";
import { versionOf } from "./server-version.ts";
import { fetchJars } from "./jars/fetch.mts";
import { type S3Access, s3aSettings } from "./s3-access.mts";
import { startSpark } from "./spark-server.mts";

declare module "vitest" {
  interface ProvidedContext {
    /** URL of the Hive server, such as `hive2://127.0.0.1:10012`; empty when the run does not need it. */
    hive: string;
    /** URL of the Spark server. */
    spark: string;
    /** URL of the Spark server's web interface; empty when it is not known. */
    sparkUi: string;
    /** URL of the S3 server that the servers reach, and the folder of its buckets; empty when there is none. */
    s3: { readonly endpoint: string; readonly directory: string };
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
    const isOurs = (needs("hive") && !hiveUrl) || (needs("spark") && !sparkUrl);
    const s3 = isOurs ? await startS3() : undefined;
    if (s3) servers.push({ stop: () => s3.server.close() });
    const { DAG_TEST_S3: endpoint = "", DAG_TEST_S3_FOLDER: directory = "" } = process.env;
    project.provide(
      "s3",
      s3 ? { endpoint: s3.server.endpoint, directory: s3.server.directory } : { endpoint, directory },
    );
    if (!needs("hive")) project.provide("hive", "");
    else if (hiveUrl) project.provide("hive", hiveUrl);
    else {
      const hive = await startHive(
        join(import.meta.dirname, "hive-home"),
        s3 && {
          settings: s3aSettings(s3.access),
          jars: await fetchJars("hive-s3"),
          environment: s3.access.environment,
        },
      );
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
      const spark = await startSpark(s3?.access);
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

/** Starts an S3 server; undefined, with the reason printed, where it cannot be had. */
async function startS3() {
  try {
    const server = await startS3Server();
    const { accessKeyId, secretAccessKey } = s3Credentials;
    const environment = { AWS_ACCESS_KEY_ID: accessKeyId, AWS_SECRET_ACCESS_KEY: secretAccessKey };
    const access: S3Access = { endpoint: server.endpoint, environment };
    return { server, access };
  } catch (error) {
    console.warn(`the tests on S3 are skipped: ${(error as Error).message}`);
    return undefined;
  }
}
