import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { AdvanceableClock, startService } from "dag-service/testing";
import { expect, test } from "vitest";
import { call, ended, hasStatus } from "./caller";

test("startService: creates objects, tables and clusters; close deletes everything", async () => {
  const service = await startService({
    clusters: [{ name: "mine", instances: [{ grade: "small", quantity: 2 }] }],
    objects: { "dag://data/birds/a.tsv": "owl\t3\nrobin\t4\n" },
    buckets: ["out"],
    tables: [{ database: "data", table: "birds", format: "tsv", schema: "string name, int n" }],
    credentials: [{ accessKeyId: "AK", secretAccessKey: "SK" }],
  });
  expect(service.credentials).toEqual({ accessKeyId: "AK", secretAccessKey: "SK" });
  const { json } = await call(service, "POST", "/v1/?select", {
    body: { clusterName: "mine", query: "select sum(n) from data.birds", outputResourcePath: "dag://out/sum" },
  });
  expect(await ended(service, json.queryId)).toMatchObject({ status: "finished" });
  expect(readFileSync(join(service.bucketsDirectory, "out/sum/000000_0"), "utf8")).toBe("7\n");
  await service.close();
  await service.close();
  expect(existsSync(service.dataDirectory)).toBe(false);
  await expect(call(service, "GET", "/v1/?query")).rejects.toThrow(/ECONNREFUSED|ECONNRESET/);
});

test("startService: several services run at the same time", async () => {
  await using one = await startService({ buckets: ["out"] });
  await using two = await startService();
  expect(one.url).not.toBe(two.url);
  expect(existsSync(join(two.bucketsDirectory, "out"))).toBe(false);
});

test("startService: reset restores the objects", async () => {
  await using service = await startService({ objects: { "dag://data/t/a.csv": "1\n" } });
  writeFileSync(join(service.bucketsDirectory, "data/t/a.csv"), "changed");
  await service.reset();
  expect(readFileSync(join(service.bucketsDirectory, "data/t/a.csv"), "utf8")).toBe("1\n");
});

test("startService: accepts fault rules and a clock", async () => {
  const clock = new AdvanceableClock();
  await using service = await startService({
    clock,
    faults: [{ operation: "getCluster", probability: 1, code: "TooManyRequests" }],
  });
  expect((await call(service, "GET", "/v1/demo?clusterManagement")).status).toBe(429);
  clock.advance(86_400_000);
  expect((await call(service, "GET", "/v1/?query")).json.code).toBe("RequestTimeTooSkewed");
  expect(service.clock).toBe(clock);
});

test("startService: a kept data folder can be used again", async () => {
  await using first = await startService({ objects: { "dag://data/t/a.csv": "1\n" }, buckets: ["out"] });
  const dataDirectory = join(first.dataDirectory, "inner");
  const inner = await startService({ dataDirectory, objects: { "dag://data/t/a.csv": "1\n" }, buckets: ["out"] });
  const { json } = await call(inner, "POST", "/v1/?select", {
    body: { clusterName: "demo", query: "select 1 from data.t", outputResourcePath: "dag://out/r" },
  });
  await ended(inner, json.queryId);
  await inner.close();
  await using again = await startService({ dataDirectory });
  await hasStatus(again, "demo", "norm");
  expect((await call(again, "GET", `/v1/${json.queryId}?query`)).json.status).toBe("finished");
});

test("getQueryLog: refuses when the cluster is no longer configured (InvalidClusterState)", async () => {
  await using outer = await startService();
  const dataDirectory = join(outer.dataDirectory, "inner");
  const first = await startService({ dataDirectory, objects: { "dag://data/t/a.csv": "1\n" }, buckets: ["out"] });
  const { json } = await call(first, "POST", "/v1/?select", {
    body: { clusterName: "demo", query: "select 1 from data.t", outputResourcePath: "dag://out/r" },
  });
  await ended(first, json.queryId);
  await first.close();
  await using second = await startService({ dataDirectory, clusters: [{ name: "other" }] });
  expect((await call(second, "GET", `/v1/${json.queryId}/log?query`)).json).toMatchObject({
    code: "InvalidClusterState",
    status: 400,
  });
});

test("startService: refuses invalid options and leaves no files", async () => {
  await expect(startService({ clusters: [{ name: "a b" }] })).rejects.toThrow("1 to 64 characters");
  await expect(startService({ clusters: [{ name: "c", type: "abacus" }] })).rejects.toThrow('type "abacus"');
});

test("startService: refuses a misspelt option and field by its name", async () => {
  const misspelt = { bucket: ["out"] } as object;
  await expect(startService(misspelt)).rejects.toThrow(
    'startService: there is no option "bucket": did you mean "buckets"? There are clusters, tables',
  );
  const clusters = [{ name: "demo", instanses: [] }] as never;
  await expect(startService({ clusters })).rejects.toThrow('startService: clusters.0: it has no field "instanses"');
});

test("startService: the documented example equals the tested one", () => {
  const documented = /```ts\n(import \{ startService[^`]*)```/.exec(
    readFileSync(join(__dirname, "../../../docs/service.md"), "utf8"),
  )![1];
  const [, ...example] = readFileSync(join(__dirname, "example.test.ts"), "utf8").split("\n");
  expect(example.join("\n")).toBe(documented);
});
