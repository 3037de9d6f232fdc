import { describe, expect, it } from "vitest";
import { macro, over, sql } from "../../../../hiveql/tree/fragment";
import type { Query, Typed } from "../../../../hiveql/tree/nodes";
import { rewrite } from "../../../../hiveql/tree/rewrite";
import { columnOf, nullTest, operation, typed } from "../../../../hiveql/tree/typed";
import { types } from "../../../../hiveql/tree/types";

const column = (name: string) => columnOf("t1", name, types.boolean);
const negation = (value: Typed) => operation({ kind: "not", operands: [value] }, types.boolean);
const any = (...operands: Typed[]) => operation({ kind: "or", operands }, types.boolean);

/** Returns a SELECT of some values. */
const selectOf = (columns: readonly Typed[], where?: Typed): Query => ({
  kind: "select",
  from: { kind: "table", name: '"t"', alias: "t1" },
  ...(where ? { where } : {}),
  columns: columns.map((value, index) => ({ value, alias: `c${index}` })),
  isDistinct: false,
  orderBy: [],
});

/** Returns the kinds of the nodes that a pass sees, each with a mark for filters. */
function seen(query: Query): string[] {
  const kinds: string[] = [];
  rewrite(query, [
    {
      after: (value, isFilter) => {
        kinds.push(`${value.node.kind}${isFilter ? " in a filter" : ""}`);
        return value;
      },
    },
  ]);
  return kinds;
}

const withoutNot = {
  before: (value: Typed) => (value.node.kind === "not" ? value.node.operands[0] : value),
};

describe("rewrite", () => {
  it("rewrite: returns the same tree when no pass changes a value", () => {
    const query = selectOf([any(column("a"), negation(column("b")))], nullTest(column("a")));
    expect(rewrite(query, [{}, { after: (value) => value }])).toBe(query);
  });

  it("rewrite: sees a value after the values inside of it, and columns and literals never", () => {
    expect(seen(selectOf([negation(any(column("a"), nullTest(column("b"))))]))).toEqual(["is null", "or", "not"]);
  });

  it("rewrite: marks WHERE with the operands of its ANDs and ORs as filters, and nothing below other operators", () => {
    const where = any(nullTest(column("a")), negation(any(column("a"), column("b"))));
    expect(seen(selectOf([nullTest(column("c"))], where)).toSorted()).toEqual(
      ["is null", "is null in a filter", "not in a filter", "or", "or in a filter"].toSorted(),
    );
  });

  it("rewrite: reaches values in macros, windows, relations and subqueries", () => {
    const value = negation(column("a"));
    const window = over({ partitionBy: [value], orderBy: [{ value, isDescending: false, nulls: "last" }] });
    const inner = selectOf([typed(sql`count(${macro("hive_trim", value)})${window}`, types.bigint)]);
    const exists: Typed = { node: { kind: "query", subquery: { kind: "exists", query: inner } }, type: types.boolean };
    const outer: Query = {
      ...selectOf([column("a")], exists),
      from: { kind: "query", query: selectOf([value]), alias: "t2" },
    } as Query;
    expect(JSON.stringify(rewrite(outer, [withoutNot]))).not.toContain('"not"');
    expect(JSON.stringify(outer)).toContain('"not"');
  });

  it("rewrite: gives equal objects one result, so that a shared value is rewritten once", () => {
    const shared = negation(column("a"));
    let count = 0;
    rewrite(selectOf([any(shared, column("b")), nullTest(shared)]), [
      { before: (value) => ((count += value === shared ? 1 : 0), value) },
    ]);
    expect(count).toBe(1);
  });
});
