/** Several service processes on S3 buckets and one PostgreSQL database, each with a data folder of its own. */
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { call, ended, type Target } from "../service/caller";
import { gateContent, gated, gateObject, gateTable } from "../service/gate";
import { kill, submitted } from "../service/service-process";
import { expireLeasesOfKilled, missingPostgres, usePostgres } from "../state/use-postgres";
import { s3Environment, useS3 } from "./harness";
import { startStallingProxy, type StallingProxy } from "./stalling-proxy";

const tables = `[{database: data, table: numbers, schema: "bigint n"}, ${gateTable}]`;
const credentials = "[{accessKeyId: AK, secretAccessKey: SK}]";

const s3 = useS3();

describe.skipIf(missingPostgres !== undefined)("several processes on S3", () => {
  const postgres = usePostgres();
  let proxy: StallingProxy | undefined;
  beforeEach(async () => {
    await s3.put({
      "dag://data/numbers/a.csv": Array.from({ length: 20_000 }, (_, index) => `${index}\n`).join(""),
      "dag://raw/a.csv": "id,v\n1,a\n",
      "dag://raw/b.csv": "id,v\n2,b\n",
      "dag://raw/c.csv": "id,v\n3,c\n",
    });
    await s3.makeBuckets("out", "default");
  });
  afterEach(async () => {
    await proxy?.close();
    proxy = undefined;
  });

  /** Starts a process; `endpoint` is where it finds the S3 server. */
  const start = (data: string, endpoint = s3.server.endpoint, state: NodeJS.ProcessEnv = onPostgres()) =>
    s3.folder.start(["--data", data, "--storage", `s3:${endpoint}?region=us-east-1`, "--tables", tables], {
      ...s3Environment,
      ...state,
      DAG_SERVICE_CREDENTIALS: credentials,
    });
  const onPostgres = () => ({ DAG_SERVICE_STATE: postgres.url });
  const logOf = async (service: Target, id: number) =>
    ((await call(service, "GET", `/v1/${id}/log?query`)).json.log as string | undefined) ?? "";
  const splitted = async (service: Target) => {
    const body = {
      clusterName: "demo",
      inputObjectKeys: ["dag://raw/a.csv", "dag://raw/b.csv", "dag://raw/c.csv"],
      outputDatabase: "data",
      outputTable: "made",
    };
    const answer = await call(service, "POST", "/v1/?split", { body });
    expect(answer.text).toContain("queryId");
    return answer.json.queryId as number;
  };
  const endsIn = (log: string) => log.match(/Z (finished|error|canceled) after /g) ?? [];
  const temporary = async (bucket: string) =>
    (await s3.keys(`dag://${bucket}/`)).filter((key) => key.startsWith("tmp"));

  test("kill -9 in mid-query: the other process takes it over, has its log from before, and publishes once", async () => {
    await s3.put({ "dag://out/r/old": "old", [gateObject]: gateContent.closed });
    const [first, second] = [await start("a"), await start("b")];
    const id = await submitted(first, { query: gated });
    // The other process shows the lines of this one.
    await expect.poll(() => logOf(second, id), { timeout: 10_000 }).toContain("running on duckdb");
    await kill(first.child, "SIGKILL");
    await expireLeasesOfKilled(postgres.url);
    await expect.poll(() => logOf(second, id), { timeout: 25_000, interval: 100 }).toContain("resumed");
    expect(await s3.keys("dag://out/r/")).toEqual(["r/old"]);
    await s3.put({ [gateObject]: gateContent.open });
    expect(await ended(second, id)).toMatchObject({ status: "finished" });
    const log = await logOf(second, id);
    expect(log.match(/running on duckdb/g)).toHaveLength(2);
    expect(endsIn(log)).toHaveLength(1);
    expect(await s3.keys("dag://out/")).toEqual(["r/000000_0"]);
    expect(await s3.content("dag://out/r/")).toMatch(/^\d+\n$/);
  });

  test("migrate to a file: the logs of queries, which were in the database, are answered as before", async () => {
    const first = await start("a");
    const id = await submitted(first, { query: "select count(*) n from data.numbers" });
    expect(await ended(first, id)).toMatchObject({ status: "finished" });
    await expect.poll(() => logOf(first, id)).toContain("finished after");
    const log = await logOf(first, id);
    await kill(first.child, "SIGTERM");
    const migrate = ["migrate", "--data", "a", "--from", postgres.url, "--to", "sqlite:a/state.sqlite"];
    const command = s3.folder.run(migrate);
    expect(await command.exit, command.stderr()).toBe(0);
    expect(await logOf(await start("a", s3.server.endpoint, {}), id)).toBe(log);
  });

  test("kill -9 in mid-publish: the other process completes what the manifest says, and runs nothing again", async () => {
    proxy = await startStallingProxy(s3.server.endpoint, 0);
    await s3.put({ "dag://out/r/old": "old" });
    const [first, second] = [await start("a", proxy.endpoint), await start("b")];
    const id = await submitted(first, { query: "select count(*) n from data.numbers" });
    await proxy.stalled;
    // The gap of a publication: the old output is deleted, the new one is not there.
    expect(await s3.keys("dag://out/r/")).toEqual([]);
    const refused = await call(second, "DELETE", `/v1/${id}?query`);
    expect(refused.json).toMatchObject({ code: "InvalidQueryState" });
    await kill(first.child, "SIGKILL");
    await expireLeasesOfKilled(postgres.url);
    expect(await ended(second, id)).toMatchObject({ status: "finished" });
    expect(await s3.content("dag://out/r/")).toBe("20000\n");
    expect(await s3.keys("dag://out/")).toEqual(["r/000000_0"]);
    const log = await logOf(second, id);
    expect(log.match(/running on duckdb/g)).toHaveLength(1);
    expect(endsIn(log)).toHaveLength(1);
  });

  test("kill -9 in mid-publish of a split: the table has each object once", async () => {
    proxy = await startStallingProxy(s3.server.endpoint, 1);
    const [first, second] = [await start("a", proxy.endpoint), await start("b")];
    const id = await splitted(first);
    await proxy.stalled;
    await kill(first.child, "SIGKILL");
    await expireLeasesOfKilled(postgres.url);
    expect(await ended(second, id)).toMatchObject({ status: "finished" });
    expect(await s3.keys("dag://data/made/")).toEqual(["made/000000_0", "made/000001_0", "made/000002_0"]);
    expect(await s3.content("dag://data/made/")).toBe("id,v\n1,a\nid,v\n2,b\nid,v\n3,c\n");
    expect(await temporary("data")).toEqual([]);
    const count = await submitted(second, { query: "select count(*) n from data.made" });
    expect(await ended(second, count)).toMatchObject({ status: "finished" });
    expect(await s3.content("dag://out/r/")).toBe("3\n");
  });

  test("SIGSTOP in mid-publish past the lease: what the stopped process sends later changes nothing", async () => {
    proxy = await startStallingProxy(s3.server.endpoint, 0);
    const [first, second] = [await start("a", proxy.endpoint), await start("b")];
    const id = await submitted(first, { query: "select count(*) n from data.numbers" });
    await proxy.stalled;
    first.child.kill("SIGSTOP");
    expect(await ended(second, id)).toMatchObject({ status: "finished" });
    const later = await submitted(second, { query: "select 'later' v" });
    expect(await ended(second, later)).toMatchObject({ status: "finished" });
    first.child.kill("SIGCONT");
    // It does not wait for the answer to its copy, which is still held back.
    const noticed = () => `${first.stdout()}${first.stderr()}`;
    await expect.poll(noticed, { timeout: 5000 }).toContain("taken over or ended by another process");
    proxy.release();
    expect((await call(first, "GET", `/v1/${id}?query`)).json).toMatchObject({ status: "finished" });
    // It works on: what was held back has come before the copies of its next query.
    const next = await submitted(first, { query: "select 'next' v", outputResourcePath: "dag://out/next" });
    expect(await ended(first, next)).toMatchObject({ status: "finished" });
    expect(await s3.content("dag://out/next/")).toBe("next\n");
    expect(await s3.content("dag://out/r/")).toBe("later\n");
    expect(await s3.keys("dag://out/")).toEqual(["next/000000_0", "r/000000_0"]);
    expect(endsIn(await logOf(first, id))).toHaveLength(1);
  });

  test("exportClusterLog: has the lines of queries of every process", async () => {
    const [first, second] = [await start("a"), await start("b")];
    const id = await splitted(first);
    expect(await ended(second, id)).toMatchObject({ status: "finished" });
    const answer = await call(second, "PUT", "/v1/demo/log?clusterManagement", {
      body: { outputLogPath: "dag://out/logs", compress: false },
    });
    expect(answer.status, answer.text).toBeLessThan(300);
    await expect.poll(() => s3.keys("dag://out/logs/"), { timeout: 10_000 }).toContain("logs/manifest.json");
    expect(await s3.content("dag://out/logs/service/")).toContain("table is at dag://data/made/");
  });
});
