import { describe, expect, test } from "vitest";
import { errors } from "../../../../../contract";
import { PartialCreate, unknown } from "../../../../../provider/lifecycles";
import { clusterRestart, type ClusterRestartState } from "../../../../../provider/lifecycles/resources/cluster-restart";
import { checkOptions, testContext, until } from "../context";

const inputs = { clusterName: "demo" };

test("check: drain and force exclude each other", () => {
  const { failures } = clusterRestart.check({ ...inputs, drain: true, force: true }, checkOptions);
  expect(failures).toEqual([{ property: "drain", reason: expect.stringContaining("set only one of them") as string }]);
  expect(clusterRestart.check({ ...inputs, drain: true, debug: false }, checkOptions).failures).toEqual([]);
});

describe("diff", () => {
  const diff = (olds: object, news: object) =>
    clusterRestart.diff({ inputs: { ...inputs, ...olds } }, { ...inputs, ...news });

  test("a changed type, debug, cluster or trigger restarts again; changed force or drain does not", () => {
    expect(diff({}, { type: "hive" }).replaces).toEqual(["type"]);
    expect(diff({ debug: false }, { debug: true }).replaces).toEqual(["debug"]);
    expect(diff({}, { clusterName: "other" }).replaces).toEqual(["clusterName"]);
    expect(diff({}, { triggers: 1 }).replaces).toEqual(["triggers"]);
    expect(diff({}, { force: true })).toMatchObject({ changes: true, replaces: [] });
    expect(diff({}, { drain: true })).toMatchObject({ changes: true, replaces: [] });
    expect(diff({ type: "duckdb", debug: false }, {}).changes).toBe(false);
  });

  test("a type or debug that the program says for the first time changes nothing when the cluster has it", () => {
    const state = { type: "duckdb", debug: false, status: "norm" } as const;
    const first = (news: object) => clusterRestart.diff({ inputs, state }, { ...inputs, ...news });
    expect(first({ type: "duckdb", debug: false })).toMatchObject({ changes: false, replaces: [], detailedDiff: {} });
    expect(first({ debug: true }).replaces).toEqual(["debug"]);
    expect(first({ debug: true, type: "duckdb" }).detailedDiff).toEqual({ debug: { kind: "add", replace: true } });
    expect(first({ type: unknown as never }).replaces).toEqual(["type"]);
    // One that it said before is compared with that.
    const drifted = { inputs: { ...inputs, debug: true }, state };
    expect(clusterRestart.diff(drifted, { ...inputs, debug: false }).replaces).toEqual(["debug"]);
  });
});

describe("create", () => {
  test("restarts, and waits until the cluster is norm", async () => {
    const context = testContext();
    const { id, state } = await clusterRestart.create({ ...inputs, debug: true }, context);
    expect([id, state]).toMatchObject(["demo", { type: "duckdb", debug: true, status: "norm" }]);
    expect(context.service.count("restartCluster")).toBe(1);
  });

  test("fails while queries are running, and names them and the remedies", async () => {
    const context = testContext();
    context.service.manual = true;
    context.service.add("select", { label: "nightly" });
    await expect(clusterRestart.create(inputs, context)).rejects.toThrow(
      /queries are running on it: 1 \(nightly\): set drain: true/,
    );
  });

  test("force cancels running queries", async () => {
    const context = testContext();
    context.service.manual = true;
    context.service.add("select", {});
    await clusterRestart.create({ ...inputs, force: true }, context);
    expect(context.service.records[0]!.status).toBe("canceled");
  });

  test("drain waits until no query is running", async () => {
    const context = testContext();
    context.service.manual = true;
    context.service.add("select", {});
    const created = clusterRestart.create({ ...inputs, drain: true }, context);
    await until(() => context.rows.includes("[1/2] waiting for 1 running query on demo"));
    expect(context.service.count("restartCluster")).toBe(0);
    context.service.finish(1);
    expect((await created).state.status).toBe("norm");
    expect(context.service.records[0]!.status).toBe("finished");
  });

  test("waits for a restart that is already in progress", async () => {
    const context = testContext();
    context.service.cluster.status = "restarting";
    context.service.trouble = (operation) =>
      operation === "restartCluster" && context.service.cluster.status === "restarting"
        ? new errors.InvalidClusterState("it is restarting")
        : undefined;
    const created = clusterRestart.create(inputs, context);
    await until(() => context.rows.some((row) => row.endsWith("demo: restarting")));
    context.service.cluster.status = "norm";
    expect((await created).state.status).toBe("norm");
  });

  test("503 of the service: checks whether the cluster was restarted before it retries", async () => {
    for (const executed of [true, false]) {
      const context = testContext();
      const failure = new errors.ServiceUnavailable("busy");
      let failures = 1;
      context.service.trouble = (operation) => {
        if (operation !== "restartCluster" || failures-- <= 0) return undefined;
        return executed ? { after: failure } : failure;
      };
      expect((await clusterRestart.create(inputs, context)).state.status).toBe("norm");
      expect(context.service.count("restartCluster")).toBe(executed ? 1 : 2);
    }
  });

  test("503 until the timeout: fails with the service's error", async () => {
    const context = testContext({ timeout: 100 });
    context.service.trouble = (operation) =>
      operation === "restartCluster" ? new errors.ServiceUnavailable("busy") : undefined;
    await expect(clusterRestart.create(inputs, context)).rejects.toBeInstanceOf(errors.ServiceUnavailable);
    expect(context.service.count("restartCluster")).toBeLessThan(20);
  });

  test("a lost response: checks whether the cluster was restarted before it retries", async () => {
    const context = testContext();
    context.service.add("select", {});
    await until(() => context.service.records[0]!.status === "finished");
    let drops = 1;
    context.service.trouble = (operation) => (operation === "restartCluster" && drops-- > 0 ? "drop after" : undefined);
    await clusterRestart.create(inputs, context);
    expect(context.service.count("restartCluster")).toBe(1);
  });

  test("sends a request that never arrived again", async () => {
    const context = testContext();
    let drops = 1;
    context.service.trouble = (operation) =>
      operation === "restartCluster" && drops-- > 0 ? "drop before" : undefined;
    await clusterRestart.create(inputs, context);
    expect(context.service.count("restartCluster")).toBe(2);
  });

  test("the next update continues an interrupted wait, without another restart", async () => {
    const context = testContext({ timeout: 200 });
    context.service.trouble = (operation) => {
      if (operation === "getCluster") context.service.cluster.status = "restarting";
      return undefined;
    };
    const partial = await clusterRestart.create(inputs, context).catch((error: unknown) => error as PartialCreate);
    expect(partial).toBeInstanceOf(PartialCreate);
    expect(partial).toMatchObject({ id: "demo", state: { status: "restarting" } });
    expect((partial as PartialCreate).reasons[0]).toMatch(
      /was restarted, but did not become norm .*run "pulumi up" again/,
    );
    const { state } = partial as PartialCreate<ClusterRestartState>;
    expect(clusterRestart.diff({ inputs, state }, inputs)).toMatchObject({ changes: true, replaces: [] });
    context.service.trouble = () => undefined;
    context.service.cluster.status = "norm";
    const updated = await clusterRestart.update("demo", { inputs, state }, inputs, { ...context, timeout: 60_000 });
    expect(updated).toMatchObject({ status: "norm", type: "duckdb" });
    expect(context.service.count("restartCluster")).toBe(1);
  });

  test("a cluster that does not recover by itself ends the wait", async () => {
    const context = testContext();
    context.service.trouble = (operation) => {
      if (operation === "getCluster") context.service.cluster.status = "error";
      return undefined;
    };
    await expect(clusterRestart.create(inputs, context)).rejects.toThrow("does not recover by itself");
  });
});

describe("read", () => {
  test("reports drift of inputs that the program set, and only of those", async () => {
    const context = testContext();
    const given = { ...inputs, debug: true };
    const { state } = await clusterRestart.create(given, context);
    context.service.cluster.debug = false;
    context.service.cluster.type = "hive";
    const found = await clusterRestart.read("demo", { inputs: given, state }, context);
    expect(found).toMatchObject({
      inputs: { clusterName: "demo", debug: false },
      state: { type: "hive", debug: false },
    });
    expect(clusterRestart.diff(found!, given).replaces).toEqual(["debug"]);
  });

  test("an import: a program that says what the cluster is already, or nothing of it, restarts nothing", async () => {
    const context = testContext();
    context.service.cluster.debug = true;
    const imported = (await clusterRestart.read("demo", undefined, context))!;
    for (const more of [{}, { debug: true }, { debug: true, type: context.service.cluster.type }]) {
      expect(clusterRestart.diff(imported, { clusterName: "demo", ...more })).toMatchObject({ changes: false });
    }
    expect(clusterRestart.diff(imported, { clusterName: "demo", debug: false }).replaces).toEqual(["debug"]);
  });

  test("a deleted cluster no longer exists", async () => {
    const context = testContext();
    context.service.trouble = (operation) =>
      operation === "getCluster" ? new errors.ClusterNotFound("gone") : undefined;
    expect(await clusterRestart.read("demo", undefined, context)).toBeUndefined();
  });
});

test("delete: does nothing, and reports it", async () => {
  const context = testContext();
  await clusterRestart.delete("demo", { inputs, state: {} as ClusterRestartState }, context);
  expect(context.service.calls).toEqual([]);
  expect(context.infos).toEqual(["a restart of cluster demo cannot be undone: its deletion changes nothing"]);
});
