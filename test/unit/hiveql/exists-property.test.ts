/** EXISTS and NOT EXISTS with any conditions on the outer row: DuckDB's optimizer must keep every one. */
import fc from "fast-check";
import { afterAll, beforeAll, expect, test } from "vitest";
import { openAnswers } from "./answers";

let hive: Awaited<ReturnType<typeof openAnswers>>;
beforeAll(async () => void (hive = await openAnswers()));
afterAll(() => hive.close());

/** Rows of `id`, `k` and `x`. */
const rows = [
  [1, 7, 10],
  [2, 7, 20],
  [3, 8, 5],
  [4, 8, null],
  [5, null, 20],
  [6, 7, 10],
] as const;
const columns = ["id", "k", "x"] as const;
const table = rows.map(([id, k, x]) => `SELECT ${id} id, CAST(${k} AS int) k, CAST(${x} AS int) x`).join(" UNION ALL ");

const comparisons = {
  "=": (a: number, b: number) => a === b,
  "<>": (a: number, b: number) => a !== b,
  "<": (a: number, b: number) => a < b,
  "<=": (a: number, b: number) => a <= b,
  ">": (a: number, b: number) => a > b,
  ">=": (a: number, b: number) => a >= b,
} as const;
const operators = Object.keys(comparisons) as (keyof typeof comparisons)[];

const condition = fc.record({
  operator: fc.constantFrom(...operators),
  inner: fc.constantFrom(0, 1, 2),
  outer: fc.constantFrom(0, 1, 2),
});

test("EXISTS, NOT EXISTS: the rows for which all conditions hold", async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(condition, { minLength: 1, maxLength: 3 }), fc.boolean(), async (conditions, isNot) => {
      const where = conditions.map(
        ({ operator, inner, outer }) => `b.${columns[inner]} ${operator} a.${columns[outer]}`,
      );
      const exists = `${isNot ? "NOT " : ""}EXISTS (SELECT 1 FROM (${table}) b WHERE ${where.join(" AND ")})`;
      const found = await hive.answer(`SELECT a.id FROM (${table}) a WHERE ${exists} ORDER BY id`);
      const isMatch = (a: (typeof rows)[number], b: (typeof rows)[number]) =>
        conditions.every(({ operator, inner, outer }) => {
          const [left, right] = [b[inner], a[outer]];
          return left !== null && right !== null && comparisons[operator](left, right);
        });
      const expected = rows.filter((a) => rows.some((b) => isMatch(a, b)) !== isNot).map(([id]) => String(id));
      expect(found).toEqual(expected);
    }),
    {
      examples: [
        [
          [
            { operator: "=", inner: 1, outer: 1 },
            { operator: "<>", inner: 0, outer: 0 },
            { operator: ">", inner: 2, outer: 2 },
          ],
          true,
        ],
      ],
    },
  );
});
