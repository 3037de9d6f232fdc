import { expect, test } from "vitest";
import { errors } from "../../../../../contract";
import { clusterLogExport } from "../../../../../provider/lifecycles/resources/cluster-log-export";
import { checkOptions, testContext, until } from "../context";
import { FakeService } from "../fake-service";
import { MemoryStorage } from "../memory-storage";

const inputs = { clusterName: "demo", outputLogPath: "dag://logs/demo" };

test("check: refuses what is no folder", () => {
  const { failures } = clusterLogExport.check({ ...inputs, outputLogPath: "/var/log" }, checkOptions);
  expect(failures).toMatchObject([{ property: "outputLogPath" }]);
});

test("diff: every input exports again; a slash at the end is no difference", () => {
  const diff = (news: object) => clusterLogExport.diff({ inputs }, { ...inputs, ...news });
  expect(diff({ outputLogPath: "dag://logs/demo/", compress: false }).changes).toBe(false);
  for (const news of [{ compress: true }, { outputLogPath: "dag://logs/b" }, { triggers: 1 }]) {
    expect(diff(news)).toMatchObject({ replaces: Object.keys(news), deleteBeforeReplace: false });
  }
});

test("create: exports, and lists what arrived", async () => {
  const storage = new MemoryStorage({ "dag://logs/demo/engine.log": "x\n" });
  const { id, state } = await clusterLogExport.create(inputs, testContext({ storage }));
  expect(id).toBe("demo/dag://logs/demo/");
  expect(state).toMatchObject({
    location: "dag://logs/demo/",
    result: { objects: [{ location: "dag://logs/demo/engine.log", size: 2 }] },
  });
});

test("create: waits its turn behind others of this process and of others", async () => {
  const service = new FakeService();
  service.exporting = true;
  setTimeout(() => (service.exporting = false), 20);
  const contexts = [testContext({ service }), testContext({ service }), testContext({ service })];
  await Promise.all(contexts.map((context) => clusterLogExport.create(inputs, context)));
  expect(contexts[2]!.rows).toContain("[1/2] waiting for another log export of cluster demo (2 ahead)");
});

test("create: a lost answer exports again, into the same files", async () => {
  const context = testContext();
  let drops = 1;
  context.service.trouble = (operation) => (operation === "exportClusterLog" && drops-- > 0 ? "drop after" : undefined);
  await clusterLogExport.create(inputs, context);
  expect(context.service.count("exportClusterLog")).toBe(2);
});

test("create: a failure inside the service is asked of again a few times only", async () => {
  const context = testContext();
  context.service.trouble = (operation) =>
    operation === "exportClusterLog" ? new errors.InternalError("out of order") : undefined;
  await expect(clusterLogExport.create(inputs, context)).rejects.toThrow("out of order");
  expect(context.service.count("exportClusterLog")).toBe(8);
});

test("create: a cluster that is about to come is waited for", async () => {
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

test("create: a cluster that will not come by itself is an error", async () => {
  const context = testContext();
  context.service.cluster.status = "stopped";
  context.service.trouble = (operation) =>
    operation === "exportClusterLog" ? new errors.InvalidClusterState("it is stopped") : undefined;
  await expect(clusterLogExport.create(inputs, context)).rejects.toThrow("it is stopped");
});

test("create: gives up at the deadline, and says that nothing was exported", async () => {
  const context = testContext({ timeout: 30 });
  context.service.exporting = true;
  await expect(clusterLogExport.create(inputs, context)).rejects.toThrow(
    'the logs of cluster "demo" were not exported, since others did not end within 30 ms (0 ahead)',
  );
});

test("create: what cannot pass is an error", async () => {
  const context = testContext();
  context.service.trouble = (operation) =>
    operation === "exportClusterLog" ? new errors.InvalidOutputResourcePath("it lies in a table") : undefined;
  await expect(clusterLogExport.create(inputs, context)).rejects.toThrow("it lies in a table");
});

test("read: keeps what is known without asking; finds an export by its id", async () => {
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

test("delete: leaves the files, and says so", async () => {
  const context = testContext();
  await clusterLogExport.delete("x", { inputs, state: { location: "dag://logs/demo/", exportedAt: "" } }, context);
  expect(context.infos).toEqual(["the exported log files stay under dag://logs/demo/"]);
});
