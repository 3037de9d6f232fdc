import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { HiveQLError, translate } from "../../../hiveql/index";
import { catalog, openAnswers } from "./answers";

let answers: Awaited<ReturnType<typeof openAnswers>>;
beforeAll(async () => {
  answers = await openAnswers();
});
afterAll(() => answers.close());

/** Checks the rows of each statement; without ORDER BY, they are sorted before they are compared. */
function gives(cases: readonly (readonly [statement: string, rows: readonly string[]])[]) {
  test.each(cases)("%s", async (statement, rows) => {
    const got = await answers.answer(statement);
    const isOrdered = /order by|sort by|cluster by/i.test(statement);
    expect(isOrdered ? got : got.toSorted()).toEqual(isOrdered ? rows : rows.toSorted());
  });
}

describe("select: names and columns", () => {
  gives([
    ["select * from visits where place = 'bar'", ["1|bar|1|2.50", "NULL|bar|NULL|1.00"]],
    ["select NAME from People where ID = 1", ["Ada"]],
    ["select p.*, v.n from people p join visits v on p.id = v.person where v.n > 2", ["2|Bob|red|8.0|2020-02-29|5"]],
    ["select id as x, id + 1 y from people where id < 2", ["1|2"]],
    ['select `id` from people where `name` = "Bob"', ["2"]],
    ["from people select name where id = 3", ["Cyd"]],
    ["select 1, 'a'", ["1|a"]],
    ["select count(*), max(id) from people where id < 3 group by ()", ["2|2"]],
    ["select 'x', count(*) from people where id > 100 group by () having count(*) = 0", ["x|0"]],
    ["select 'x' from people where id < 3 group by ()", ["x", "x"]],
    ["select s.a, s.b.c from (select named_struct('a', 1, 'b', named_struct('c', 'x')) s) t", ["1|x"]],
    [
      "select s.a, s.b.c, s.a[1] from (select array(named_struct('a', 1, 'b', named_struct('c', 'x')), named_struct('a', id, 'b', named_struct('c', name))) s from people where id = 2) t",
      ['[1,2]|["x","Bob"]|2'],
    ],
  ]);

  test("names columns as Hive does", () => {
    const { columns, tables } = translate(
      "select id, p.name, id + 1, count(*) as n, 'x' from people p group by id, p.name",
      catalog,
    );
    expect(columns.map((column) => column.name)).toEqual(["id", "name", "_c2", "n", "_c4"]);
    expect(tables).toEqual(["default.people"]);
  });
});

describe("select: regular expressions over columns", () => {
  const settings = { "hive.support.quoted.identifiers": "none" };

  test.each([
    ["select `n.*|id` from people where id = 1", ["1|Ada"]],
    ["select `(id|name|joined)?+.+` from people where id = 1", ["red|10.5"]],
    ["select p.`.*e`, `id` from people p where id = 2", ["Bob|2"]],
    ["select `(?!id|joined)[A-Z].*?` from people where id = 2", ["Bob|red|8.0"]],
  ])("%s", async (statement, rows) => {
    expect(await answers.answer(statement, { settings })).toEqual(rows);
  });
});

describe("select: subqueries in ON of outer joins", () => {
  const sides = (join: string) =>
    `(select 1 k, 5 m union all select 2, 6) a ${join} (select 1 k, 7 n union all select 2, 8) b`;
  gives([
    [`select a.k, n from ${sides("left join")} on a.k = b.k and b.n in (select 8)`, ["1|NULL", "2|8"]],
    [
      `select a.k, n from ${sides("left join")} on a.k = b.k and exists (select 1 from (select 7 x) c where c.x = b.n)`,
      ["1|7", "2|NULL"],
    ],
    [
      `select m, n from ${sides("right join")} on a.k = b.k and a.m > (select max(x) from (select 5 x) c)`,
      ["6|8", "NULL|7"],
    ],
  ]);
});

describe("select: USING", () => {
  const a = "(select 'x' v, 1 k, 5 m union all select 'z', 2, 5) a";
  const b = "(select 'y' w, 2 k, 6 n union all select 'q', 3, 6) b";
  gives([
    [`select * from ${a} join ${b} using (k)`, ["2|z|5|y|6"]],
    [`select * from ${a} left join ${b} using (k)`, ["1|x|5|NULL|NULL", "2|z|5|y|6"]],
    [`select * from ${a} right join ${b} using (k)`, ["2|z|5|y|6", "3|NULL|NULL|q|6"]],
    [`select * from ${a} full join ${b} using (k)`, ["1|x|5|NULL|NULL", "2|z|5|y|6", "NULL|NULL|NULL|q|6"]],
    [`select a.k, b.k, v, w from ${a} full join ${b} using (k)`, ["1|NULL|x|NULL", "2|2|z|y", "NULL|3|NULL|q"]],
    [`select a.*, '-', b.* from ${a} right join ${b} using (k)`, ["z|5|-|2|y|6", "NULL|NULL|-|3|q|6"]],
    [`select a.*, '-', b.* from ${a} join ${b} using (k)`, ["2|z|5|-|y|6"]],
    [`select w, max(a.k) from ${a} left join ${b} using (k) group by w`, ["NULL|1", "y|2"]],
    [
      "select * from (select 1 k, 'x' v) a left join (select 2 k, 'y' w) b using (k) left join (select 1 k, 'z' x) c using (k)",
      ["NULL|x|NULL|NULL"],
    ],
    [
      "select * from (select 'x' v, 2 m, 1 k) a join (select 1 k, 3 n, 'y' w) b using (k) join (select 3 n, 'z' z) c using (n)",
      ["3|x|2|1|y|z"],
    ],
    [
      "select * from (select 'x' v, 2 m, 1 k) a join (select 1 k, 3 n, 'y' w) b using (k) join (select 1 k2, 'z' z) c on b.k = c.k2",
      ["x|2|1|3|y|1|z"],
    ],
    ["select * from (select 'x' v, 1 k, 2 m) a join (select 'y' w, 1 k, 2 m) b using (m, k)", ["2|1|x|y"]],
  ]);

  test.each([
    `select k from ${a} join ${b} using (k)`,
    `select v from ${a} join ${b} using (k) where k = 1`,
    `select v from ${a} left semi join ${b} using (k)`,
    `select v from ${a} join ${b} using (v)`,
  ])("refuses %s", (statement) => {
    expect(() => translate(statement, catalog)).toThrow(HiveQLError);
  });
});

describe("select: joins", () => {
  gives([
    ["select p.id, v.place from people p join visits v on p.id = v.person", ["1|inn", "1|bar", "2|inn"]],
    ["select p.id, v.place from people p, visits v where p.id = v.person and p.id = 2", ["2|inn"]],
    [
      "select p.id, v.n from people p left join visits v on p.id = v.person and v.n > 1",
      ["1|2", "2|5", "3|NULL", "4|NULL", "5|NULL"],
    ],
    [
      "select p.id, v.person from people p right outer join visits v on p.id = v.person where v.place = 'inn'",
      ["1|1", "2|2", "NULL|9"],
    ],
    [
      "select p.id, v.person from people p full outer join visits v on p.id = v.person where p.id is null or p.id > 3",
      ["NULL|9", "NULL|NULL", "4|NULL", "5|NULL"],
    ],
    ["select name from people p left semi join visits v on p.id = v.person", ["Ada", "Bob"]],
    [
      "select name from people p where not exists (select 1 from visits v where p.id = v.person)",
      ["Cyd", "Dan", "Eve"],
    ],
    ["select count(*) from people cross join visits", ["25"]],
    ["select 7 as c, '' as d, id from people where id > 3 order by c, d desc, id desc", ["7||5", "7||4"]],
    ["select array('a')[cast(127 as tinyint)], map('1', 'x')[1]", ["NULL|x"]],
    ["select count(*) from people a join people b", ["25"]],
    [
      "select a.id, c.id from people a join people b on a.id = b.id left join people c on c.id = b.id + 4",
      ["1|5", "2|NULL", "3|NULL", "4|NULL", "5|NULL"],
    ],
    ["select count(*) from people a join people b on a.team <=> b.team", ["9"]],
    ["select /*+ mapjoin(v) */ count(*) from people p join visits v on p.id = v.person", ["3"]],
  ]);
});

describe("select: groups", () => {
  gives([
    ["select team, count(*), sum(pay) from people group by team", ["red|2|18.5", "blue|2|20.0", "NULL|1|8.0"]],
    ["select team, count(pay), avg(pay) from people group by team having count(pay) > 1", ["red|2|9.25"]],
    ["select avg(9223372036854775807) from people where id < 3", ["9.223372036854776E18"]],
    [
      "select typeof(cast('100' as smallint) / cast(id as decimal(38,18))) from people where id = 1",
      ["decimal(38,17)"],
    ],
    ["select avg(n), avg(distinct n), avg(cast(null as int)) from visits", ["3.75|3.75|NULL"]],
    [
      "select id, avg(n) over (order by n) from visits v join people p on v.person = p.id",
      ["1|1.0", "1|1.5", "2|2.6666666666666665"],
    ],
    ["select count(*), sum(pay), max(name) from people where id > 99", ["0|NULL|NULL"]],
    ["select count(distinct pay), count(distinct team, pay), sum(distinct pay) from people", ["3|3|38.5"]],
    ["select upper(team) t, min(id) from people group by upper(team) order by t", ["BLUE|3", "RED|1", "NULL|5"]],
    ["select p.team from people p group by team having max(p.id) = 5", ["NULL"]],
    ["select team, max(id) as m from people group by team having m > 2 order by m desc", ["NULL|5", "blue|4"]],
    ["select length(name), count(*) from people group by length(name)", ["3|5"]],
    [
      "select case when pay > 9 then 'high' else 'low' end, count(*) from people group by case when pay > 9 then 'high' else 'low' end",
      ["high|2", "low|3"],
    ],
    [
      "select team, pay, count(*), grouping__id from people where team is not null group by team, pay with rollup",
      [
        "blue|20.0|1|0",
        "blue|NULL|1|0",
        "red|10.5|1|0",
        "red|8.0|1|0",
        "blue|NULL|2|1",
        "red|NULL|2|1",
        "NULL|NULL|4|3",
      ],
    ],
    [
      "select team, grouping(team), count(*) from people group by team, name grouping sets ((team), ()) having grouping(team) = 1",
      ["NULL|1|5"],
    ],
    ["select count(*) from (select team from people group by cube(team, pay)) t", ["13"]],
    ["select distinct team from people order by team", ["blue", "red", "NULL"]],
  ]);

  test("a number in GROUP BY is a constant unless positions are enabled", async () => {
    await expect(answers.answer("select team, count(*) from people group by 1")).rejects.toThrow(
      "neither in GROUP BY nor inside an aggregate: GROUP BY 1 groups by the number 1, not by the column at that position: write the column in GROUP BY",
    );
    const settings = { "hive.groupby.position.alias": "true" };
    await expect(
      answers.answer("select team, count(*) c from people group by 1 order by c desc, team", { settings }),
    ).resolves.toEqual(["blue|2", "red|2", "NULL|1"]);
  });
});

describe("select: order and limit", () => {
  gives([
    ["select id from people order by pay, id", ["2", "5", "1", "4", "3"]],
    ["select id from people order by pay desc, id desc", ["3", "4", "1", "5", "2"]],
    ["select id from people order by pay asc nulls first, id", ["3", "2", "5", "1", "4"]],
    ["select id, pay from people order by 2 desc nulls last, 1 limit 2", ["4|20.0", "1|10.5"]],
    ["select id from people order by id limit 2, 2", ["3", "4"]],
    ["select id from people order by id limit 2 offset 1", ["2", "3"]],
    ["select -id as id from people order by id limit 1", ["-5"]],
    ["select name from people sort by name desc limit 1", ["Eve"]],
    ["select name from people distribute by length(name) sort by name", ["Ada", "Bob", "Cyd", "Dan", "Eve"]],
    ["select team, sum(pay) s from people group by team order by sum(pay)", ["NULL|8.0", "red|18.5", "blue|20.0"]],
  ]);
});

describe("select: subqueries and WITH", () => {
  gives([
    ["select id from people where id in (select person from visits)", ["1", "2"]],
    ["select id from people where id not in (select person from visits where person is not null)", ["3", "4", "5"]],
    ["select id from people where id not in (select person from visits)", []],
    ["select id from people p where exists (select 1 from visits v where v.person = p.id and v.n > 1)", ["1", "2"]],
    ["select id from people where pay = (select max(pay) from people)", ["4"]],
    [
      "select id, (select sum(n) from visits v where v.person = p.id) from people p where id < 4",
      ["1|3", "2|5", "3|NULL"],
    ],
    ["select t.c from (select count(*) c from people) t", ["5"]],
    [
      "with a as (select id from b where id > 1), b as (select id from people where id < 4) select * from a",
      ["2", "3"],
    ],
    ["with p as (select team from people) select count(*) from p x join p y on x.team = y.team", ["8"]],
    ["select id from people where (id, team) in ((1, 'red'), (3, 'red'))", ["1"]],
  ]);
});

describe("select: set operators", () => {
  gives([
    ["select id from people where id < 3 union all select n from visits where n < 3", ["1", "2", "2", "1"]],
    ["select team from people union select place from visits", ["red", "blue", "NULL", "inn", "bar"]],
    ["select id from people intersect select n from visits", ["1", "2", "5"]],
    ["select id from people except select n from visits", ["3", "4"]],
    ["select id from people minus select 1", ["2", "3", "4", "5"]],
    ["select 1.5 a from people where id = 1 union all select id * 9 from people where id < 3", ["1.5", "9.0", "NULL"]],
    ["select price from visits where n = 1 union select n from visits where n > 4", ["2.50", "5.00", "7.00"]],
    ["select * from (select 1 a union all select 2.5 union all select 3) t order by a", ["1.0", "2.5", "3.0"]],
    [
      "select id, name from people where id = 1 union all select id, team from people where id = 2 order by id desc",
      ["2|red", "1|Ada"],
    ],
  ]);
});

describe("select: windows", () => {
  gives([
    [
      "select id, row_number() over (order by pay desc, id), rank() over (order by pay), dense_rank() over (partition by team order by pay) from people order by id",
      ["1|3|3|2", "2|4|1|1", "3|1|5|2", "4|2|4|1", "5|5|1|1"],
    ],
    [
      "select id, sum(id) over (order by id), sum(id) over (order by id rows between 1 preceding and 1 following) from people order by id",
      ["1|1|3", "2|3|6", "3|6|9", "4|10|12", "5|15|9"],
    ],
    [
      "select id, lag(id) over (order by id), lead(name, 2, 'none') over (order by id) from people order by id limit 4",
      ["1|NULL|Cyd", "2|1|Dan", "3|2|Eve", "4|3|none"],
    ],
    [
      "select id, first_value(id) over w, count(*) over w from people window w as (partition by team order by id) order by id",
      ["1|1|1", "2|1|2", "3|3|1", "4|3|2", "5|5|1"],
    ],
    [
      "select team, sum(pay), rank() over (order by sum(pay) desc) r from people group by team order by r",
      ["blue|20.0|1", "red|18.5|2", "NULL|8.0|3"],
    ],
    [
      "select id, max(pay) over (order by cast(pay as decimal(4,1)) range between 3 preceding and current row) from people where pay is not null order by id",
      ["1|10.5", "2|8.0", "4|20.0", "5|8.0"],
    ],
    ["select * from (select id, ntile(2) over (order by id) t from people) x where t = 2", ["4|2", "5|2"]],
  ]);
});

describe("select: TABLESAMPLE", () => {
  gives([
    ["select id from people tablesample(2 rows)", ["1", "2"]],
    ["select id from people tablesample(bucket 1 out of 2 on id) order by id", ["2", "3"]],
    ["select id from people tablesample(bucket 2 out of 2 on id) p where p.id > 1 order by id", ["4", "5"]],
    [
      "select place, n from visits tablesample(bucket 2 out of 3 on place) order by n",
      ["bar|1", "inn|2", "inn|5", "inn|7", "bar|NULL"],
    ],
    ["select count(*) from people tablesample(bucket 1 out of 1 on rand())", ["5"]],
  ]);
});

describe("select: table-generating functions", () => {
  gives([
    [
      "select id, x from people lateral view explode(array(id, id * 10)) v as x where id < 3",
      ["1|1", "1|10", "2|2", "2|20"],
    ],
    [
      "select id, x from people lateral view outer explode(split(team, 'l')) v as x where id > 2",
      ["3|b", "3|ue", "4|b", "4|ue", "5|NULL"],
    ],
    ["select p, x from (select array('a', 'b') xs) t lateral view posexplode(xs) v as p, x", ["0|a", "1|b"]],
    ["select explode(map('a', 1, 'b', 2)) as (k, v)", ["a|1", "b|2"]],
    ["select stack(2, 'a', 1, 'b', 2) as (k, v)", ["a|1", "b|2"]],
    ["select inline(array(struct(1, 'x'), struct(2, 'y'))) as (n, s)", ["1|x", "2|y"]],
    [
      "select h, q from (select 'http://h.org/p?k=v' u) t lateral view parse_url_tuple(u, 'HOST', 'QUERY:k') v as h, q",
      ["h.org|v"],
    ],
  ]);
});
