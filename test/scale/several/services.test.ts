/** Two service processes on one database and one S3 server, with clusters on Spark, on Hive and on this machine. */
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, inject, onTestFinished, test } from "vitest";
import { type ServiceProcess, type Shared, startService } from "../../../tools/scale/services.mts";
import { S3Storage } from "../../../storage";
import { call, ended } from "../../contract/service/caller";
import { s3Credentials } from "../../contract/storage/s3-server";

const clusters = ["spark", "hive", "duckdb"] as const;
const credentials = { accessKeyId: "several", secretAccessKey: "several-secret" };
/** A statement with the same result on every engine. */
const statement = "SELECT v, count(*) AS n, max(id) AS m FROM data.events GROUP BY v ORDER BY v";
/** Statements that compute for some seconds, so that a process can be killed meanwhile. Spark needs more rows for it. */
const pairsOf = "FROM data.events a CROSS JOIN data.events b";
const long = {
  spark: `SELECT count(*) AS n ${pairsOf} CROSS JOIN data.events c WHERE a.id % 97 < b.id % 89 AND c.id < 20`,
  hive: `SELECT count(*) AS n ${pairsOf} WHERE a.id % 97 < b.id % 89`,
};

const ids = Array.from({ length: 6000 }, (_, id) => id);
const expected = Array.from({ length: 7 }, (_, v) => {
  const group = ids.filter((id) => id % 7 === v);
  return `v${v},${group.length},${group.at(-1)}\n`;
}).join("");
/** The answer of Hive's long statement, counted by remainders. */
const smaller = Array.from({ length: 89 }, (_, bound) => ids.filter((id) => id % 97 < bound).length);
const pairs = ids.reduce((sum, id) => sum + smaller[id % 89]!, 0);

let folder: string;
let shared: Shared;
let services: ServiceProcess[];
/** How many have been started. */
let processes: number;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "dag-several-"));
  const { endpoint, directory } = inject("s3");
  for (const bucket of ["data", "out"]) mkdirSync(join(directory, bucket), { recursive: true });
  const s3 = { endpoint, region: "us-east-1", ...s3Credentials };
  await new S3Storage({ ...s3, credentials: s3Credentials }).write(
    { bucket: "data", key: "events/a.csv" },
    ids.map((id) => `${id},v${id % 7}\n`).join(""),
  );
  const instances = [{ grade: "standard", quantity: 5 }];
  const config = {
    clusters: clusters.map((name) => ({ name, type: name, instances })),
    engines: {
      spark: { dialect: "spark", urls: [inject("spark")], ...(inject("sparkUi") && { ui: inject("sparkUi") }) },
      hive: { dialect: "hive", urls: [inject("hive")] },
    },
    tables: [{ database: "data", table: "events", schema: "bigint id, string v" }],
  };
  shared = { folder, s3, postgres: inject("postgres"), config, ...credentials };
  services = [await startService(shared, 1), await startService(shared, 2)];
  processes = services.length;
});
afterAll(async () => {
  await Promise.all((services ?? []).map((service) => service.stop()));
  rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
});

const target = (url: string) => ({ url, credentials });

async function submit(clusterName: string, query: string, path: string, url: string): Promise<number> {
  const body = { clusterName, query, outputResourcePath: `dag://out/${path}/` };
  const { status, json } = await call(target(url), "POST", "/v1/?select", { body });
  expect([status, json]).toEqual([202, { queryId: expect.any(Number) }]);
  return json.queryId as number;
}

/** Text of the objects of a result. */
function result(path: string): string {
  const output = join(inject("s3").directory, "out", path);
  return readdirSync(output)
    .toSorted()
    .map((name) => readFileSync(join(output, name), "utf8"))
    .join("");
}

test.each(clusters)("select on %s: every process shows the same query, and the result is on S3", async (cluster) => {
  const id = await submit(cluster, statement, `same-${cluster}`, services[1]!.url);
  expect(await ended(target(services[0]!.url), id)).toMatchObject({ status: "finished", progress: "100%" });
  expect(result(`same-${cluster}`)).toBe(expected);
});

test.each([
  ["spark", "runs its statement again", 2, pairs * 20, / runs the statement as /],
  ["hive", "goes on with its statement", 1, pairs, /going on with the statement that Hive runs already/],
] as const)(
  "kill -9 of the process that runs a query on %s: the other one %s and ends it once",
  async (cluster, _, statements, answer, remark) => {
    const first = services.shift()!;
    onTestFinished(async () => void services.push(await startService(shared, (processes += 1))));
    const survivor = target(services[0]!.url);
    const id = await submit(cluster, long[cluster], `killed-${cluster}`, first.url);
    const stage = async () => (await call(survivor, "GET", `/v1/${id}?query`)).json.stage as number;
    await expect.poll(stage, { timeout: 120_000, interval: 50 }).toBeGreaterThanOrEqual(2);
    await first.kill();
    expect(await ended(survivor, id)).toMatchObject({ status: "finished" });
    expect(result(`killed-${cluster}`)).toBe(`${answer}\n`);
    // The log has the last line shortly after the end.
    const log = async () => (await call(survivor, "GET", `/v1/${id}/log?query`)).json.log as string;
    await expect.poll(log).toMatch(/ finished after /);
    expect((await log()).match(/ finished after /g)).toHaveLength(1);
    expect(await log()).toMatch(/ resumed after its service process has ended/);
    expect(await log()).toMatch(remark);
    expect(new Set((await log()).match(/runs the statement as \S+/g)).size).toBeLessThanOrEqual(statements);
  },
);
