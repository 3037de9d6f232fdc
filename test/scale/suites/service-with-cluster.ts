/** A service with a cluster on another server and one on this machine, for the tests of a file. */
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { inject } from "vitest";
import { clustersHaveStarted } from "../../../tools/scale/services.mts";
import { s3Environment } from "../../contract/s3/harness";
import { call } from "../../contract/service/caller";
import { type Process, useServiceFolder } from "../../contract/service/service-process";
import { type DialectName, emptyS3, type Place, skipWithoutS3 } from "../harness";

/** Gives each test a folder for its services. */
export function useServices(dialect: DialectName, place: Place) {
  const folder = useServiceFolder();
  skipWithoutS3(place);
  const buckets = () => (place === "s3" ? inject("s3").directory : join(folder.path, ".dag/buckets"));

  /** Writes the objects of the tests. */
  const fill = () => {
    folder.fill();
    if (place === "files") return;
    emptyS3();
    cpSync(join(folder.path, ".dag/buckets"), buckets(), { recursive: true });
  };

  /** Starts a service on the test's folder, and its clusters. The first server of its list does not answer by default. */
  async function start(servers: readonly string[] = ["hive2://127.0.0.1:1", inject(dialect)]): Promise<Process> {
    const config = {
      clusters: [
        { name: "demo", type: dialect, instances: [{ grade: "standard", quantity: 4 }] },
        { name: "local", type: "duckdb" },
      ],
      engines: { [dialect]: { dialect, urls: servers } },
      tables: [
        { database: "data", table: "events", schema: "bigint id, string v" },
        { database: "data", table: "numbers", schema: "bigint n" },
      ],
    };
    mkdirSync(folder.path, { recursive: true });
    writeFileSync(join(folder.path, "config.json"), JSON.stringify(config));
    const storage = place === "s3" ? ["--storage", `s3:${inject("s3").endpoint}?region=us-east-1`] : [];
    const service = await folder.start(["--config", "config.json", ...storage], s3Environment);
    await clustersHaveStarted(service.url);
    return service;
  }

  const submit = (service: Process, clusterName: string, query: string, path: string) =>
    call(service, "POST", "/v1/?select", { body: { clusterName, query, outputResourcePath: `dag://out/${path}` } });

  /** Returns the text of a result in the bucket `out`. */
  const result = (path: string) => {
    const out = join(buckets(), "out", path);
    return readdirSync(out)
      .toSorted()
      .map((name) => readFileSync(join(out, name), "utf8"))
      .join("");
  };

  const log = async (service: Process, id: number): Promise<string> =>
    (await call(service, "GET", `/v1/${id}/log?query`)).json.log;

  /** Names below the temporary folder of the results' bucket. */
  const temporary = (): readonly string[] => {
    const left = join(buckets(), "out/tmp");
    return existsSync(left) ? readdirSync(left, { recursive: true, encoding: "utf8" }) : [];
  };

  return { fill, start, submit, result, log, buckets, temporary, path: () => folder.path };
}
