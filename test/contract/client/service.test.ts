import { setTimeout as sleep } from "node:timers/promises";
import { startService, type FaultRule, type TestService } from "dag-service/testing";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { Client, mayHaveBeenCarriedOut, type ClientOptions } from "../../../provider/client";
import { caught } from "./samples";

const quick = "SELECT kind, count(*) AS n FROM data.birds GROUP BY kind ORDER BY kind";
const slow = "SELECT count(*) AS n FROM data.numbers a CROSS JOIN data.numbers b CROSS JOIN data.numbers c";

let service: TestService;
const clients: Client[] = [];

function connect(options: Partial<ClientOptions> = {}): Client {
  const client = new Client({ endpoint: service.url, ...service.credentials, ...options });
  clients.push(client);
  return client;
}

/** Replaces all fault rules. */
async function faults(...rules: FaultRule[]): Promise<void> {
  const response = await fetch(`${service.url}/_faults`, {
    method: "PUT",
    headers: { "x-dag-control": "1" },
    body: JSON.stringify(rules),
  });
  expect(response.ok).toBe(true);
}

const select = (path: string, query = quick, label = "test") => ({
  clusterName: "c1",
  query,
  label,
  outputResourcePath: `dag://results/${path}/`,
});

beforeAll(async () => {
  service = await startService({
    clusters: [
      { name: "c1", instances: [{ grade: "small", quantity: 4 }] },
      { name: "c2", instances: [{ grade: "small", quantity: 2 }] },
    ],
    buckets: ["results", "logs"],
    objects: {
      "dag://data/birds/a.csv": "owl,1\nkite,2\nowl,3\n",
      "dag://data/numbers/n.csv": Array.from({ length: 20_000 }, (_, n) => `${n}\n`).join(""),
      "dag://raw/in.csv": "1,a\n2,b\n",
    },
    tables: [
      { database: "data", table: "birds", format: "csv", schema: "string kind, bigint n" },
      { database: "data", table: "numbers", format: "csv", schema: "bigint n" },
    ],
  });
});
afterEach(async () => {
  await faults();
  service.clock.reset();
});
afterAll(async () => {
  await Promise.all(clients.map((client) => client.close()));
  await service?.close();
});

describe("the client with the service", () => {
  it("submitSelect, waitForQuery, getQuery, getQueryLog: runs a select from start to end", async () => {
    const client = connect();
    const { queryId } = await client.submitSelect(select("whole"));
    const done = await client.waitForQuery({ queryId, clusterName: "c1" });
    expect(done).toMatchObject({ id: queryId, type: "select", status: "finished", progress: "100%", query: quick });
    expect(await client.getQuery({ queryId })).toEqual(done);
    expect((await client.getQueryLog({ queryId })).log).not.toBe("");
  });

  it("submitSplit: runs a split from start to end, and throws its errors by class", async () => {
    const client = connect();
    const split = {
      clusterName: "c1",
      inputObjectKeys: ["dag://raw/in.csv"],
      outputDatabase: "data",
      outputTable: "split",
    };
    const { queryId } = await client.submitSplit({ ...split, schema: "bigint id, string name" });
    const done = await client.waitForQuery({ queryId, clusterName: "c1" });
    expect(done).toMatchObject({ type: "split", status: "finished", outputDatabase: "data", outputTable: "split" });
    expect(await caught(client.submitSplit(split))).toMatchObject({ code: "OutputTableAlreadyExists", status: 400 });
    expect(await caught(client.getQueryLog({ queryId }))).toMatchObject({ code: "InvalidQueryType" });
    const missing = { ...split, inputObjectKeys: ["dag://raw/gone.csv"], outputTable: "other" };
    const error = await caught(client.submitSplit(missing));
    expect(error).toMatchObject({ code: "InputObjectNotFound", status: 404, operation: "submitSplit" });
    expect(error.requestId).toMatch(/\S/);
  });

  it("checkStatement: a cluster that does not exist is not found, and no other one checks in its place", async () => {
    const client = connect();
    expect(await client.checkStatement({ query: quick, clusterName: "c2" })).toEqual({
      problems: [],
      clusterName: "c2",
    });
    expect(await caught(client.checkStatement({ query: quick, clusterName: "nope" }))).toMatchObject({
      code: "ClusterNotFound",
    });
  });

  it("cancelQuery: ends a query, and fails for one that has ended", async () => {
    const client = connect();
    const { queryId } = await client.submitSelect(select("cancelled", slow));
    await client.cancelQuery({ queryId });
    expect(await client.waitForQuery({ queryId, clusterName: "c1" })).toMatchObject({ status: "canceled" });
    expect(await caught(client.cancelQuery({ queryId }))).toMatchObject({ code: "InvalidQueryState" });
    expect(await caught(client.cancelQuery({ queryId: 999_999 }))).toMatchObject({ code: "QueryNotFound" });
  });

  it("queries and clusters: return every record of all pages once", async () => {
    const client = connect();
    for (let n = 0; n < 5; n += 1) {
      const { queryId } = await client.submitSelect(select(`page-${n}`, quick, "a b&c=ä#1"));
      await client.waitForQuery({ queryId, clusterName: "c1" });
    }
    const ids: number[] = [];
    for await (const { id } of client.queries({ max: 2, labelPrefix: "a b&c=ä#", order: "asc" })) ids.push(id);
    expect(ids).toHaveLength(5);
    expect(ids).toEqual([...new Set(ids)].toSorted((a, b) => a - b));
    const names: string[] = [];
    for await (const { name } of client.clusters({ max: 1 })) names.push(name);
    expect(names.toSorted()).toEqual(["c1", "c2"]);
  });

  it("getCluster, getClusterStatistics, exportClusterLog, restartCluster", async () => {
    const client = connect();
    expect(await client.getCluster({ clusterName: "c2" })).toMatchObject({ name: "c2", type: "duckdb", debug: false });
    expect((await client.getClusterStatistics({ clusterName: "c2" })).disk.capacity).toBeGreaterThan(0);
    await client.exportClusterLog({ clusterName: "c2", outputLogPath: "dag://logs/c2/", compress: true });
    await client.restartCluster({ clusterName: "c2", debug: true });
    expect(await client.getCluster({ clusterName: "c2" })).toMatchObject({ debug: true });
    expect(await caught(client.getCluster({ clusterName: "c3" }))).toMatchObject({ code: "ClusterNotFound" });
  });

  it("waits for many queries through bursts of errors and dropped connections", async () => {
    const client = connect({ pollInterval: 200 });
    const waits: Promise<{ status: string }>[] = [];
    for (let n = 0; n < 3; n += 1) {
      const { queryId } = await client.submitSelect(select(`burst-${n}`));
      waits.push(client.waitForQuery({ queryId, clusterName: "c1" }));
    }
    await faults(
      { operation: "listQueries", probability: 0.4, code: "ServiceUnavailable" },
      { operation: "listQueries", probability: 0.3, dropConnection: "after" },
      { operation: "getQuery", probability: 0.5, dropConnection: "before" },
    );
    expect((await Promise.all(waits)).map(({ status }) => status)).toEqual(["finished", "finished", "finished"]);
  });

  it("a POST with a lost response is not sent again, and the query is found by its label", async () => {
    const client = connect();
    await faults({ operation: "submitSelect", probability: 1, dropConnection: "after" });
    const error = await caught(client.submitSelect(select("lost", quick, "lost#1")));
    expect(error).toMatchObject({ code: "ConnectionFailed", sent: true });
    expect(mayHaveBeenCarriedOut(error)).toBe(true);
    await faults();
    const found: number[] = [];
    for await (const { id } of client.queries({ labelPrefix: "lost#1" })) found.push(id);
    expect(found).toHaveLength(1);
  });

  it("a DELETE with a lost response is retried and rejected, and the query's status shows that it was executed", async () => {
    const client = connect({ maxRetries: 3 });
    const { queryId } = await client.submitSelect(select("lost-cancel", slow));
    await faults({ operation: "cancelQuery", probability: 1, dropConnection: "after" });
    expect(await caught(client.cancelQuery({ queryId }))).toMatchObject({ code: "InvalidQueryState" });
    expect((await client.getQuery({ queryId })).status).toBe("canceled");
  });

  it.each([20, -20])("a clock that is %s minutes off is learnt", async (minutes) => {
    const wrong = { now: () => Date.now() - minutes * 60_000, random: Math.random, sleep: (ms: number) => sleep(ms) };
    const client = connect({ clock: wrong, maxRetries: 0 });
    expect(await client.getCluster({ clusterName: "c1" })).toMatchObject({ name: "c1" });
    service.clock.advance(30 * 60_000);
    expect(await client.getCluster({ clusterName: "c1" })).toMatchObject({ name: "c1" });
  });

  it("a wrong key throws its error class, without a retry", async () => {
    const wrong = connect({ secretAccessKey: "wrong" });
    expect(await caught(wrong.listClusters())).toMatchObject({ code: "SignatureDoesNotMatch", status: 403 });
    const unknown = connect({ accessKeyId: "nobody" });
    expect(await caught(unknown.listClusters())).toMatchObject({ code: "InvalidAccessKeyId", status: 403 });
  });
});
