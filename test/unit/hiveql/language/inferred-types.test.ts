/** Refusals: the columns of a refused construct whose type was inferred from the data. */
import { expect, test } from "vitest";
import { HiveQLError, translate } from "../../../../hiveql/index";

const columns = [
  { name: "day", type: "date", isInferred: true },
  { name: "at", type: "timestamp", isInferred: true },
  { name: "n", type: "int", isInferred: true },
  { name: "s", type: "string" },
];
const catalog = () => ({ columns, relation: '"t"' });

const blamed = (statement: string): readonly string[] | undefined => {
  try {
    translate(statement, catalog);
  } catch (error) {
    if (error instanceof HiveQLError) return error.inferred?.map(({ table, name, type }) => `${table}.${name} ${type}`);
    throw error;
  }
  throw new Error(`${statement} was accepted`);
};

test.each([
  ["select day + s from t", ["t.day date"]],
  ["select count(*) from t where day", ["t.day date"]],
  ["select s from t union all select at from t", ["t.at timestamp"]],
  ["select concat_ws(',', s, d) from (select s, max(at) d from t group by s) q", ["t.at timestamp"]],
  ["select greatest(s, day, at) from t", ["t.day date", "t.at timestamp"]],
  ["select substring_index(s, n, 1) from t", ["t.n int"]],
  ["with w as (select x.day k from t x) select sqrt(k) from w", ["t.day date"]],
  ["select case when s = 'a' then day else array(1) end from t", ["t.day date"]],
])("%s: %j", (statement, expected) => {
  expect(blamed(statement)).toEqual(expected);
});

test.each([
  "select s from t union all select day from t",
  "select concat_ws(',', s, d) from (select s, max(day) d from t group by s) q",
  "select greatest(s, day, 'x'), nullif(day, s), nullif(s, day) from t",
])("%s: the text of a date is taken", (statement) => {
  expect(translate(statement, catalog).columns.map(({ type }) => type)).toContain("string");
});

test.each([
  "select nope(day) from t",
  "select 1 from t where n in (select n, s from t)",
  "select percentile_approx(n, 1.0) from t",
  "select cast(day as money) from t",
  "select nope from t",
  "select s + 1 from t group by s order by nope",
])("%s: no type is to blame", (statement) => {
  expect(blamed(statement) ?? []).toEqual([]);
});
