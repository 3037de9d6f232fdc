/** Runs the golden cases of a folder on a cluster of another server, as tests with its servers. */
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { fetchComponents } from "../../../tools/scale/components.mts";
import { runTests } from "../../../tools/test/run-tests.mjs";

/** What is run; the tests find it in `DAG_CONFORMANCE`. */
export interface ServerRun {
  /** The folder of the cases. */
  readonly directory: string;
  readonly cluster: "hive" | "spark";
  /** Where the tables and results are. */
  readonly place: "files" | "s3";
  /** The file to which each result is appended as a line of JSON. */
  readonly out: string;
}

/** The outcome of one case on a server. */
export interface ServerResult {
  readonly id: string;
  /**
   * `same`: Hive's rows. `otherOrder`: the same rows in another order. `different`: other rows. `refused`: the statement is
   * no valid one of the server. `failed`: any other error.
   */
  readonly outcome: "same" | "otherOrder" | "different" | "refused" | "failed";
  readonly message?: string;
  readonly got?: readonly string[];
  /** The settings of the case, which are not made on the server. */
  readonly set?: readonly string[];
  /** The embedded engine's outcome, when the server's is not `same`. */
  readonly embedded?: ServerResult["outcome"];
}

/**
 * Starts the servers, or uses those that the environment names, and runs every case.
 * @returns undefined when the servers cannot be had, with the reason printed
 */
export async function runOnServers({
  directory,
  cluster,
  place,
}: Omit<ServerRun, "out">): Promise<readonly ServerResult[] | undefined> {
  const needed = place === "s3" ? ([cluster, "s3"] as const) : [cluster];
  const missing = await fetchComponents([...needed]);
  for (const [name, reason] of missing) console.error(`${name} cannot be started: ${reason}`);
  if (missing.size > 0) return undefined;
  const temporary = mkdtempSync(join(tmpdir(), "golden-"));
  try {
    const out = join(temporary, "results.jsonl");
    process.env["DAG_TEST_SCALE"] = needed.join();
    process.env["DAG_CONFORMANCE"] = JSON.stringify({ directory: resolve(directory), cluster, place, out });
    await runTests(["--project", "conformance"]);
    if (!existsSync(out)) return undefined;
    const lines = readFileSync(out, "utf8").trim().split("\n");
    return lines.map((line) => JSON.parse(line) as ServerResult);
  } finally {
    rmSync(temporary, { recursive: true, force: true });
  }
}
