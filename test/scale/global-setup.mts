/** Starts one Hive server for the tests of this project, or uses the one that `DAG_TEST_HIVE` names. */
import { join } from "node:path";
import type { TestProject } from "vitest/node";
import { startHive } from "../conformance/hive/hive-server.mts";

declare module "vitest" {
  interface ProvidedContext {
    /** URL of the Hive server, such as `hive2://127.0.0.1:10012`. */
    hive: string;
  }
}

export default async function setup(project: TestProject): Promise<(() => Promise<void>) | undefined> {
  const given = process.env.DAG_TEST_HIVE;
  if (given !== undefined && given !== "") {
    project.provide("hive", given);
    return undefined;
  }
  const server = await startHive(join(import.meta.dirname, "hive-home"));
  project.provide("hive", server.url.replace(/^hive:/, "hive2:"));
  return () => server.stop();
}
