/** No message shows the value of an input when one is secret: of each resource, and of each of its inputs. */
import { describe, expect, test } from "vitest";
import { errors } from "../../../../../contract";
import type { Lifecycle, LifecycleContext } from "../../../../../provider/lifecycles";
import { describeError } from "../../../../../provider/lifecycles/describe-error";
import { Run } from "../../../../../provider/lifecycles/freshness/run";
import { clusterLogExport } from "../../../../../provider/lifecycles/resources/cluster-log-export";
import { clusterRestart } from "../../../../../provider/lifecycles/resources/cluster-restart";
import { selectQuery } from "../../../../../provider/lifecycles/resources/select-query";
import { splitTable } from "../../../../../provider/lifecycles/resources/split-table";
import { checkOptions, testContext, until, type TestContext } from "../context";
import { MemoryStorage } from "../memory-storage";

/** Part of each value. */
const mark = "topsecret";
const clusterName = "topsecret-cluster";
const select = {
  clusterName,
  query: "SELECT 'topsecret' AS a FROM topsecret.t",
  outputResourcePath: "dag://topsecret/r/",
};
const table = {
  clusterName,
  inputObjectKeys: ["dag://topsecret/a.csv"],
  outputDatabase: "topsecret",
  outputTable: "topsecret_t",
};
const logs = { clusterName, outputLogPath: "dag://topsecret/logs/" };

const options = { ...checkOptions, secret: true };

describe("check: a reason quotes no value when an input is secret", () => {
  const check = (lifecycle: Pick<Lifecycle<never, never>, "check">, inputs: object, more = {}) => {
    const { failures, warnings } = lifecycle.check(inputs, { ...options, ...more });
    const texts = [...failures.map(({ reason }) => reason), ...warnings];
    expect(texts.length).toBeGreaterThan(0);
    expect(texts.join("\n")).not.toMatch(/topsecret|4321|1234/);
    return texts;
  };

  test.each([
    [{ schema: "topsecrettype a" }, /schema cannot be used; the reason is not shown/],
    [{ schema: "STRING topsecret, STRING topsecret" }, /schema cannot be used/],
    [
      { inputObjectKeys: ["dag://topsecret/a.csv", "dag://topsecret/a.csv"] },
      /inputObjectKeys\[1\] is inputObjectKeys/,
    ],
    [{ inputObjectKeys: ["dag://topsecret/topsecret_t/a.csv"] }, /inputObjectKeys\[0\] is inside/],
    [{ inputObjectKeys: ["topsecret"] }, /inputObjectKeys/],
    [{ outputTable: "topsecret table" }, /outputTable/],
    [{ inputFormat: "topsecret" }, /inputFormat/],
    [{ deletionPolicy: "topsecret" }, /deletionPolicy/],
    [{ expect: { rows: { min: 4321, max: 1234 } } }, /expect\.rows\.min is greater/],
    [{ expect: { columns: ["topsecret"] }, schema: "STRING a" }, /expect/],
    [{ rerunOnInputChange: true }, /rerunOnInputChange cannot rebuild the table \[secret\]/],
    [{ clusterName: "topsecret/" }, /clusterName/],
  ])("SplitTable: %j", (more, reason) => {
    expect(check(splitTable as never, { ...table, ...more })[0]).toMatch(reason);
  });

  test("SplitTable: a kept table that is replaced under its name", () => {
    expect(check(splitTable as never, { ...table, triggers: 1 }, { olds: table })[0]).toContain(
      "the table [secret] cannot",
    );
  });

  test.each([
    [{ query: "SELECT topsecret(" }, {}],
    [{ outputResourcePath: "topsecret" }, {}],
    [{ outputFormat: "topsecret" }, {}],
    [{ resultRows: 432 }, { storage: false }],
    [{ expect: { rows: { min: 4321, max: 1234 } } }, {}],
    [{ expect: { columns: ["topsecret"] }, query: "SELECT 1 AS a" }, {}],
  ])("SelectQuery: %j", (more, given) => {
    const texts = check(selectQuery as never, { ...select, ...more }, given);
    expect(texts.join()).not.toContain("432");
  });

  test("ClusterRestart and ClusterLogExport", () => {
    check(clusterRestart as never, { clusterName, debug: "topsecret" });
    check(clusterLogExport as never, { clusterName, outputLogPath: "topsecret" });
  });
});

/** Returns all that an operation has said. */
async function saidBy(context: TestContext, operation: Promise<unknown>): Promise<string> {
  const end = await operation.then(() => "", describeError);
  return [...context.rows, ...context.infos, ...context.warnings, end].join("\n");
}

const secretContext = (more: Partial<LifecycleContext> = {}) => testContext({ secret: true, ...more });

describe("operations: no message shows a secret input", () => {
  const quoting = [
    new errors.ClusterNotFound(`cluster "${clusterName}" does not exist`),
    new errors.InvalidClusterState(`cluster "${clusterName}" is stopped`),
    new errors.QueryIsRunning(`cluster "${clusterName}" is running queries`),
    new errors.OutputBucketIsNotFound("bucket topsecret does not exist"),
    new errors.StorageAccessError("dag://topsecret/ cannot be read"),
  ];
  const cases = [
    ["ClusterRestart", clusterRestart, { clusterName }, ["restartCluster", "getCluster", "listQueries"]],
    ["ClusterLogExport", clusterLogExport, logs, ["exportClusterLog"]],
    ["SelectQuery", selectQuery, select, ["submitSelect"]],
    ["SplitTable", splitTable, table, ["submitSplit"]],
  ] as const;

  test.each(
    cases.flatMap(([name, lifecycle, inputs, operations]) =>
      operations.flatMap((operation) => quoting.map((error) => ({ name, lifecycle, inputs, operation, error }))),
    ),
  )("create: $name, where $operation refuses with $error.code", async ({ lifecycle, inputs, operation, error }) => {
    const context = secretContext();
    context.service.cluster.status = error.code === "InvalidClusterState" ? "stopped" : "norm";
    context.service.trouble = (called) => (called === operation ? error : undefined);
    const create = () =>
      (lifecycle.create as (...given: unknown[]) => Promise<{ readonly adopted?: boolean }>)(inputs, context);
    const run = new Run();
    const said = await saidBy(context, run.create(context, create));
    expect(said).not.toContain(mark);
    expect(said).toContain(error.code === "QueryIsRunning" && operation === "restartCluster" ? "running" : error.code);
  });

  test.each(cases)("create and delete: %s", async (_name, given, inputs) => {
    const lifecycle = given as unknown as Lifecycle<object, object>;
    const storage = new MemoryStorage({ "dag://topsecret/logs/engine.log": "x\n" });
    const context = secretContext({ storage });
    const run = new Run();
    const created = run.create(context, () => lifecycle.create(inputs, context));
    const said = await saidBy(context, created);
    const { id, state } = await created;
    const more = await saidBy(context, lifecycle.delete(id, { inputs, state }, context));
    expect(said).not.toBe("");
    expect(`${said}\n${more}`).not.toContain(mark);
  });

  test("drain: the row and the time-out", async () => {
    const context = secretContext({ timeout: 200 });
    context.service.manual = true;
    context.service.add("select", {});
    const said = await saidBy(context, clusterRestart.create({ clusterName, drain: true }, context));
    expect(said).toContain('the queries on cluster "[secret]" to end');
    expect(said).not.toContain(mark);
  });

  test("a result that is not as expected, and one that cannot be read", async () => {
    const storage = new MemoryStorage({ "dag://topsecret/r/000000_0": "1,2\n" });
    const inputs = { ...select, query: "SELECT * FROM topsecret.t", expect: { columns: ["topsecret"] } };
    const context = secretContext({ storage });
    expect(await saidBy(context, selectQuery.create(inputs, context))).not.toContain(mark);
    storage.list = () => {
      throw new errors.StorageAccessError("dag://topsecret/r/ cannot be read");
    };
    const said = await saidBy(context, selectQuery.create(inputs, context));
    expect(said).toContain("finished, but its result cannot be read\n");
    expect(said).not.toContain(mark);
  });

  test("a split that fails", async () => {
    const context = secretContext();
    context.service.manual = true;
    const said = saidBy(context, splitTable.create(table, context));
    await until(() => context.service.records.length === 1);
    context.service.finish(1, "error");
    expect(await said).toContain('on cluster "[secret]" failed');
    expect(await said).not.toContain(mark);
  });

  test("a pattern that matches nothing", async () => {
    const context = secretContext({ storage: new MemoryStorage({}) });
    const inputs = { ...table, inputObjectKeys: ["dag://topsecret/*.csv"] };
    expect(await saidBy(context, splitTable.create(inputs, context))).toContain("a pattern matches no object");
  });
});

test("plan: a secret cluster and a secret folder are not shown", () => {
  const urn = "urn:pulumi:dev::program::dag:index:SelectQuery::a";
  const run = new Run();
  const news = { ...select, query: "SELECT 2" };
  const state = { queryId: 7, status: "finished", location: select.outputResourcePath };
  run.checked({ urn, secret: true }, selectQuery as never, news, select);
  const diff = selectQuery.diff({ inputs: select, state: state as never }, news);
  run.compared({ urn, secret: true }, diff, { inputs: select, state }, news);
  expect(run.report.lines()).toEqual([
    "cluster [secret]: 1 query will run (0 new, 1 again); 0 results are kept; again: a: its inputs changed; " +
      "outputs that will be deleted: [secret]",
  ]);
});
