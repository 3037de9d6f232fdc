import { expect, test } from "vitest";
import { parseStatement, partitionConditions, readStatement } from "../../../hiveql/index";

const columns = [
  { name: "dt", type: "string" },
  { name: "day", type: "date" },
  { name: "h", type: "int" },
  { name: "x", type: "double" },
];

/** Returns true when a condition leaves out partitions for another engine. */
function limits(where: string): boolean {
  const query = readStatement(parseStatement(`SELECT n FROM t WHERE ${where}`));
  const [only] = partitionConditions(query, () => columns, { onlyPlain: true }).values();
  return only?.sql !== undefined;
}

test.each([
  "dt = '2026-01-02'",
  "'2026-01-02' < t.dt",
  "dt IN ('a', 'b')",
  "NOT (dt <> 'a' OR dt IS NULL)",
  "day BETWEEN '2026-01-01' AND date '2026-01-31'",
  "h >= -1 AND h NOT IN (3, 4)",
  "h <=> 3",
  "dt = 'a' AND n + 1 = rand()",
  "(dt = 'a' AND n > 5) OR dt = 'b'",
])("partitionConditions: other engines decide %s as Hive does", (where) => {
  expect(limits(where)).toBe(true);
});

test.each([
  "dt = 1",
  "h = '1'",
  "h = 1.5",
  "x = 1",
  "day = '2026-1-2'",
  "day = '2026-02-30'",
  "dt = day",
  "dt = NULL",
  "dt = 'a\\\\b'",
  "dt LIKE 'a%'",
  "length(dt) = 1",
  "cast(dt AS int) = 1",
  "dt = 'a' OR n = 1",
  "dt = 'a' OR length(dt) = 2",
  "dt = concat('a', 'b')",
])("partitionConditions: other engines may decide %s differently: it leaves out nothing", (where) => {
  expect(limits(where)).toBe(false);
});
