import { describe, expect, test } from "vitest";
import type { OutputFolder } from "../../../../../contract";
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
    return { own: Number(own), text: await selectQuery.othersObjects!("3", stored, news, context) };
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
