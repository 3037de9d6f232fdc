/** What an existing query has read, where its own record does not tell. */
import { describe, expect, test } from "vitest";
import { selectQuery, type SelectQueryInputs } from "../../../../../provider/lifecycles/resources/select-query";
import { isFollowed, tablesOfExisting } from "../../../../../provider/lifecycles/freshness/generations";
import { noGeneration, ProgramTables } from "../../../../../provider/lifecycles/freshness/program-tables";
import { packMetadata, unpackMetadata } from "../../../../../provider/dynamic/resource-metadata";
import { packHiddenInputs, unpackHiddenInputs } from "../../../../../provider/lifecycles/freshness/hidden-inputs";
import { compare } from "../../../../../provider/pulumi-engine/comparison";
import { checkOptions, testContext } from "../context";

const maker = "urn:pulumi:dev::shop::dag:index:SplitTable::t";

/** The tables of a run in which query 3 has made the table of generation `now`. */
function tables() {
  const programTables = new ProgramTables();
  const columns = () => undefined;
  const table = { urn: maker, generation: "now", exists: true, columns, mayBeDeclared: false };
  programTables.add("dag://shop/t/", table);
  programTables.hasQuery(maker, 3);
  return programTables;
}

/** The inputs of a query whose tables another provider configuration made when it ran. */
const moved: { readonly tables?: readonly string[] } = {};

test("tablesOfExisting: a query that moves to the provider of its table has read the table that was made before it", () => {
  expect(tablesOfExisting("5", moved, ["now"], tables())).toEqual(["now"]);
  const partly = { ...moved, tables: ["first", noGeneration] };
  expect(tablesOfExisting("5", partly, ["first", "now"], tables())).toEqual(["first", "now"]);
});

test("tablesOfExisting: it has not read a table that was made after it, or that this run makes again", () => {
  expect(tablesOfExisting("2", moved, ["now"], tables())).toEqual([noGeneration]);
  const programTables = tables();
  programTables.replaces(3, { urn: maker, deletionPolicy: "keep", etag: undefined });
  expect(tablesOfExisting("5", moved, ["now"], programTables)).toEqual([noGeneration]);
  expect(tablesOfExisting("5", moved, ["of a new resource"], tables())).toEqual([noGeneration]);
});

test("tablesOfExisting: what a query has recorded counts", () => {
  expect(tablesOfExisting("5", { ...moved, tables: ["earlier"] }, ["now"], tables())).toEqual(["earlier"]);
  expect(tablesOfExisting("5", { ...moved, tables: ["earlier"] }, undefined, tables())).toEqual(["earlier"]);
});

test("compare: a query that moves to the provider of its table does not run again, unless the table was made since", async () => {
  const given = { clusterName: "demo", query: "SELECT * FROM shop.t", outputResourcePath: "dag://shop/report/" };
  const olds: SelectQueryInputs = { ...given, generation: "own" };
  const programTables = tables();
  const news = selectQuery.check(given, { ...checkOptions, olds, programTables }).inputs as SelectQueryInputs;
  expect(news.tables).toEqual(["now"]);
  const context = { ...testContext(), programTables };
  const { diff } = selectQuery;
  const compared = (id: string) =>
    compare({ diff }, id, { inputs: olds, state: { status: "finished" } } as never, news, context);
  expect(await compared("5")).toMatchObject({ changes: false, reasons: [] });
  expect(await compared("2")).toMatchObject({ changes: true, reasons: ["the table shop.t was rebuilt"] });
});

describe("a table to which the program refers by an id", () => {
  /** A run that has read what query `id` wrote. */
  const lookup = (id: string | undefined) => {
    const programTables = new ProgramTables();
    programTables.looksUp("dag://shop/t/", id);
    return programTables;
  };
  const given = { clusterName: "demo", query: "SELECT * FROM shop.t", outputResourcePath: "dag://shop/report/" };
  /** Compares query 5, which has read tables of some generations. */
  const compared = async (read: readonly string[] | undefined, programTables: ProgramTables) => {
    const olds = { ...given, generation: "own", ...(read && { tables: read }) } as SelectQueryInputs;
    const news = selectQuery.check(given, { ...checkOptions, olds, programTables }).inputs as SelectQueryInputs;
    const stored = { inputs: olds, state: { status: "finished" } } as never;
    const { diff } = selectQuery;
    return compare({ diff }, "5", stored, news, { ...testContext(), programTables });
  };
  const rebuilt = { changes: true, reasons: ["the table shop.t was rebuilt"] };
  const kept = { changes: false, reasons: [] };

  test("check: a query that reads it has its id", () => {
    const options = { ...checkOptions, programTables: lookup("3") };
    const { generation, tables: found } = selectQuery.check(given, options).inputs as SelectQueryInputs;
    expect(found).toEqual(["-3"]);
    expect(unpackHiddenInputs(packHiddenInputs({ generation, tables: found }))).toEqual({ generation, tables: found });
    const packed = {
      urn: `${maker.split("::").slice(0, 2).join("::")}::pulumi-nodejs:dynamic/dag:SelectQuery::r`,
      generation,
      tables: found,
    };
    expect(unpackMetadata(packMetadata(packed))).toEqual(packed);
  });

  test("compare: a query that reads it runs again when it is of another query than before", async () => {
    expect(await compared(["-3"], lookup("3"))).toMatchObject(kept);
    expect(await compared(["-3"], lookup("4"))).toMatchObject(rebuilt);
    expect(await compared(["-3"], lookup("9"))).toMatchObject(rebuilt);
    expect(await compared(["-3"], new ProgramTables())).toMatchObject(kept);
  });

  test("compare: of a query without a record of it, or whose program made it, the order of the queries tells", async () => {
    expect(await compared(undefined, lookup("3"))).toMatchObject(kept);
    expect(await compared(undefined, lookup("9"))).toMatchObject(rebuilt);
    expect(await compared(["now"], lookup("3"))).toMatchObject(kept);
    expect(await compared(["now"], lookup("9"))).toMatchObject(rebuilt);
    // The program has made it since.
    expect(await compared(["-3"], tables())).toMatchObject(kept);
  });

  test("compare: of a query that has not finished, it is kept as it was read, and runs again when that has", async () => {
    const unfinished = lookup(undefined);
    expect(unfinished.isLookedUp("dag://shop/t/")).toBe(true);
    for (const read of [["-3"], ["now"], undefined]) expect(await compared(read, unfinished)).toMatchObject(kept);
    const { tables: readByNew } = selectQuery.check(given, { ...checkOptions, programTables: unfinished })
      .inputs as SelectQueryInputs;
    expect(await compared(readByNew, lookup("4"))).toMatchObject(rebuilt);
  });

  test("its objects are still compared where the query follows them, and nobody warns when the program drops it", () => {
    expect(isFollowed(0, ["-3"])).toBe(false);
    const programTables = new ProgramTables();
    programTables.hasRead("reader", () => [{ database: "shop", table: "t" }], ["-3"]);
    programTables.follows("reader", false);
    expect(programTables.followedButNotMade("reader", false).tables).toEqual([]);
    const nowLookedUp = lookup("3");
    nowLookedUp.hasRead("reader", () => [{ database: "shop", table: "t" }], ["now"]);
    nowLookedUp.follows("reader", false);
    expect(nowLookedUp.followedButNotMade("reader", false).tables).toEqual([]);
  });
});
