import fc from "fast-check";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { Engine, TableDefinition } from "../../../service/core/ports/engine";
import { columns, Machine } from "./harness";

const machine = new Machine();
let engine: Engine;
beforeAll(async () => void (engine = await machine.start()));
afterAll(() => machine[Symbol.asyncDispose]());

const days = ["a", "b", "1", null];
const hours = [0, 1, 2, null];
const nullFolder = "__HIVE_DEFAULT_PARTITION__";

/** The same rows in partition folders, and in one object with all columns. */
function tables(): { readonly partitioned: TableDefinition; readonly plain: TableDefinition } {
  const lines: string[] = [];
  let n = 0;
  for (const day of days) {
    for (const hour of hours) {
      const rows = [n, n + 1, n + 2].map((value) => `${value % 7},${value}`);
      machine.put("default", `folders/dt=${day ?? nullFolder}/h=${hour ?? nullFolder}/a.csv`, `${rows.join("\n")}\n`);
      lines.push(...rows.map((row) => `${row},${day ?? "\\N"},${hour ?? "\\N"}`));
      n += 3;
    }
  }
  machine.put("default", "plain/a.csv", `${lines.join("\n")}\n`);
  const common = { database: "default", table: "t", format: "csv" } as const;
  return {
    partitioned: {
      ...common,
      location: { bucket: "default", key: "folders/" },
      columns: columns("k int, n int"),
      partitions: columns("dt string, h int"),
    },
    plain: {
      ...common,
      location: { bucket: "default", key: "plain/" },
      columns: columns("k int, n int, dt string, h int"),
    },
  };
}

/** Conditions on the columns of a relation, whose alias is written in place of `@`. */
const atom = fc.constantFrom(
  "@dt = 'a'",
  "@dt <> 'b'",
  "@dt < 'b'",
  "@dt IN ('a', '1')",
  "@dt NOT IN ('a', 'x')",
  "@dt BETWEEN 'a' AND 'b'",
  "@dt IS NULL",
  "@dt IS NOT NULL",
  "@dt <=> NULL",
  "@dt LIKE 'a%'",
  "@dt RLIKE '^[ab]$'",
  "@dt = 1",
  "cast(@dt AS int) = 1",
  "coalesce(@dt, 'a') = 'a'",
  "length(@dt) = 1",
  "concat(@dt, @h) = 'a1'",
  "@h = 1",
  "@h > 0",
  "@h + 1 >= 3",
  "@h % 2 = 0",
  "@h IS NULL",
  "nvl(@h, 5) = 5",
  "if(@h IS NULL, true, @h > 1)",
  "CASE WHEN @h = 1 THEN @dt = 'a' ELSE @dt = 'b' END",
  "@h = @k",
  "@n > 10",
  "@k = 3",
  "true",
  "rand() >= 0",
);
const { condition } = fc.letrec<{ condition: string }>((tie) => ({
  condition: fc.oneof(
    { maxDepth: 3 },
    atom,
    fc.tuple(tie("condition"), fc.constantFrom("AND", "OR"), tie("condition")).map((parts) => `(${parts.join(" ")})`),
    tie("condition").map((inner) => `NOT (${inner})`),
  ),
}));
const on = (text: string, alias: string) => text.replaceAll("@", alias === "" ? "" : `${alias}.`);
/** A condition, or none. */
const some = fc.oneof(fc.constant("true"), atom);
const keys = fc.constantFrom("a.n = b.n", "a.n = b.n + 3", "a.k = b.k");
const joins = fc.constantFrom("JOIN", "LEFT JOIN", "RIGHT JOIN", "FULL JOIN");

const statement = fc.oneof(
  condition.map((where) => `SELECT * FROM t WHERE ${on(where, "")}`),
  fc
    .tuple(condition, condition)
    .map(
      ([inner, outer]) =>
        `SELECT * FROM (SELECT k, n, dt, h FROM t x WHERE ${on(inner, "x")}) s WHERE ${on(outer, "s")}`,
    ),
  condition.map((where) => `SELECT * FROM (SELECT *, n + 1 AS m FROM t) s WHERE ${on(where, "s")}`),
  condition.map(
    (where) => `SELECT * FROM (SELECT dt, h, max(k) AS k, min(n) AS n FROM t GROUP BY dt, h) s WHERE ${on(where, "s")}`,
  ),
  fc
    .tuple(condition, condition)
    .map(
      ([a, b]) =>
        `WITH w AS (SELECT * FROM t) SELECT n, dt FROM w WHERE ${on(a, "w")} UNION ALL SELECT n, dt FROM w x WHERE ${on(b, "x")}`,
    ),
  fc
    .tuple(condition, condition)
    .map(([a, b]) => `SELECT n FROM t WHERE ${on(a, "t")} AND n IN (SELECT n FROM t i WHERE ${on(b, "i")})`),
  fc.tuple(condition).map(([a]) => `SELECT n, e FROM t LATERAL VIEW explode(array(1, 2)) v AS e WHERE ${on(a, "")}`),
  condition.map(
    (where) => `SELECT * FROM (SELECT n, dt, h, k, count(*) OVER (PARTITION BY dt) c FROM t) s WHERE ${on(where, "s")}`,
  ),
);

const joined = fc
  .tuple(joins, keys, some, some, some, some)
  .map(
    ([join, key, a, b, c, d]) =>
      `SELECT a.n, b.n FROM t a ${join} t b ON ${key} AND ${on(a, "a")} AND ${on(b, "b")} WHERE ${on(c, "a")} AND ${on(d, "b")}`,
  );

const { partitioned, plain } = tables();

async function answer(text: string, table: TableDefinition) {
  try {
    return (await machine.run(engine, text, [table])).split("\n").toSorted();
  } catch (error) {
    return (error as Error).message;
  }
}

test.each([
  ["queries", statement],
  ["joins", joined],
])("select: a partitioned table answers as the same rows in one object, for %s", async (_, statements) => {
  let answered = 0;
  await fc.assert(
    fc.asyncProperty(statements, async (text) => {
      const expected = await answer(text, plain);
      if (Array.isArray(expected)) answered += 1;
      expect(await answer(text, partitioned)).toEqual(expected);
    }),
    { numRuns: 25 },
  );
  expect(answered).toBeGreaterThan(20);
});
