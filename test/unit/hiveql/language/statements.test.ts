/** Statements that the optimizer of Hive 4.0.1 answers in another way in some plans: here a statement has one answer. */
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { openAnswers } from "../answers";

let hive: Awaited<ReturnType<typeof openAnswers>>;
beforeAll(async () => void (hive = await openAnswers()));
afterAll(() => hive.close());

const sorted = async (statement: string, settings: Record<string, string> = {}) =>
  (await hive.answer(statement, { settings })).toSorted();

const rows =
  "(select inline(array(struct(1, 1, 10, array(1)), struct(2, 1, cast(null as int), array(2)), struct(3, 2, 20, array(3)))) as (id, k, n, xs)) t";
const between = "k not between 5 and n";

describe("statement: has the same answer whatever clauses stand around it", () => {
  it.each<[string, string[]]>([
    [`select k, count(*) as c from ${rows} where ${between} group by k having count(*) > 0`, ["1|2", "2|1"]],
    [`select k, count(*) as c from ${rows} where ${between} group by k having c > 0`, ["1|2", "2|1"]],
    [`select k as key, count(*) as c from ${rows} where ${between} group by k having key > 0`, ["1|2", "2|1"]],
    [`select id from ${rows} where ${between} sort by id`, ["1", "2", "3"]],
    [`select id from ${rows} where ${between} distribute by id`, ["1", "2", "3"]],
    [`select count(distinct id, k) from ${rows} where ${between}`, ["3"]],
    [`select id, x from ${rows} lateral view explode(xs) v as x where ${between}`, ["1|1", "2|2", "3|3"]],
    [`select id, x from ${rows} lateral view outer explode(xs) v as x where ${between}`, ["1|1", "2|2", "3|3"]],
    [
      `select k, var_pop(id + 9000000000) as v, stddev_samp(distinct id + 9000000000) from ${rows} group by k`,
      ["1|0.25|0.7071067811865476", "2|0.0|NULL"],
    ],
    [
      `select avg(9223372036854775000 + n) as a from ${rows} group by k`,
      ["9.2233720368547748E18", "9.2233720368547748E18"],
    ],
    [
      `select id from ${rows} where ${between} union all select k from ${rows} group by k having k > 0`,
      ["1", "1", "2", "2", "3"],
    ],
    [
      "select id, cast(a as string) as s, length(cast(b as string)) from chars where a = 'Bob' and b = 'x'",
      ["2|Bob|1"],
    ],
  ])("%s", async (statement, expected) => {
    expect(await sorted(statement)).toEqual(expected);
    expect(await sorted(statement, { "hive.cbo.enable": "false", "hive.optimize.ppd": "false" })).toEqual(expected);
  });
});

describe("subqueries in conditions", () => {
  it.each([
    ["id in (select n from visits)", ["1", "2", "5"]],
    ["id not in (select n from visits where n < 3)", ["3", "4", "5"]],
    ["not exists (select 1 from visits v where v.n = p.id)", ["3", "4"]],
    ["id = any (select n from visits)", ["1", "2", "5"]],
    ["id < any (select n from visits)", ["1", "2", "3", "4", "5"]],
    ["id <> all (select n from visits where n < 3)", ["3", "4", "5"]],
    ["id <> all (select n from visits)", []],
    ["id >= all (select n from visits)", []],
    ["id >= all (select n from visits where n < 3)", ["2", "3", "4", "5"]],
    ["not id < all (select n from visits where n > 2 or n is null)", ["5"]],
    ["id > (select min(n) from visits)", ["2", "3", "4", "5"]],
    ["id not in (select v.n from visits v where v.person = p.name)", ["1", "2", "3", "4", "5"]],
    ["id = 3 or exists (select 1 from visits v where v.n = p.id)", ["1", "2", "3", "5"]],
    ["not exists (select 1 from visits v where v.n = p.id + 1) and id in (select n from visits)", ["2", "5"]],
  ])("%s", async (condition, ids) => {
    expect(await sorted(`select id from people p where ${condition}`)).toEqual(ids);
    expect(await sorted(`select id, count(*) as c from people p where ${condition} group by id having c > 0`)).toEqual(
      ids.map((id) => `${id}|1`),
    );
  });
});

describe("NULL in one of several columns", () => {
  it("IN: a row that contains NULL equals nothing", async () => {
    const condition = "not ((team, name) in (('red', 'Ada'), ('red', 'Eve')))";
    expect(await sorted(`select id from people where ${condition}`)).toEqual(["2", "3", "4", "5"]);
  });

  it("OR of equalities: is NULL when neither side is known", async () => {
    const condition = "(team = 'red' and name = 'Ada') or (team = 'red' and name = 'Eve')";
    expect(await sorted(`select id from people where (${condition}) is null`)).toEqual(["5"]);
  });
});

it("grouping sets: a key that WHERE fixes is NULL in the grand total", async () => {
  expect(await sorted("select team, count(*) as c from people where team = 'red' group by team with rollup")).toEqual([
    "NULL|2",
    "red|2",
  ]);
});
