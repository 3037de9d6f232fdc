import { expect, test } from "vitest";
import { errors } from "../../../../../contract";
import { clusterLogExport } from "../../../../../provider/lifecycles/resources/cluster-log-export";
import { checkOptions, testContext, until } from "../context";
import { FakeService } from "../fake-service";
import { MemoryStorage } from "../memory-storage";

const inputs = { clusterName: "demo", outputLogPath: "dag://logs/demo" };

test("check: rejects a location that is not a folder", () => {
  const { failures } = clusterLogExport.check({ ...inputs, outputLogPath: "/var/log" }, checkOptions);
  expect(failures).toMatchObject([{ property: "outputLogPath" }]);
});

test("preflight: warns of a bucket that does not exist", async () => {
  const storage = new MemoryStorage({});
  const warnings: string[] = [];
  const warn = (text: string) => warnings.push(text);
  await clusterLogExport.preflight!(inputs, { storage, warn, secret: false });
  expect(warnings).toEqual([]);
  storage.bucketExists = () => Promise.resolve(false);
  await clusterLogExport.preflight!(inputs, { storage, warn, secret: false });
  expect(warnings).toEqual([
    '"pulumi up" will fail as things are: the bucket "logs" does not exist. Create it, or correct outputLogPath',
  ]);
});

test("diff: every changed input exports again; a trailing slash is not a difference", () => {
  const diff = (news: object) => clusterLogExport.diff({ inputs }, { ...inputs, ...news });
  expect(diff({ outputLogPath: "dag://logs/demo/", compress: false }).changes).toBe(false);
  for (const news of [{ compress: true }, { outputLogPath: "dag://logs/b" }, { triggers: 1 }]) {
    expect(diff(news)).toMatchObject({ replaces: Object.keys(news), deleteBeforeReplace: false });
  }
});

test("create: exports the logs, and lists the files", async () => {
  const storage = new MemoryStorage({ "dag://logs/demo/engine.log": "x\n" });
  const { id, state } = await clusterLogExport.create(inputs, testContext({ storage }));
  expect(id).toBe("demo/dag://logs/demo/");
  expect(state).toMatchObject({
    location: "dag://logs/demo/",
    result: { objects: [{ location: "dag://logs/demo/engine.log", size: 2 }] },
  });
});

test("create: waits for other exports of this and other processes", async () => {
  const service = new FakeService();
  service.exporting = true;
  setTimeout(() => (service.exporting = false), 20);
  const contexts = [testContext({ service }), testContext({ service }), testContext({ service })];
  await Promise.all(contexts.map((context) => clusterLogExport.create(inputs, context)));
  expect(contexts[2]!.rows).toContain("[1/2] waiting for another log export of cluster demo (2 ahead)");
});

test("create: exports again after a lost response, into the same files", async () => {
  const context = testContext();
  let drops = 1;
  context.service.trouble = (operation) => (operation === "exportClusterLog" && drops-- > 0 ? "drop after" : undefined);
  await clusterLogExport.create(inputs, context);
  expect(context.service.count("exportClusterLog")).toBe(2);
});

test("create: retries a failure inside the service a few times only", async () => {
  const context = testContext();
  context.service.trouble = (operation) =>
    operation === "exportClusterLog" ? new errors.InternalError("out of order") : undefined;
  await expect(clusterLogExport.create(inputs, context)).rejects.toThrow("out of order");
  expect(context.service.count("exportClusterLog")).toBe(8);
});

test("create: waits for a starting cluster", async () => {
  const context = testContext();
  context.service.cluster.status = "restarting";
  context.service.trouble = (operation) =>
    operation === "exportClusterLog" && context.service.cluster.status === "restarting"
      ? new errors.InvalidClusterState("it is restarting")
      : undefined;
  const created = clusterLogExport.create(inputs, context);
  await until(() => context.rows.includes("[1/2] waiting for cluster demo (restarting)"));
  context.service.cluster.status = "norm";
  expect((await created).id).toBe("demo/dag://logs/demo/");
  expect(context.service.count("exportClusterLog")).toBe(2);
});

test("create: fails for a cluster that will not start by itself", async () => {
  const context = testContext();
  context.service.cluster.status = "stopped";
  context.service.trouble = (operation) =>
    operation === "exportClusterLog" ? new errors.InvalidClusterState("it is stopped") : undefined;
  await expect(clusterLogExport.create(inputs, context)).rejects.toThrow("it is stopped");
});

test("create: fails at the deadline, and reports that nothing was exported", async () => {
  const context = testContext({ timeout: 200 });
  context.service.exporting = true;
  await expect(clusterLogExport.create(inputs, context)).rejects.toThrow(
    'the logs of cluster "demo" were not exported, because other exports did not end within 200 ms (0 ahead)',
  );
});

test("create: fails at once with a permanent error", async () => {
  const context = testContext();
  context.service.trouble = (operation) =>
    operation === "exportClusterLog" ? new errors.InvalidOutputResourcePath("it lies in a table") : undefined;
  await expect(clusterLogExport.create(inputs, context)).rejects.toThrow("it lies in a table");
});

test("read: keeps the stored state without a request; reads an export by its id", async () => {
  const context = testContext();
  const { id, state } = await clusterLogExport.create(inputs, context);
  const calls = context.service.calls.length;
  expect(await clusterLogExport.read(id, { inputs, state }, context)).toEqual({ id, inputs, state });
  expect(context.service.calls).toHaveLength(calls);
  expect(await clusterLogExport.read(id, undefined, context)).toMatchObject({
    inputs: { clusterName: "demo", outputLogPath: "dag://logs/demo/" },
  });
  await expect(clusterLogExport.read("demo", undefined, context)).rejects.toThrow("<clusterName>/<outputLogPath>");
});

test("read by its id: an export of which there is no file does not exist", async () => {
  const read = (objects: Record<string, string>) =>
    clusterLogExport.read("demo/dag://logs/demo/", undefined, testContext({ storage: new MemoryStorage(objects) }));
  expect(await read({})).toBeUndefined();
  expect(await read({ "dag://logs/demo/manifest.json": "{}" })).toMatchObject({ state: { exportedAt: "" } });
});

test("diff: of an import, which does not know compress, exports nothing; a later change of it does", async () => {
  const imported = (await clusterLogExport.read("demo/dag://logs/demo/", undefined, testContext()))!;
  const news = { ...imported.inputs, compress: true };
  expect(clusterLogExport.diff(imported, news).replaces).toEqual([]);
  expect(clusterLogExport.diff({ ...imported, inputs: news }, { ...news, compress: false }).replaces).toEqual([
    "compress",
  ]);
});

test("delete: keeps the files, and reports it", async () => {
  const context = testContext();
  await clusterLogExport.delete("x", { inputs, state: { location: "dag://logs/demo/", exportedAt: "" } }, context);
  expect(context.infos).toEqual(["the exported log files are kept in dag://logs/demo/"]);
});
