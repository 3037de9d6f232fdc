import { readFileSync, renameSync, rmSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { gunzipSync } from "node:zlib";
import { execFileSync } from "node:child_process";
import { expect, test } from "vitest";
import { ended, hasStatus } from "./caller";
import { slow, useService } from "./fixture";

const f = useService();

test("getCluster: returns name, status, type, instances and debug", async () => {
  const { status, json } = await f.call("GET", "/v1/c1?clusterManagement");
  expect(status).toBe(200);
  expect(json).toEqual({
    name: "c1",
    status: "norm",
    type: "duckdb",
    instances: [{ grade: "small", quantity: 3 }],
    debug: false,
  });
});

test("getCluster: refuses an invalid cluster name (InvalidClusterName)", async () => {
  expect((await f.call("GET", "/v1/no%20name?clusterManagement")).json).toMatchObject({
    code: "InvalidClusterName",
    status: 400,
  });
});

test("getCluster: refuses an unknown cluster (ClusterNotFound)", async () => {
  expect((await f.call("GET", "/v1/c9?clusterManagement")).json).toMatchObject({
    code: "ClusterNotFound",
    status: 404,
  });
});

test("listClusters: returns pages in the order of names", async () => {
  const first = await f.call("GET", "/v1/?clusterManagement&max=1&order=asc");
  expect(first.json).toMatchObject({ isTruncated: true, nextMarker: "c1", clusters: [{ name: "c1" }] });
  const second = await f.call("GET", "/v1/?clusterManagement&max=1&order=asc&marker=c1");
  expect(second.json).toMatchObject({ isTruncated: false, clusters: [{ name: "c2" }] });
  expect(second.json).not.toHaveProperty("nextMarker");
});

test("listClusters: applies every filter", async () => {
  const names = async (filter: string) => {
    const { json } = await f.call("GET", `/v1/?clusterManagement&order=asc${filter}`);
    return json.clusters.map(({ name }: { name: string }) => name);
  };
  expect(await names("")).toEqual(["c1", "c2"]);
  expect(await names("&status=norm,%20failed")).toEqual(["c1", "c2"]);
  expect(await names("&status=failed")).toEqual([]);
  expect(await names("&type=duckdb&clusterNamePrefix=c")).toEqual(["c1", "c2"]);
  expect(await names("&type=hive")).toEqual([]);
  expect(await names("&clusterName=c2")).toEqual(["c2"]);
});

test("listClusters: refuses an unknown parameter or one out of range (InvalidParameter)", async () => {
  for (const bad of ["max=0", "max=101", "status=well", "order=x", "labelPrefix=a"]) {
    expect((await f.call("GET", `/v1/?clusterManagement&${bad}`)).json.code).toBe("InvalidParameter");
  }
});

test("getClusterStatistics: returns the disk usage of the storage, and of each instance an equal part", async () => {
  const { status, json } = await f.call("GET", "/v1/c1/statistics?clusterManagement");
  expect(status).toBe(200);
  expect(Object.keys(json).sort()).toEqual(["disk", "instances", "name", "type"]);
  const buckets = ["data", "default", "out", "raw"].map((bucket) => join(f.service.bucketsDirectory, bucket));
  const sizes = execFileSync("find", [...buckets, "-type", "f", "-printf", "%s "])
    .toString()
    .trim()
    .split(" ");
  const bytes = sizes.reduce((sum, size) => sum + Number(size), 0);
  expect(json.disk).toEqual({ used: bytes, capacity: expect.any(Number) });
  expect(json.instances.map(({ instanceId, grade }: Record<string, unknown>) => [instanceId, grade])).toEqual([
    [1, "small"],
    [2, "small"],
    [3, "small"],
  ]);
  for (const { disk } of json.instances)
    expect(Object.keys(disk).sort()).toEqual(["capacity", "dfsUsed", "nonDfsUsed"]);
  const sum = (field: string) =>
    json.instances.reduce((total: number, { disk }: { disk: Record<string, number> }) => total + disk[field]!, 0);
  expect([sum("dfsUsed"), sum("capacity")]).toEqual([bytes, json.disk.capacity]);
});

test("getClusterStatistics: refuses an invalid cluster name (InvalidClusterName)", async () => {
  expect((await f.call("GET", "/v1/-/statistics?clusterManagement")).json.code).toBe("InvalidClusterName");
});

test("getClusterStatistics: refuses an unknown cluster (ClusterNotFound)", async () => {
  expect((await f.call("GET", "/v1/c9/statistics?clusterManagement")).json.code).toBe("ClusterNotFound");
});

test("getClusterStatistics: refuses a cluster that is restarting (InvalidClusterState)", async () => {
  await f.call("PUT", "/v1/c2?clusterManagement");
  expect((await f.call("GET", "/v1/c2/statistics?clusterManagement")).json.code).toBe("InvalidClusterState");
  await hasStatus(f.service, "c2", "norm");
});

test("getClusterStatistics: refuses while the folder of the buckets is away (StorageAccessError)", async () => {
  const { bucketsDirectory } = f.service;
  const away = `${bucketsDirectory}-away`;
  renameSync(bucketsDirectory, away);
  try {
    const { status, json } = await f.call("GET", "/v1/c1/statistics?clusterManagement");
    expect([status, json.code]).toEqual([400, "StorageAccessError"]);
  } finally {
    renameSync(away, bucketsDirectory);
  }
  expect((await f.call("GET", "/v1/c1/statistics?clusterManagement")).status).toBe(200);
});

test.each([
  ["nothing", undefined],
  ["{}", "{}"],
  ["[]", "[]"],
  ["all fields", '{"force":false,"type":"duckdb","debug":false}'],
  ["nulls", '{"force":null,"type":null,"debug":null}'],
])("restartCluster: with %s, answers 204 and the status goes from restarting to norm", async (_, body) => {
  const { status, text } = await f.call("PUT", "/v1/c2?clusterManagement", { body });
  expect([status, text]).toEqual([204, ""]);
  expect((await f.call("GET", "/v1/c2?clusterManagement")).json.status).toBe("restarting");
  await hasStatus(f.service, "c2", "norm");
});

test("restartCluster: debug turns verbose engine logs on and off", async () => {
  for (const debug of [true, false]) {
    await f.call("PUT", "/v1/c2?clusterManagement", { body: { debug } });
    await hasStatus(f.service, "c2", "norm");
    expect((await f.call("GET", "/v1/c2?clusterManagement")).json.debug).toBe(debug);
  }
});

test("restartCluster: refuses while a query is running (QueryIsRunning), unless force cancels it", async () => {
  const { json } = await f.select({ query: slow, clusterName: "c2" });
  const refused = await f.call("PUT", "/v1/c2?clusterManagement", { body: {} });
  expect(refused.json).toMatchObject({ code: "QueryIsRunning", status: 400 });
  expect(refused.json.message).toContain(String(json.queryId));
  expect((await f.call("PUT", "/v1/c2?clusterManagement", { body: { force: true } })).status).toBe(204);
  expect((await f.call("GET", `/v1/${json.queryId}?query`)).json).toMatchObject({
    status: "canceled",
    clusterRebooted: true,
  });
  await hasStatus(f.service, "c2", "norm");
});

test("restartCluster: refuses a cluster that is restarting (InvalidClusterState)", async () => {
  await f.call("PUT", "/v1/c2?clusterManagement");
  expect((await f.call("PUT", "/v1/c2?clusterManagement")).json.code).toBe("InvalidClusterState");
  await hasStatus(f.service, "c2", "norm");
});

test("restartCluster: refuses an unsupported cluster type (InvalidClusterType)", async () => {
  expect((await f.call("PUT", "/v1/c2?clusterManagement", { body: { type: "spark" } })).json).toMatchObject({
    code: "InvalidClusterType",
    status: 400,
  });
});

test("restartCluster: refuses an invalid cluster name (InvalidClusterName)", async () => {
  expect((await f.call("PUT", "/v1/%20?clusterManagement")).json.code).toBe("InvalidClusterName");
});

test("restartCluster: refuses an unknown cluster (ClusterNotFound)", async () => {
  expect((await f.call("PUT", "/v1/c9?clusterManagement")).json.code).toBe("ClusterNotFound");
});

test("restartCluster: refuses an unknown field or one of the wrong type (InvalidParameter)", async () => {
  for (const body of [{ force: "yes" }, { debug: 1 }, { reason: "x" }]) {
    expect((await f.call("PUT", "/v1/c1?clusterManagement", { body })).json.code).toBe("InvalidParameter");
  }
});

test("exportClusterLog: answers 204 when the files and their manifest are written", async () => {
  const { status, text } = await f.call("PUT", "/v1/c1/log?clusterManagement", {
    body: { outputLogPath: "dag://out/logs/" },
  });
  expect([status, text]).toEqual([204, ""]);
  const manifest = JSON.parse(f.get("out/logs/manifest.json")!);
  expect(manifest).toMatchObject({ clusterName: "c1", type: "duckdb", compress: false });
  expect(manifest.files.length).toBeGreaterThanOrEqual(1);
  for (const { location, bytes } of manifest.files) expect(f.get(location.slice("dag://".length))).toHaveLength(bytes);
  expect(f.get("out/logs/service/cluster.log")).toContain("cluster up: duckdb");
});

test("exportClusterLog: compress writes gzip files", async () => {
  await f.call("PUT", "/v1/c1/log?clusterManagement", { body: { outputLogPath: "dag://out/packed", compress: true } });
  const { files } = JSON.parse(f.get("out/packed/manifest.json")!);
  for (const { location, bytes } of files) {
    expect(location).toMatch(/\.gz$/);
    expect(gunzipSync(readFileSync(join(f.service.bucketsDirectory, location.slice("dag://".length))))).toHaveLength(
      bytes,
    );
  }
});

test("exportClusterLog: refuses while an export is running on the cluster (ExportLogIsAlreadyRunning)", async () => {
  const answers = await Promise.all(
    Array.from({ length: 12 }, (_, n) =>
      f.call("PUT", "/v1/c1/log?clusterManagement", { body: { outputLogPath: `dag://out/e${n}`, compress: true } }),
    ),
  );
  const refused = answers.filter(({ status }) => status !== 204);
  expect(refused.length).toBeGreaterThan(0);
  for (const { json } of refused) expect(json).toMatchObject({ code: "ExportLogIsAlreadyRunning", status: 400 });
});

test.each([
  ["a bucket's root", "dag://out/"],
  ["an unknown bucket", "dag://missing/logs"],
  ["a path that is not a location", "/var/log"],
  ["a path with ..", "dag://out/x/../../etc"],
])("exportClusterLog: refuses %s (InvalidOutputResourcePath)", async (_, outputLogPath) => {
  expect((await f.call("PUT", "/v1/c1/log?clusterManagement", { body: { outputLogPath } })).json).toMatchObject({
    code: "InvalidOutputResourcePath",
    status: 400,
  });
});

test("exportClusterLog: refuses an unknown field or one of the wrong type (InvalidParameter)", async () => {
  for (const body of [
    { outputLogPath: "dag://out/l", compress: "yes" },
    { outputLogPath: "dag://out/l", force: true },
  ]) {
    expect((await f.call("PUT", "/v1/c1/log?clusterManagement", { body })).json.code).toBe("InvalidParameter");
  }
});

test("exportClusterLog: refuses an invalid cluster name (InvalidClusterName)", async () => {
  expect(
    (await f.call("PUT", "/v1/a%20b/log?clusterManagement", { body: { outputLogPath: "dag://out/l" } })).json.code,
  ).toBe("InvalidClusterName");
});

test("exportClusterLog: refuses an unknown cluster (ClusterNotFound)", async () => {
  expect(
    (await f.call("PUT", "/v1/c9/log?clusterManagement", { body: { outputLogPath: "dag://out/l" } })).json.code,
  ).toBe("ClusterNotFound");
});

test("exportClusterLog: refuses a cluster that is restarting (InvalidClusterState)", async () => {
  await f.call("PUT", "/v1/c2?clusterManagement");
  expect(
    (await f.call("PUT", "/v1/c2/log?clusterManagement", { body: { outputLogPath: "dag://out/l" } })).json.code,
  ).toBe("InvalidClusterState");
  await hasStatus(f.service, "c2", "norm");
});

test("exportClusterLog: reports storage that cannot be written (StorageAccessError)", async () => {
  const path = join(f.service.bucketsDirectory, "out");
  renameSync(path, `${path}.away`);
  symlinkSync("/", path);
  try {
    expect(
      (await f.call("PUT", "/v1/c1/log?clusterManagement", { body: { outputLogPath: "dag://out/l" } })).json.code,
    ).toBe("StorageAccessError");
  } finally {
    rmSync(path);
    renameSync(`${path}.away`, path);
  }
});

test("clusters: a query whose process is killed ends as error, and no other query or cluster notices", async () => {
  const { queryId: safe } = (await f.select({ query: slow })).json;
  const { queryId: beside } = (await f.select({ query: slow, clusterName: "c2" })).json;
  await isRunning(safe);
  await isRunning(beside);
  const { queryId: doomed } = (await f.select({ query: slow })).json;
  await isRunning(doomed);
  process.kill(processOfQuery("c1", doomed), "SIGKILL");
  expect(await ended(f.service, doomed)).toMatchObject({ status: "error", clusterRebooted: false });
  expect((await f.call("GET", `/v1/${doomed}/log?query`)).json.log).toMatch(/failed: the query's process was killed/);
  for (const id of [safe, beside]) {
    expect((await f.call("GET", `/v1/${id}?query`)).json.status).toBe("running");
    expect((await f.call("DELETE", `/v1/${id}?query`)).status).toBe(204);
  }
  expect((await f.call("GET", "/v1/c1?clusterManagement")).json.status).toBe("norm");
});

/** Waits until the engine runs a query. */
async function isRunning(id: number): Promise<void> {
  await expect.poll(async () => (await f.call("GET", `/v1/${id}?query`)).json.stage, { timeout: 20_000 }).toBe(2);
}

/** Returns the process that runs a query, from the engine's log. */
function processOfQuery(cluster: string, id: number): number {
  const lines = readFileSync(join(f.service.dataDirectory, "clusters", cluster, "logs/engine.log"), "utf8");
  const records = lines
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line) as { pid: number; queryId?: number });
  return records.findLast(({ queryId }) => queryId === id)!.pid;
}
