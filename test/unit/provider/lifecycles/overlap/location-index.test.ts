import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { isWithin, type Location } from "../../../../../contract";
import {
  FolderIndex,
  longestToken,
  TokenIndex,
  tokens,
} from "../../../../../provider/lifecycles/overlap/location-index";
import { mentions } from "../../../../../provider/lifecycles/overlap/overlap";

const location = fc
  .tuple(
    fc.constantFrom("one", "two"),
    fc.array(fc.constantFrom("a", "b", "ab"), { maxLength: 3 }),
    fc.constantFrom("", "/"),
  )
  .map(([bucket, parts, end]): Location => ({ bucket, key: parts.length > 0 ? parts.join("/") + end : "" }));

describe("FolderIndex", () => {
  test("within, containing: find the same items as a full scan", () => {
    fc.assert(
      fc.property(fc.array(location), location, (all, asked) => {
        const index = new FolderIndex<Location>();
        for (const one of all) index.add(one, one);
        expect(new Set(index.within(asked))).toEqual(new Set(all.filter((one) => isWithin(one, asked))));
        expect(new Set(index.containing(asked))).toEqual(new Set(all.filter((one) => isWithin(asked, one))));
        expect(index.within(asked)).toHaveLength(all.filter((one) => isWithin(one, asked)).length);
      }),
    );
  });
});

describe("TokenIndex", () => {
  test("matching: finds every statement that names a table, in any case and in backticks", () => {
    const table = fc.constantFrom("orders", "my-orders", "Orders_2", "--", "größe", "a``b");
    const statement = fc
      .tuple(table, fc.constantFrom("shop.", "SHOP . "), fc.boolean())
      .map(([name, shop, upper]) => `SELECT 1 FROM ${shop}\`${upper ? name.toUpperCase() : name}\` AS t`);
    fc.assert(
      fc.property(fc.array(statement), table, (statements, name) => {
        const index = new TokenIndex<string>();
        for (const text of statements) index.add(tokens(text), text);
        const named = statements.filter((text) => mentions(text, { bucket: "shop", key: `${name}/x/` }));
        const found = index.matching([longestToken(name)]);
        expect(named.filter((text) => !found.includes(text) && text.toLowerCase().includes(`\`${name}\``))).toEqual([]);
      }),
    );
  });

  test("matching: skips statements without the token", () => {
    const index = new TokenIndex<string>();
    index.add(tokens("SELECT 1 AS one"), "other");
    expect(index.matching([longestToken("orders")])).toEqual([]);
  });
});
