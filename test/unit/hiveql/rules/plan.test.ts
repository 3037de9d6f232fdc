/** Statements that Hive 4.0.1 plans without its optimizer; the answers are those of Hive 4.0.1. */
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { openAnswers, refusal } from "../answers";

let hive: Awaited<ReturnType<typeof openAnswers>>;
beforeAll(async () => void (hive = await openAnswers()));
afterAll(() => hive.close());

const sorted = async (statement: string, settings: Record<string, string> = {}) =>
  (await hive.answer(statement, { settings })).toSorted();

const rows =
  "(select inline(array(struct(1, 1, 10, array(1)), struct(2, 1, cast(null as int), array(2)), struct(3, 2, 20, array(3)))) as (id, k, n, xs)) t";
const between = "k not between 5 and n";

describe("rewrites of the optimizer: apply only to statements that Hive plans with it", () => {
  it.each<[string, string[]]>([
    [`select k, count(*) as c from ${rows} where ${between} group by k having count(*) > 0`, ["1|1", "2|1"]],
    [`select k, count(*) as c from ${rows} where ${between} group by k having k > 0`, ["1|1", "2|1"]],
    [`select k, count(*) as c from ${rows} where ${between} group by k having c > 0`, ["1|2", "2|1"]],
    [`select k as key, count(*) as c from ${rows} where ${between} group by k having key > 0`, ["1|2", "2|1"]],
    [`select sum(id) as n from ${rows} where ${between} group by k having n > 0`, ["3", "3"]],
    [`select id from ${rows} where ${between} sort by id`, ["1", "3"]],
    [`select id from ${rows} where ${between} distribute by id`, ["1", "2", "3"]],
    [`select id from ${rows} where ${between} cluster by id`, ["1", "2", "3"]],
    [`select count(distinct id, k) from ${rows} where ${between}`, ["3"]],
    [`select id, x from ${rows} lateral view explode(xs) v as x where ${between}`, ["1|1", "3|3"]],
    [`select id, x from ${rows} lateral view outer explode(xs) v as x where ${between}`, ["1|1", "2|2", "3|3"]],
    [
      `select k, count(*) as c, coalesce(id / (k - 1), -1) from ${rows} group by id, k having c > 0`,
      ["1|1|-1.0", "1|1|-1.0", "2|1|3.0"],
    ],
    [
      `select k, count(*) as c, id / (k - 1) is null from ${rows} group by id, k having c > 0`,
      ["1|1|true", "1|1|true", "2|1|false"],
    ],
    [
      `select k, var_pop(id + 9000000000) as v, stddev_samp(distinct id + 9000000000) from ${rows} group by k having v >= 0`,
      ["1|0.25|0.7071067811865476", "2|0.0|NULL"],
    ],
    [
      `select avg(9223372036854775000 + n) as a from ${rows} group by k having a <> 0`,
      ["9.2233720368547748E18", "9.2233720368547748E18"],
    ],
    [
      `select cast(cast(f as string) as double) as d, count(*) as c from (select cast(0.1 as float) as f) t group by f having c > 0`,
      ["0.1|1"],
    ],
    [
      `select id from ${rows} where ${between} union all select k from ${rows} group by k having k > 0`,
      ["1", "1", "2", "3"],
    ],
    [
      `select id from ${rows} where ${between} union all select k as key from ${rows} group by k having key > 0`,
      ["1", "1", "2", "2", "3"],
    ],
  ])("%s", async (statement, expected) => {
    expect(await sorted(statement)).toEqual(expected);
  });

  it("hive.cbo.enable=false: plans without the optimizer", async () => {
    expect(await sorted(`select id from ${rows} where ${between}`, { "hive.cbo.enable": "false" })).toEqual([
      "1",
      "2",
      "3",
    ]);
  });
});

describe("grouping sets without the optimizer", () => {
  it.each<[string, string[]]>([
    [
      "select team, count(*) as c from people where id > 2 group by team with rollup having c > 0",
      ["NULL|1", "NULL|3", "blue|2"],
    ],
  ])("answers %s", async (statement, expected) => {
    expect(await sorted(statement)).toEqual(expected);
  });

  it.each([
    "select team, count(*) as c from people where team = 'red' group by team with rollup having c > 0",
    "select team, count(*) as c from people where team in ('red') group by team with rollup having c > 0",
    "select id + 1, count(*) as c from people where id = 1 group by id + 1 with rollup having c > 0",
    "select team, count(*) as c from (select team from people where team = 'red') p group by team with rollup having c > 0",
  ])("refuses %s", (statement) => {
    expect(refusal(statement)).toMatchObject({ construct: "WHERE" });
  });

  it("refuses DISTINCT with a literal as a key", () => {
    expect(
      refusal("select team, count(distinct id) as c from people group by team, 'red' with rollup having c > 0"),
    ).toMatchObject({ construct: "function count with DISTINCT" });
  });
});

describe("subqueries without the optimizer", () => {
  const grouped = (condition: string) =>
    `select id, count(*) as c from people p where ${condition} group by id having c > 0`;

  it.each([
    [grouped("id in (select n from visits)"), ["1|1", "2|1", "5|1"]],
    [grouped("id not in (select n from visits where n < 3)"), ["3|1", "4|1", "5|1"]],
    [grouped("not exists (select 1 from visits v where v.n = p.id)"), ["3|1", "4|1"]],
    [grouped("id = any (select n from visits)"), ["1|1", "2|1", "5|1"]],
  ])("answers %s", async (statement, expected) => {
    expect(await sorted(statement)).toEqual(expected);
  });

  it.each([
    grouped("id < any (select n from visits)"),
    grouped("id <> all (select n from visits where n < 3)"),
    grouped("id > (select min(n) from visits)"),
    grouped("id not in (select v.n from visits v where v.person = p.name)"),
    grouped("id = 3 or exists (select 1 from visits v where v.n = p.id)"),
  ])("refuses %s", (statement) => {
    expect(refusal(statement)).toMatchObject({ construct: "subquery" });
  });
});

describe("IN of several columns: NULL in one of them", () => {
  const condition = "not ((team, name) in (('red', 'Ada'), ('red', 'Eve')))";

  it("is NULL with the optimizer, which compares the columns separately", async () => {
    expect(await sorted(`select id from people where ${condition}`)).toEqual(["2", "3", "4"]);
  });

  it("equals nothing without the optimizer", async () => {
    const statement = `select id, count(*) as c from people where ${condition} group by id having c > 0`;
    expect(await sorted(statement)).toEqual(["2|1", "3|1", "4|1", "5|1"]);
  });
});
