import { describe, expect, test } from "vitest";
import { LocationClaims, mentions, OverlapError } from "../../../../../provider/lifecycles/overlap/overlap";

/** Statements of these tests read as `<database>.<table> …`. */
const claims = () =>
  new LocationClaims((text) =>
    Promise.resolve(text.split(" ").map((name) => ({ database: name.split(".")[0]!, table: name.split(".")[1]! }))),
  );
const deletes = { deletes: true };
const follows = { follows: true };

describe("outputs", () => {
  test.each([
    ["dag://out/a/", "dag://out/a"],
    ["dag://out/a/", "dag://out/a/b/"],
    ["dag://out/a/b/", "dag://out/a/"],
  ])("equal and nested folders conflict: %s, %s", async (one, other) => {
    const all = claims();
    await all.addOutput('SelectQuery "one"', one, deletes);
    const clash = all.addOutput('SelectQuery "two"', other, deletes);
    await expect(clash).rejects.toThrow(OverlapError);
    await expect(clash).rejects.toThrow(
      /SelectQuery "two" writes to .*SelectQuery "one" writes .*Set the outputs to two separate folders/,
    );
  });

  test("separate folders do not conflict", async () => {
    const all = claims();
    await all.addOutput("one", "dag://out/a/", deletes);
    await all.addOutput("two", "dag://out/ab/", deletes);
    await all.addOutput("three", "dag://other/a/", deletes);
  });

  test("of two concurrent conflicting outputs, one is rejected", async () => {
    const all = claims();
    const both = await Promise.allSettled([
      all.addOutput("one", "dag://out/a/", deletes),
      all.addOutput("two", "dag://out/a/", deletes),
    ]);
    expect(both.map(({ status }) => status).toSorted()).toEqual(["fulfilled", "rejected"]);
  });
});

describe("a resource that has a conflict", () => {
  test("is refused too when it was there first, in the same words", async () => {
    const all = claims();
    await all.addOutput("early", "dag://raw/in/", deletes);
    await all.requireNoConflict("early");
    const refused = () => all.addInput("late", "dag://raw/in/a.csv");
    expect(refused).toThrow(OverlapError);
    await expect(all.requireNoConflict("early")).rejects.toThrow(/^early writes to dag:.*input dag:.* of late/);
    await all.requireNoConflict("other");
  });

  test("waits for comparisons that have not ended", async () => {
    const { promise, resolve } = Promise.withResolvers<readonly { database: string; table: string }[]>();
    const all = new LocationClaims(() => promise);
    await all.addOutput("writer", "dag://shop/orders/report/", deletes);
    const reader = all.addStatement("reader", "shop.orders", follows);
    const settled = all.requireNoConflict("writer");
    resolve([{ database: "shop", table: "orders" }]);
    await expect(reader).rejects.toThrow(OverlapError);
    await expect(settled).rejects.toThrow(OverlapError);
  });
});

describe("an output and the inputs of another resource", () => {
  test("an output inside a table is rejected, because its objects would become rows", async () => {
    const all = claims();
    await all.addStatement('SelectQuery "reader"', "shop.orders", follows);
    await expect(all.addOutput('SelectQuery "writer"', "dag://shop/orders/report/", deletes)).rejects.toThrow(
      /is inside the table shop.orders that SelectQuery "reader" reads.*outside dag:\/\/shop\/orders\//,
    );
  });

  test("an output inside a table is rejected in any order of the resources", async () => {
    const all = claims();
    await all.addOutput("writer", "dag://shop/orders/report/", deletes);
    await expect(all.addStatement("reader", "shop.orders", follows)).rejects.toThrow(OverlapError);
  });

  test("an output that is exactly the table that another resource reads is allowed", async () => {
    const all = claims();
    await all.addOutput("writer", "dag://shop/orders/", deletes);
    await all.addStatement("reader", "shop.orders", follows);
  });

  test("an input inside an output is rejected, unless it is the result of the other query", async () => {
    const all = claims();
    await all.addOutput("writer", "dag://shop/orders/", deletes);
    all.addInput("chain", "dag://shop/orders/000000_0");
    expect(() => all.addInput("reader", "dag://shop/orders/mine.csv")).toThrow(/the input would be deleted/);
  });

  test.each(["*", "000000_*", "0*_0"])("a pattern that its result objects match is that result: %s", async (name) => {
    const all = claims();
    await all.addOutput("writer", "dag://shop/orders/", deletes);
    all.addInput("chain", `dag://shop/orders/${name}`);
    expect(() => all.addInput("reader", "dag://shop/orders/mine.csv")).toThrow(OverlapError);
  });

  test.each(["*.csv", "a*", "sub/*", "*/*"])("another pattern inside an output is rejected: %s", async (name) => {
    const all = claims();
    all.addInput("reader", `dag://shop/orders/${name}`);
    await expect(all.addOutput("writer", "dag://shop/orders/", deletes)).rejects.toThrow(/the input would be deleted/);
  });

  test("an input inside an output that deletes nothing is allowed", async () => {
    const all = claims();
    await all.addOutput("logs", "dag://shop/logs/", { deletes: false });
    all.addInput("reader", "dag://shop/logs/engine.log");
  });
});

test("an invalid location is left to the resource's own check", async () => {
  await claims().addOutput("one", "s3://x", deletes);
  claims().addInput("one", "nothing");
});

test("mentions: a fast filter that misses no table", () => {
  expect(mentions("SELECT * FROM Shop.Orders", { bucket: "shop", key: "orders/x/" })).toBe(true);
  expect(mentions("SELECT * FROM orders", { bucket: "default", key: "orders/" })).toBe(true);
  expect(mentions("SELECT * FROM other", { bucket: "shop", key: "orders/" })).toBe(false);
});

describe("statements that read each other's outputs", () => {
  /** Adds queries that write to `dag://out/<name>/`. */
  const addAll = async (queries: readonly [name: string, reads: string, follows?: boolean][]) => {
    const all = claims();
    for (const [name, reads, isFollowing = true] of queries) {
      const owner = `SelectQuery "${name}"`;
      await all.addOutput(owner, `dag://out/${name}/`, deletes);
      await all.addStatement(owner, reads, { follows: isFollowing });
    }
  };

  test("two are rejected, and the message names both", async () => {
    const clash = addAll([
      ["aa", "out.bb"],
      ["bb", "out.aa"],
    ]);
    await expect(clash).rejects.toThrow(OverlapError);
    await expect(clash).rejects.toThrow(
      'SelectQuery "bb" reads from SelectQuery "aa", which reads from SelectQuery "bb": none of them can be made before',
    );
  });

  test("three are rejected, and the message names all", async () => {
    const clash = addAll([
      ["aa", "out.cc"],
      ["bb", "out.aa"],
      ["cc", "out.bb"],
    ]);
    await expect(clash).rejects.toThrow(
      'SelectQuery "cc" reads from SelectQuery "bb", which reads from SelectQuery "aa", which reads from SelectQuery "cc"',
    );
  });

  test("a chain is allowed, and so is a query that keeps its result", async () => {
    await addAll([
      ["cc", "out.bb"],
      ["bb", "out.aa"],
      ["aa", "out.other"],
    ]);
    await addAll([
      ["aa", "out.bb", false],
      ["bb", "out.aa"],
    ]);
  });
});
