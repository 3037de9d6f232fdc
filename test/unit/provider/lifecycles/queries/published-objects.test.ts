import { describe, expect, test } from "vitest";
import { errors, type OutputFolder } from "../../../../../contract";
import { unknown } from "../../../../../provider/lifecycles";
import { Refusal } from "../../../../../provider/lifecycles/refusal";
import { selectQuery, type SelectQueryInputs } from "../../../../../provider/lifecycles/resources/select-query";
import { testContext } from "../context";
import { MemoryStorage } from "../memory-storage";

const inputs: SelectQueryInputs = {
  clusterName: "demo",
  query: "SELECT a FROM db.t",
  outputResourcePath: "dag://out/a/",
};

describe("a folder of which the last query did not finish", () => {
  const stored = { inputs, state: { status: "error", queryId: 2, location: "dag://out/a/" } as never };
  /** What is said of the folder, with what the service says of it. */
  const said = async (output: OutputFolder | undefined, objects = { "dag://out/a/000000_0": "1\n" }) => {
    const context = testContext({ storage: new MemoryStorage(objects) });
    const own = (await selectQuery.create(inputs, context)).id;
    context.service.add("select", { outputResourcePath: "dag://out/a/", label: "other" });
    context.service.finish(2, output?.queryId === 2 ? "finished" : "error");
    context.service.output = output;
    const news = { ...inputs, query: "SELECT 2" };
    return { own: Number(own), text: (await selectQuery.othersObjects!("3", stored, news, context))?.warning };
  };
  const location = "dag://out/a/";

  test("an earlier result of the resource is replaced without a word", async () => {
    expect(await said({ location, queryId: 1 })).toEqual({ own: 1, text: undefined });
    // A service that has only the API does not say whose the objects are: the last query that wrote there was its own.
    expect((await said(undefined)).text).toBeUndefined();
    expect((await said({ location, others: "x" }, {} as never)).text).toBeUndefined();
  });

  test.each([
    [{ location, others: "dag://out/a/ has objects that no query published" }, "has objects that no query published"],
    [{ location, queryId: 2 }, "query 2 published them"],
  ])("others' objects are named before they are deleted: %j", async (output, whose) => {
    const text = (await said(output)).text!;
    expect(text).toContain(
      "the new query deletes all objects in dag://out/a/, none of which its old query 3 published",
    );
    expect(text).toContain(`${whose}. Move them away first to keep them`);
  });
});

describe("a query that runs again in its own folder", () => {
  const location = "dag://out/a/";
  const table = { outputDatabase: "out", outputTable: "a", inputObjectKeys: ["dag://raw/b.csv"] };
  const other = { outputDatabase: "mart", outputTable: "b", inputObjectKeys: [`${location}extra.csv`] };
  const hasTable =
    "outputResourcePath dag://out/a/ has the table out.a, which split query 2 made: the query would delete it: " +
    "set another outputResourcePath, or delete the objects first if nobody needs them";

  /** Runs the query, and returns what is said before it runs again. @param since what happens between the two */
  const rerun = async (
    since: (storage: MemoryStorage, service: ReturnType<typeof testContext>["service"]) => void,
    more: { readonly old?: object; readonly state?: object; readonly news?: object; readonly secret?: boolean } = {},
  ) => {
    const storage = new MemoryStorage({ [`${location}000000_0`]: "1\n" });
    const context = testContext({ storage, secret: more.secret === true });
    const old = { ...inputs, ...more.old };
    const { id, state } = await selectQuery.create(old, context);
    since(storage, context.service);
    const before = storage.names();
    context.service.calls.length = 0;
    const stored = { inputs: old, state: { ...state, ...more.state } };
    const news = { ...old, query: "SELECT 2", ...more.news } as SelectQueryInputs;
    const said = await selectQuery.othersObjects!(id, stored, news, context).then(
      (found) => found?.warning,
      (error: unknown) => error,
    );
    expect(storage.names()).toEqual(before);
    expect(context.service.count("submitSelect")).toBe(0);
    return { said, context };
  };
  const withTable: Parameters<typeof rerun>[0] = (storage, service) => {
    storage.put(`${location}000000_0`, "owl\n");
    service.finish(service.add("split", table).id);
  };

  test.each([
    ["a keep", { old: { deletionPolicy: "keep" } }],
    ["a purge", { old: { deletionPolicy: "purge" } }],
    ["a purge, and a result that was not listed", { old: { deletionPolicy: "purge" }, state: { result: undefined } }],
    ["a result that was not listed", { state: { result: undefined } }],
    ["a query that did not finish", { state: { status: "error", result: undefined } }],
    ["triggers", { news: { query: inputs.query, triggers: ["2"] } }],
    ["a statement that is not known yet, because a table is rebuilt", { news: { query: unknown } }],
  ])("the table of a split is there: refuses it, with %s", async (_title, more) => {
    const { said } = await rerun(withTable, more);
    expect(said).toBeInstanceOf(Refusal);
    expect(said).toMatchObject({ message: hasTable });
  });

  test("an input of a split is beside its result: refuses it", async () => {
    const { said } = await rerun((storage, service) => {
      storage.put(`${location}extra.csv`, "owl\n");
      service.finish(service.add("split", other).id);
    });
    expect(said).toMatchObject({
      message: expect.stringContaining(
        "contains dag://out/a/extra.csv, an input of the table mart.b, which split query 2 made: the query would delete it",
      ),
    });
  });

  test("a secret input: names the split's table no more than the folder", async () => {
    const { said } = await rerun(withTable, { secret: true });
    expect(said).toMatchObject({
      message: "the output folder is in a table that a split made: set another outputResourcePath",
    });
  });

  test("other objects beside its result: only warns", async () => {
    const { said } = await rerun((storage) => storage.put(`${location}mine.csv`, "1\n"));
    expect(said).toContain(
      "the new query deletes all objects in dag://out/a/, also those that are not of its old query 1",
    );
  });

  test("only its own result: says nothing, and asks for no split", async () => {
    const { said, context } = await rerun((_storage, service) => service.finish(service.add("split", table).id));
    expect(said).toBeUndefined();
    expect(context.service.calls).toEqual([]);
  });

  test("without dag:storage: lists the splits once, and reads none that is older than its result", async () => {
    const context = testContext();
    for (const split of [table, other]) context.service.finish(context.service.add("split", split).id);
    const { id, state } = await selectQuery.create(inputs, context);
    const again = () => selectQuery.othersObjects!(id, { inputs, state }, { ...inputs, triggers: ["2"] }, context);
    context.service.calls.length = 0;
    expect([await again(), await again()]).toEqual([undefined, undefined]);
    expect(context.service.calls).toEqual(["listQueries"]);
    expect(context.warnings).toEqual([]);
  });

  test("another folder, or one that is not known yet: is left to the check of the new query", async () => {
    for (const outputResourcePath of ["dag://out/b/", unknown]) {
      expect((await rerun(withTable, { news: { outputResourcePath } })).said).toBeUndefined();
    }
  });

  test("a service that does not list its splits: warns", async () => {
    const down = new errors.InternalError("it is down");
    const { context } = await rerun(
      (storage, service) => {
        withTable(storage, service);
        service.trouble = (operation) => (operation === "listQueries" ? down : undefined);
      },
      { state: { result: undefined } },
    );
    expect(context.warnings).toEqual([
      expect.stringMatching(
        /^cannot check whether dag:\/\/out\/a\/ contains objects, which would be deleted: .*it is down/,
      ),
    ]);
  });
});
