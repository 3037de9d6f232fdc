import { expect, test } from "vitest";
import { errors } from "../../../../../contract";
import { submittedLabel } from "../../../../../provider/lifecycles/queries/submission-token";
import { selectQuery } from "../../../../../provider/lifecycles/resources/select-query";
import { splitTable } from "../../../../../provider/lifecycles/resources/split-table";
import { testContext, type TestContext } from "../context";
import { MemoryStorage } from "../memory-storage";
import { inputs as tableInputs } from "../resources/split-table-inputs";

const inputs = { clusterName: "demo", query: "SELECT a FROM db.t", outputResourcePath: "dag://out/a/" };
const lost = { ...inputs, query: "SELECT sleep()" };

/** Makes a result, and then what a run has submitted that was killed. */
async function killedRun(context: TestContext, submitted: object = {}, urn = context.urn) {
  const { id, state } = await selectQuery.create(inputs, context);
  context.service.manual = true;
  context.service.add("select", { ...lost, label: submittedLabel(undefined, { urn, inputs: lost }), ...submitted });
  const old = { inputs, state };
  const compare = (news = inputs) => selectQuery.withObserved!(id, old, selectQuery.diff(old, news), context);
  return { compare, update: () => selectQuery.update(id, old, inputs, context), state };
}

const left = "query 2, which an interrupted run of this resource has left behind, still runs and writes to";

test("compare of a result that is replaced: the query is named, and the difference stays what it is", async () => {
  const context = testContext({ storage: new MemoryStorage({ "dag://out/a/000000_0": "1\n" }) });
  const { compare } = await killedRun(context);
  expect(await compare({ ...inputs, query: "SELECT b FROM db.t" })).toMatchObject({ replaces: ["query"] });
  expect(context.warnings).toEqual([
    `${left} dag://out/a/: "pulumi up" adopts it if it has the inputs of now, and otherwise cancels it if it writes where ` +
      "the new query is to",
  ]);
  expect(context.service.records.map(({ status }) => status)).toEqual(["finished", "running"]);
});

test("compare and update of a kept result: the query that would replace it is named, and cancelled", async () => {
  const context = testContext({ storage: new MemoryStorage({ "dag://out/a/000000_0": "1\n" }) });
  const { compare, update, state } = await killedRun(context);
  expect(await compare()).toMatchObject({ changes: true, replaces: [] });
  expect(context.warnings).toEqual([
    `${left} dag://out/a/, where its result would replace that of query 1: "pulumi up" cancels it`,
  ]);
  expect(await update()).toEqual(state);
  expect(context.service.records.map(({ status }) => status)).toEqual(["finished", "canceled"]);
  expect(context.infos).toEqual(["query 2 of an interrupted run of this resource is cancelled"]);
  expect(await compare()).toMatchObject({ changes: false });
});

test("update of a kept result: fails when the other query has replaced it before it could be cancelled", async () => {
  const storage = new MemoryStorage({ "dag://out/a/000000_0": "1\n" });
  const context = testContext({ storage });
  const { update } = await killedRun(context);
  context.service.trouble = (operation) => {
    if (operation !== "cancelQuery") return undefined;
    storage.put("dag://out/a/000000_0", "22\n");
    context.service.finish(2);
    return undefined;
  };
  await expect(update()).rejects.toThrow(
    "the objects in dag://out/a/ cannot be read as the result of query 1: query 2 has published there since",
  );
});

test("compare of a kept result: a query that writes to another folder is named, and goes on", async () => {
  const context = testContext();
  const { compare, update } = await killedRun(context, { outputResourcePath: "dag://out/b/" });
  expect(await compare()).toMatchObject({ changes: false });
  expect(context.warnings).toEqual([`${left} dag://out/b/: cancel it if nobody needs its result`]);
  await update();
  expect(context.service.records[1]!.status).toBe("running");
});

test("compare of a kept result: with a secret input, the folder is not shown", async () => {
  const context = testContext({ secret: true });
  const { compare } = await killedRun(context);
  expect(await compare()).toMatchObject({ changes: true });
  expect(context.warnings).toEqual([expect.stringContaining(`${left} [secret], where`)]);
});

test.each([
  ["of another resource", {}, "urn:pulumi:dev::unit::dag:index:SelectQuery::other"],
  ["of another access key", { accessKeyId: "other" }, undefined],
  ["that has ended", { status: "canceled" }, undefined],
])("compare of a kept result: nothing is said of a query %s", async (_whose, submitted, urn) => {
  const context = testContext();
  const { compare } = await killedRun(context, submitted, urn);
  expect(await compare()).toMatchObject({ changes: false });
  expect(context.warnings).toEqual([]);
});

test("compare of kept results: the service is asked once, and one that does not answer changes nothing", async () => {
  const context = testContext();
  const { compare } = await killedRun(context);
  context.service.calls.length = 0;
  context.service.trouble = () => new errors.ServiceUnavailable("busy");
  expect(await Promise.all([compare(), compare()])).toMatchObject([{ changes: false }, { changes: false }]);
  expect(await compare()).toMatchObject({ changes: false });
  expect(context.service.calls).toEqual(["listQueries"]);
  expect(context.warnings).toEqual([]);
});

test("compare of a kept table: a split that makes another table is named, and goes on", async () => {
  const context = testContext();
  const { id, state } = await splitTable.create(tableInputs, context);
  context.service.manual = true;
  const other = { ...tableInputs, outputTable: "others" };
  const label = submittedLabel(undefined, { urn: context.urn, inputs: other });
  context.service.add("split", { ...other, label });
  const old = { inputs: tableInputs, state };
  const diff = splitTable.diff(old, tableInputs);
  expect(await splitTable.withObserved!(id, old, diff, context)).toEqual(diff);
  expect(context.warnings).toEqual([`${left} dag://wildlife/others/: cancel it if nobody needs its result`]);
});
