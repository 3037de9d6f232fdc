import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Readable } from "node:stream";
import { text as textOf } from "node:stream/consumers";
import { gunzipSync } from "node:zlib";
import { expect, test, vi } from "vitest";
import { errors } from "../../../../../contract";
import { getClusterStatistics, restartCluster } from "../../../../../service/core/clusters/cluster-operations";
import { exportClusterLog, type Manifest } from "../../../../../service/core/clusters/log-export";
import { startHarness, type Harness } from "../harness";

function writeEngineLog(h: Harness, name: string, text: string): void {
  mkdirSync(join(h.directory, "clusters/c1/logs"), { recursive: true });
  writeFileSync(join(h.directory, "clusters/c1/logs", name), text);
}

test("exportClusterLog: copies the service's and the engine's files and lists them", async () => {
  const h = await startHarness();
  writeEngineLog(h, "engine.log", "engine line\n");
  writeEngineLog(h, "empty.log", "");
  const id = await h.select();
  (await h.working(id)).finish();
  await h.ended(id);
  await exportClusterLog(h.context, "c1", { outputLogPath: "dag://out/logs" });
  const manifest = JSON.parse(h.get("dag://out/logs/manifest.json")!) as Manifest;
  expect(manifest).toMatchObject({ clusterName: "c1", type: "memory", compress: false });
  expect(manifest.files.map(({ location }) => location)).toEqual([
    "dag://out/logs/engine/empty.log",
    "dag://out/logs/engine/engine.log",
    "dag://out/logs/service/cluster.log",
  ]);
  for (const { location, bytes } of manifest.files) expect(Buffer.byteLength(h.get(location)!)).toBe(bytes);
  expect(h.get("dag://out/logs/service/cluster.log")).toMatch(new RegExp(`query ${id} finished`));
});

test("exportClusterLog: compress writes gzip", async () => {
  const h = await startHarness();
  writeEngineLog(h, "engine.log", "engine line\n");
  await exportClusterLog(h.context, "c1", { outputLogPath: "dag://out/logs/", compress: true });
  const path = h.storage.path({ bucket: "out", key: "logs/engine/engine.log.gz" });
  const { readFileSync } = await import("node:fs");
  expect(gunzipSync(readFileSync(path)).toString()).toBe("engine line\n");
  expect(h.get("dag://out/logs/manifest.json")).toContain('"compress": true');
});

test("exportClusterLog: runs one export at a time on each cluster", async () => {
  const h = await startHarness({ clusters: { c1: [{ grade: "s", quantity: 2 }], c2: [{ grade: "s", quantity: 2 }] } });
  const results = await Promise.allSettled([
    ...Array.from({ length: 20 }, (_, index) =>
      exportClusterLog(h.context, "c1", { outputLogPath: `dag://out/l${index}` }),
    ),
    exportClusterLog(h.context, "c2", { outputLogPath: "dag://out/other" }),
  ]);
  expect(results.map(({ status }) => status)).toEqual(["fulfilled", ...Array(19).fill("rejected"), "fulfilled"]);
  const refused = results.flatMap((result) => (result.status === "rejected" ? [result.reason.code] : []));
  expect(refused).toEqual(Array(19).fill("ExportLogIsAlreadyRunning"));
  await exportClusterLog(h.context, "c1", { outputLogPath: "dag://out/again" });
});

test("exportClusterLog: a restart waits for it", async () => {
  const h = await startHarness();
  writeEngineLog(h, "engine.log", "x".repeat(5_000_000));
  const exporting = exportClusterLog(h.context, "c1", { outputLogPath: "dag://out/logs" });
  await restartCluster(h.context, "c1", {});
  expect(h.context.clusters.get("c1")!.status).toBe("restarting");
  await exporting;
  expect(h.get("dag://out/logs/engine/engine.log")).toHaveLength(5_000_000);
  await h.up();
  expect(h.family.starts).toHaveLength(2);
});

test("exportClusterLog: reports an invalid destination, and can run afterwards", async () => {
  const h = await startHarness();
  const id = await h.select({ outputResourcePath: "dag://out/a/b" });
  h.put("dag://out/object", "x");
  const attempt = (outputLogPath: string) => exportClusterLog(h.context, "c1", { outputLogPath });
  await expect(attempt("dag://missing/logs")).rejects.toThrow(errors.InvalidOutputResourcePath);
  await expect(attempt("dag://out/a")).rejects.toThrow(`query ${id} writes to dag://out/a/b/`);
  await expect(attempt("dag://out/object/logs")).rejects.toThrow("dag://out/object is an object");
  await attempt("dag://out/logs");
});

test("getClusterStatistics: instances add up to the cluster, and used is the size of all objects", async () => {
  const h = await startHarness({
    clusters: {
      c1: [
        { grade: "small", quantity: 2 },
        { grade: "large", quantity: 1 },
      ],
    },
  });
  h.put("dag://data/t/a", "x".repeat(1000));
  h.put("dag://out/b", "y".repeat(24));
  const { disk, instances, ...rest } = await getClusterStatistics(h.context, "c1");
  expect(rest).toEqual({ name: "c1", type: "memory" });
  expect(disk.used).toBe(1024);
  expect(instances.map(({ instanceId, grade }) => [instanceId, grade])).toEqual([
    [1, "small"],
    [2, "small"],
    [3, "large"],
  ]);
  const sum = (field: "dfsUsed" | "capacity") => instances.reduce((total, { disk: own }) => total + own[field], 0);
  expect(sum("dfsUsed")).toBe(1024);
  expect(sum("capacity")).toBe(disk.capacity);
});

test("exportClusterLog: overwrites what an export wrote, and nothing else", async () => {
  const h = await startHarness();
  const attempt = () => exportClusterLog(h.context, "c1", { outputLogPath: "dag://out/logs" });
  await attempt();
  await attempt();
  for (const foreign of ['{"mine":true}', "no JSON", '["clusterName"]']) {
    h.put("dag://out/logs/manifest.json", foreign);
    await expect(attempt()).rejects.toThrow("no log export wrote dag://out/logs/manifest.json");
    expect(h.get("dag://out/logs/manifest.json")).toBe(foreign);
  }
  h.put("dag://out/other/service/cluster.log", "mine");
  const other = exportClusterLog(h.context, "c1", { outputLogPath: "dag://out/other" });
  await expect(other).rejects.toThrow("no log export wrote dag://out/other/service/cluster.log");
  expect(h.get("dag://out/other/service/cluster.log")).toBe("mine");
  expect(h.get("dag://out/other/manifest.json")).toBeUndefined();
});

test("exportClusterLog: one that fails leaves nothing that the next one would take for the files of others", async () => {
  const h = await startHarness();
  const attempt = () => exportClusterLog(h.context, "c1", { outputLogPath: "dag://out/logs" });
  const full = vi.spyOn(h.storage, "write").mockImplementation(async (location, body) => {
    if (location.key.endsWith("manifest.json")) throw new Error("full");
    h.put(`dag://${location.bucket}/${location.key}`, await textOf(body as Readable));
  });
  await expect(attempt()).rejects.toThrow("full");
  expect(h.get("dag://out/logs/service/cluster.log")).toBeUndefined();
  full.mockRestore();
  await attempt();
  expect(h.get("dag://out/logs/service/cluster.log")).toContain("cluster up");
});

test("exportClusterLog: a folder in a table is refused, because the lines would be rows of it", async () => {
  const h = await startHarness();
  h.put("dag://raw/a.csv", "1\n");
  const id = await h.split({ inputObjectKeys: ["dag://raw/a.csv"], outputDatabase: "out", outputTable: "t" });
  (await h.working(id)).finish();
  await h.ended(id);
  for (const outputLogPath of ["dag://out/t/", "dag://out/t/logs/"]) {
    const refused = exportClusterLog(h.context, "c1", { outputLogPath });
    await expect(refused).rejects.toThrow("it is in the folder of the table out.t");
  }
  h.put("dag://raw/days/1.csv", "1\n");
  h.put("dag://raw/days/2/3.csv", "1\n");
  for (const outputLogPath of ["dag://raw/days/", "dag://raw/days/2/", "dag://raw/days/logs/"]) {
    const refused = exportClusterLog(h.context, "c1", { outputLogPath });
    await expect(refused).rejects.toThrow(/the table raw\.days, which has dag:\/\/raw\/days\//);
  }
});

test.each(["x/dt=1/a.csv", "x/other/a.csv", "x/logs.csv", "x/a/manifest.json.csv"])(
  "exportClusterLog: a folder of a table whose only object is %s is refused, and names the object",
  async (key) => {
    const h = await startHarness();
    h.put(`dag://data/${key}`, "1\n");
    const refused = exportClusterLog(h.context, "c1", { outputLogPath: "dag://data/x/logs/" });
    await expect(refused).rejects.toThrow(
      `the table data.x, which has dag://data/${key}: the lines of the logs would be rows`,
    );
    expect(h.entries("data")).not.toContain("x/logs");
  },
);

test("exportClusterLog: the root of a bucket is refused only where a file would be in the folder of a table", async () => {
  const h = await startHarness({ tables: [{ database: "data", table: "service", format: "csv" }] });
  const attempt = (outputLogPath: string) => exportClusterLog(h.context, "c1", { outputLogPath });
  await expect(attempt("dag://data/")).rejects.toThrow(
    "dag://data/service/cluster.log is in the folder of the table data.service: the lines of the logs would be rows",
  );
  expect(h.entries("data")).toEqual([]);
  await attempt("dag://out/");
  await attempt("dag://out/");
  expect(h.get("dag://out/service/cluster.log")).toContain("cluster up");
});

test("exportClusterLog: exports lie side by side and in each other, and beside empty objects that stand for folders", async () => {
  const h = await startHarness();
  writeEngineLog(h, "engine.log", "line\n");
  h.put("dag://data/logs_$folder$", "");
  h.put("dag://data/logs/a_$folder$", "");
  for (const folder of ["logs/a", "logs/b", "logs/a/later", "logs", "logs/a"])
    await exportClusterLog(h.context, "c1", { outputLogPath: `dag://data/${folder}/` });
  expect(h.get("dag://data/logs/b/engine/engine.log")).toBe("line\n");
});

test("exportClusterLog: a hidden folder of a table is refused, because the table could then not be purged", async () => {
  const tables = [{ database: "data", table: "declared", format: "csv" }] as const;
  const h = await startHarness({ tables });
  for (const folder of ["y/_logs", "y/.logs/a", "declared/_logs"]) {
    h.put(`dag://data/${folder.split("/", 1)[0]}/a.csv`, "1\n");
    await expect(exportClusterLog(h.context, "c1", { outputLogPath: `dag://data/${folder}` })).rejects.toThrow(
      /it is in the folder of the table data\.\w+.*: with the logs in it, the table could be neither made again nor purged/,
    );
  }
});
