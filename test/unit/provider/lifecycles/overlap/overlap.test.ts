import { describe, expect, test } from "vitest";
import { LocationClaims, mentions, OverlapError } from "../../../../../provider/lifecycles/overlap/overlap";

/** Statements of these tests read as `<database>.<table> …`. */
const claims = () =>
  new LocationClaims((text) =>
    Promise.resolve(text.split(" ").map((name) => ({ database: name.split(".")[0]!, table: name.split(".")[1]! }))),
  );
const deletes = { deletes: true };

describe("outputs", () => {
  test.each([
    ["dag://out/a/", "dag://out/a"],
    ["dag://out/a/", "dag://out/a/b/"],
    ["dag://out/a/b/", "dag://out/a/"],
  ])("equal folders, and one inside another, get into each other's way: %s, %s", async (one, other) => {
    const all = claims();
    await all.addOutput('SelectQuery "one"', one, deletes);
    const clash = all.addOutput('SelectQuery "two"', other, deletes);
    await expect(clash).rejects.toThrow(OverlapError);
    await expect(clash).rejects.toThrow(
      /SelectQuery "two" writes to .*SelectQuery "one" writes .*Give each a folder of its own/,
    );
  });

  test("folders beside each other do not", async () => {
    const all = claims();
    await all.addOutput("one", "dag://out/a/", deletes);
    await all.addOutput("two", "dag://out/ab/", deletes);
    await all.addOutput("three", "dag://other/a/", deletes);
  });

  test("of two that come at once, one is refused", async () => {
    const all = claims();
    const both = await Promise.allSettled([
      all.addOutput("one", "dag://out/a/", deletes),
      all.addOutput("two", "dag://out/a/", deletes),
    ]);
    expect(both.map(({ status }) => status).toSorted()).toEqual(["fulfilled", "rejected"]);
  });
});

describe("an output and what another reads", () => {
  test("inside a table: its objects would become rows", async () => {
    const all = claims();
    await all.addStatement('SelectQuery "reader"', "shop.orders");
    await expect(all.addOutput('SelectQuery "writer"', "dag://shop/orders/report/", deletes)).rejects.toThrow(
      /lies in the table shop.orders that SelectQuery "reader" reads.*outside dag:\/\/shop\/orders\//,
    );
  });

  test("whichever comes first", async () => {
    const all = claims();
    await all.addOutput("writer", "dag://shop/orders/report/", deletes);
    await expect(all.addStatement("reader", "shop.orders")).rejects.toThrow(OverlapError);
  });

  test("exactly the table that another reads is a chain", async () => {
    const all = claims();
    await all.addOutput("writer", "dag://shop/orders/", deletes);
    await all.addStatement("reader", "shop.orders");
  });

  test("an input object under an output would be deleted; another query's result is a chain", async () => {
    const all = claims();
    await all.addOutput("writer", "dag://shop/orders/", deletes);
    all.addInput("chain", "dag://shop/orders/000000_0");
    expect(() => all.addInput("reader", "dag://shop/orders/mine.csv")).toThrow(/it would be deleted/);
  });

  test("where nothing is deleted, an input may lie", async () => {
    const all = claims();
    await all.addOutput("logs", "dag://shop/logs/", { deletes: false });
    all.addInput("reader", "dag://shop/logs/engine.log");
  });
});

test("what is no location is left to the resource's own check", async () => {
  await claims().addOutput("one", "s3://x", deletes);
  claims().addInput("one", "nothing");
});

test("mentions: a cheap look that misses no table", () => {
  expect(mentions("SELECT * FROM Shop.Orders", { bucket: "shop", key: "orders/x/" })).toBe(true);
  expect(mentions("SELECT * FROM orders", { bucket: "default", key: "orders/" })).toBe(true);
  expect(mentions("SELECT * FROM other", { bucket: "shop", key: "orders/" })).toBe(false);
});
