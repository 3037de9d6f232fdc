import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { TestService } from "../../../service/testing";
import { configurationFor } from "./front-ends";
import { initFailed, PluginProcess, root, secret, urnOf, type InitFailed } from "./plugin-process";

const { startService } = require(
  join(root, "service/dist/service/testing"),
) as typeof import("../../../service/testing");

const numbers = Array.from({ length: 10_000 }, (_, n) => `${n}\n`).join("");
/** A statement that runs for a few seconds. */
const slow = "SELECT sum((a.n * b.n) % 7) AS s FROM data.numbers a CROSS JOIN data.numbers b";
const short = "SELECT count(*) AS n FROM data.numbers";

let service: TestService;
let plugin: PluginProcess;
let round = 0;

beforeAll(async () => {
  service = await startService({
    objects: { "dag://data/numbers/n.csv": numbers },
    buckets: ["results", "tables"],
    tables: [{ database: "data", table: "numbers", format: "csv", schema: "bigint n" }],
  });
  plugin = await configured();
});

afterAll(async () => {
  await plugin?.[Symbol.asyncDispose]();
  await service?.close();
});

async function configured(): Promise<PluginProcess> {
  const started = await PluginProcess.start();
  await started.handshake();
  await started.configure(configurationFor(service));
  return started;
}

/** Inputs with a unique output folder. */
function inputs(query: string) {
  round += 1;
  return { clusterName: "demo", query, outputResourcePath: `dag://results/round-${round}/` };
}

async function failureOf(work: Promise<unknown>): Promise<InitFailed> {
  return work.then(
    () => expect.unreachable("it did not fail"),
    (error: unknown) => initFailed(error),
  );
}

const urn = () => urnOf("SelectQuery", `round-${round}`);

describe("import", () => {
  test("read: by id alone recovers the inputs of a query from its record", async () => {
    const made = { ...inputs(short), outputFormat: "tsv", label: "nightly" };
    const { id } = await plugin.create(urn(), made);
    const found = await plugin.read(urnOf("SelectQuery", "imported"), id);
    expect(found).toMatchObject({ id, inputs: made, properties: { ...made, status: "finished", queryId: Number(id) } });
    const again = await plugin.check(urnOf("SelectQuery", "imported"), made);
    const difference = await plugin.diff(urnOf("SelectQuery", "imported"), id, found!, again.inputs);
    expect(difference).toMatchObject({ changes: false });
  });

  test("read: by id alone recovers the inputs of a split", async () => {
    const made = {
      clusterName: "demo",
      inputObjectKeys: ["dag://data/numbers/n.csv"],
      outputDatabase: "tables",
      outputTable: "numbers",
      schema: "bigint n",
    };
    const { id } = await plugin.create(urnOf("SplitTable", "numbers"), made);
    const found = await plugin.read(urnOf("SplitTable", "imported"), id);
    expect(found).toMatchObject({ id, inputs: made, properties: { qualifiedName: "tables.numbers" } });
    expect(await plugin.diff(urnOf("SplitTable", "imported"), id, found!, made)).toMatchObject({ changes: false });
  });

  test("read: recovers a restart's cluster and an export's folder from the id", async () => {
    expect(await plugin.read(urnOf("ClusterRestart", "r"), "demo")).toMatchObject({ inputs: { clusterName: "demo" } });
    const exported = { clusterName: "demo", outputLogPath: "dag://results/logs/" };
    const { id } = await plugin.create(urnOf("ClusterLogExport", "e"), exported);
    expect(await plugin.read(urnOf("ClusterLogExport", "e"), id)).toMatchObject({ inputs: exported });
  });

  test("read: returns nothing for a resource that does not exist", async () => {
    expect(await plugin.read(urn(), "987654")).toBeUndefined();
    expect(await plugin.read(urnOf("ClusterRestart", "r"), "nowhere")).toBeUndefined();
    expect(await plugin.read(urnOf("ClusterLogExport", "e"), "nowhere/dag://results/logs/")).toBeUndefined();
    expect(await plugin.read(urnOf("ClusterLogExport", "e"), "demo/dag://results/nothing/")).toBeUndefined();
  });

  test("read: the id of the other query type is an error that names the right resource", async () => {
    const { id } = await plugin.create(urn(), inputs(short));
    await expect(plugin.read(urnOf("SplitTable", "x"), id)).rejects.toThrow("not a split: use a SelectQuery for it");
  });
});

describe("an interrupted wait", () => {
  test("cancel: a running create ends with its id and state, and the next update continues waiting for it", async () => {
    await using interrupted = await configured();
    const made = inputs(slow);
    const creating = failureOf(interrupted.create(urn(), made));
    const running = await eventually(() => runningQuery(made.outputResourcePath));
    await interrupted.cancel();
    const failed = await creating;
    expect(failed).toMatchObject({
      id: String(running),
      properties: { ...made, status: "running", queryId: running },
      inputs: made,
      reasons: [expect.stringMatching(/was interrupted.*run "pulumi up" again/)],
    });

    expect(await plugin.diff(urn(), failed.id, failed, made)).toEqual({
      changes: true,
      replaces: [],
      deleteBeforeReplace: true,
      detailedDiff: { status: "UPDATE" },
    });
    const updated = await plugin.update(urn(), failed.id, failed, made);
    expect(updated).toMatchObject({ ...made, status: "finished", queryId: running });
  });

  test("timeout: the engine's timeout ends the wait, and the id is stored", async () => {
    const made = inputs(slow);
    const failed = await failureOf(plugin.create(urn(), made, { seconds: 0.3 }));
    expect(failed.reasons).toEqual([expect.stringMatching(/is still running after 300 ms.*customTimeouts/)]);
    expect(failed.properties).toMatchObject({ status: "running" });

    const refreshed = await failureOf(plugin.read(urn(), failed.id, failed));
    expect(refreshed).toMatchObject({ id: failed.id, inputs: made, properties: { status: "running" } });
    expect(refreshed.reasons).toEqual([expect.stringContaining(`query ${failed.id} is still running`)]);

    await plugin.delete(urn(), failed.id, failed);
    const { values } = await plugin.invoke("dag:index:getQuery", { queryId: Number(failed.id) });
    expect(values).toMatchObject({ status: "canceled" });
    const cancelled = await failureOf(plugin.read(urn(), failed.id, failed));
    expect(cancelled.reasons).toEqual([expect.stringContaining("was cancelled")]);
    expect(await plugin.diff(urn(), failed.id, cancelled, made)).toMatchObject({ replaces: ["status"] });
  });

  test("create: a rejected query is an error, and nothing is stored", async () => {
    const made = { clusterName: "demo", query: "SELECT 1 AS n", outputResourcePath: "dag://nowhere/x/" };
    await expect(plugin.create(urn(), made)).rejects.toThrow(
      /OutputBucketIsNotFound: .*nowhere.*\(submitSelect, request .+\)/,
    );
  });
});

describe("secrets", () => {
  test("create, read: outputs that quote a secret input are returned as secrets", async () => {
    const open = { ...inputs(short), resultRows: 1 };
    const made = { ...open, query: secret(short) };
    const { id, properties } = await plugin.create(urn(), made);
    const wrapped = {
      query: secret(short),
      log: secret(expect.any(String)),
      result: secret({ objects: [expect.anything()], rows: [["10000"]] }),
      location: secret(open.outputResourcePath),
      status: "finished",
    };
    expect(properties).toMatchObject(wrapped);
    const found = await plugin.read(urn(), id, { inputs: made, properties });
    expect(found!.properties).toMatchObject(wrapped);
    expect(found!.inputs).toMatchObject({ query: secret(short) });
    expect(await plugin.diff(urn(), id, found!, made)).toMatchObject({ changes: false });
  });

  test("invoke: the results for a secret argument are secret", async () => {
    const { values } = await plugin.invoke("dag:index:getCluster", { clusterName: secret("demo") });
    expect(values).toMatchObject({ name: secret("demo"), status: secret("norm") });
  });
});

describe("functions", () => {
  test("invoke: each of the six functions returns the service's data", async () => {
    const { id } = await plugin.create(urn(), { ...inputs(short), label: "six" });
    const queryId = Number(id);
    const answer = async (name: string, args = {}) => (await plugin.invoke(`dag:index:${name}`, args)).values;
    expect(await answer("getCluster", { clusterName: "demo" })).toMatchObject({ name: "demo", type: "duckdb" });
    expect(await answer("getClusters")).toMatchObject({ clusters: [{ name: "demo" }] });
    expect(await answer("getClusterStatistics", { clusterName: "demo" })).toMatchObject({
      disk: { used: expect.any(Number) },
    });
    expect(await answer("getQuery", { queryId })).toMatchObject({ id: queryId, type: "select", query: short });
    expect(await answer("getQueries", { labelPrefix: "six", status: ["finished"] })).toMatchObject({
      queries: [{ id: queryId }],
    });
    expect(await answer("getQueries", { labelPrefix: "six", status: ["error"] })).toEqual({ queries: [] });
    expect(await answer("getQueryLog", { queryId })).toMatchObject({ log: expect.any(String) });
  });

  test("invoke: names the invalid argument", async () => {
    const failures = async (name: string, args: object) =>
      (await plugin.invoke(`dag:index:${name}`, { ...args })).failures.map(({ property }) => property);
    expect(await failures("getCluster", {})).toEqual(["clusterName"]);
    expect(await failures("getQuery", { queryId: "seven" })).toEqual(["queryId"]);
    expect(await failures("getQueries", { status: ["late"], max: 5 })).toEqual(["status", "max"]);
  });

  test("invoke: returns the service's error with its code and request identifier", async () => {
    await expect(plugin.invoke("dag:index:getQuery", { queryId: 987654 })).rejects.toThrow(
      /QueryNotFound: .*\(getQuery, request /,
    );
    await expect(plugin.invoke("dag:index:frob", {})).rejects.toThrow('no function "dag:index:frob"');
  });
});

async function runningQuery(outputResourcePath: string): Promise<number | undefined> {
  const { values } = await plugin.invoke("dag:index:getQueries", { status: ["running"] });
  for (const { id } of values["queries"] as { readonly id: number }[]) {
    const { values: record } = await plugin.invoke("dag:index:getQuery", { queryId: id });
    if (record["outputResourcePath"] === outputResourcePath) return id;
  }
  return undefined;
}

async function eventually<Found>(look: () => Promise<Found | undefined>): Promise<Found> {
  for (;;) {
    const found = await look();
    if (found !== undefined) return found;
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}
