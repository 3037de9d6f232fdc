import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { openAnswers } from "./answers";

/* Hive 4.0.1 answers each of these statements so, in this order of rows. */

let hive: Awaited<ReturnType<typeof openAnswers>>;
beforeAll(async () => {
  hive = await openAnswers();
});
afterAll(() => hive.close());

function answers(cases: readonly (readonly [statement: string, rows: readonly string[]])[]) {
  test.each(cases)("%s", async (statement, rows) => {
    expect(await hive.answer(statement)).toEqual(rows);
  });
}

const texts = "(select id, cast(id as string) s, cast(id as double) d, concat(id, '.0') t from people) p";

describe("joins: compare keys of different types as double", () => {
  answers([
    [`select p.id, v.n from ${texts} join visits v on v.n = p.s order by p.id`, ["1|1", "2|2", "5|5"]],
    [`select p.id, v.n from ${texts} join visits v on v.n = p.t order by p.id`, ["1|1", "2|2", "5|5"]],
    [`select p.id, v.n from ${texts} join visits v on (p.d = v.n and p.id > 1) order by p.id`, ["2|2", "5|5"]],
    [
      "select p.id, v.price from (select id, concat(id + 0.5D, '00') t from people) p join visits v on v.price = p.t",
      ["2|2.50"],
    ],
    ["select p.id from people p join visits v on v.n <=> p.name order by p.id", ["1", "2", "3", "4", "5"]],
    ["select p.id from people p left semi join visits v on v.n = p.name", []],
  ]);
});

describe("table-generating functions: keep the order of rows and elements", () => {
  answers([
    [
      "select x from people lateral view posexplode(split(concat(name,'-b-c'),'-')) e as i, x limit 4",
      ["Ada", "b", "c", "Bob"],
    ],
    [
      "select x from people lateral view explode(split(concat(name,'-b'),'-')) e as x",
      ["Ada", "b", "Bob", "b", "Cyd", "b", "Dan", "b", "Eve", "b"],
    ],
    ["select explode(array(id, 9)) v from people limit 3", ["1", "9", "2"]],
    [
      "select concat_ws(',', collect_list(x)) from (select name from people) p lateral view explode(split(concat(name, '-z'), '-')) e as x",
      ["Ada,z,Bob,z,Cyd,z,Dan,z,Eve,z"],
    ],
    [
      "select id, x, y from people lateral view explode(array(id, id+1)) a as x lateral view explode(array(x, 7)) b as y limit 6",
      ["1|1|1", "1|1|7", "1|2|2", "1|2|7", "2|2|2", "2|2|7"],
    ],
    [
      "select p.id, x from people p lateral view explode(array(upper(name))) e as x where p.id > 2 and x <> 'EVE'",
      ["3|CYD", "4|DAN"],
    ],
    [
      "select id, x from people lateral view outer explode(case when id % 2 = 0 then array(id, 9) end) a as x",
      ["1|NULL", "2|2", "2|9", "3|NULL", "4|4", "4|9", "5|NULL"],
    ],
    [
      "select id, p, x from people lateral view outer posexplode(case when id % 2 = 0 then array(id, 9) end) a as p, x",
      ["1|NULL|NULL", "2|0|2", "2|1|9", "3|NULL|NULL", "4|0|4", "4|1|9", "5|NULL|NULL"],
    ],
    [
      "select id, k, v from people lateral view outer explode(case when id = 2 then map(name, id) end) a as k, v",
      ["1|NULL|NULL", "2|Bob|2", "3|NULL|NULL", "4|NULL|NULL", "5|NULL|NULL"],
    ],
    [
      "select id, x, y from people lateral view outer inline(case when id = 4 then array(struct(id, name)) end) a as x, y",
      ["1|NULL|NULL", "2|NULL|NULL", "3|NULL|NULL", "4|4|Dan", "5|NULL|NULL"],
    ],
    [
      "select id, b, c from people lateral view json_tuple(concat('{\"b\":', id, ',\"c\":\"', name, '\"}'), 'b', 'c') j as b, c limit 2",
      ["1|1|Ada", "2|2|Bob"],
    ],
  ]);
});

describe("order", () => {
  answers([
    ["select pay from people cluster by pay", ["NULL", "8.0", "8.0", "10.5", "20.0"]],
    ["select team from people distribute by team sort by team", ["blue", "blue", "red", "red", "NULL"]],
    ["select pay from (select pay from people cluster by pay) p", ["NULL", "8.0", "8.0", "10.5", "20.0"]],
    ["select collect_list(id) from (select id, -id as m from people cluster by m) p", ["[5,4,3,2,1]"]],
    ["select collect_list(id) from (select id, -id as m from people sort by m) p", ["[1,2,3,4,5]"]],
  ]);
});

describe("dates: a text that is no date compares as NULL", () => {
  answers([
    ["select id from people where joined <> '9999-99-99'", []],
    ["select id from people where joined <=> '9999-99-99'", ["4"]],
    ["select id from people where not (joined = '9999-99-99')", []],
    ["select id from people where joined between '2020-01-01' and '9999-99-99'", []],
    ["select id from people where joined in ('2020-01-15', '9999-99-99')", ["1"]],
    ["select id, joined = '9999-99-99', joined > 'abc' from people where id in (1, 4)", ["1|NULL|NULL", "4|NULL|NULL"]],
  ]);
});

describe("functions", () => {
  answers([
    [
      "select id, count() over (), count() over (partition by team) from people order by id limit 2",
      ["1|5|2", "2|5|2"],
    ],
    [
      "select collect_set(named_struct('a', team, 'b', array(id % 2))) from people where id < 4",
      ['[{"a":"red","b":[1]},{"a":"red","b":[0]},{"a":"blue","b":[1]}]'],
    ],
    ["select collect_set(array(team)) from people where id < 4", ['[["red"],["blue"]]']],
    [
      "select from_utc_timestamp(1600000000000, 'GMT+8'), to_utc_timestamp(1600000000, 'GMT+8'), from_utc_timestamp(cast(-5 as bigint), 'PST')",
      ["2020-09-13 20:26:40|1970-01-19 04:26:40|1969-12-31 15:59:59.995"],
    ],
  ]);
});

test("collect_set: does not compare each of 50,000 values with all others, which takes minutes", async () => {
  const numbers = "(select explode(split(repeat('a,', 50000), ',')) as x) t";
  expect(
    await hive.answer(`select size(collect_set(concat(x, rand()))), size(collect_set(x)) from ${numbers}`),
  ).toEqual(["50001|2"]);
});

test("subquery: of several rows fails the query in Hive's terms", async () => {
  await expect(hive.answer("select id, (select n from visits) from people")).rejects.toThrow(
    "HiveQL: the subquery at 1:12 returns more than one row",
  );
  await expect(
    hive.answer("select id from people p where id = (select n from visits v where v.place = 'inn')"),
  ).rejects.toThrow("returns more than one row");
  expect(
    await hive.answer("select id, (select n from visits v where v.n = p.id + 6) from people p where id < 3"),
  ).toEqual(["1|7", "2|NULL"]);
  expect(
    await hive.answer("select id from people where id = (select n from visits order by n desc nulls last limit 1) - 2"),
  ).toEqual(["5"]);
});
