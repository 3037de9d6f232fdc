import { describe, expect, test } from "vitest";
import { translate } from "../../../hiveql/index";
import { catalog, refusal } from "./answers";

/* Hive 4.0.1 refuses each of these statements. */

describe("comparison: refuses types that may lose digits, as hive.strict.checks.type.safety demands", () => {
  test.each([
    ["select 1 from visits where n = person", "="],
    ["select 1 from visits where n > '1'", ">"],
    ["select 1 from visits where price <=> '1'", "<=>"],
    ["select 1 from visits where n <> 1e0", "<>"],
    ["select 1 from visits where price is distinct from person", "is distinct from"],
    ["select 1 from visits v join people p where v.n = p.name", "="],
    ["select 1 from visits v join people p on v.n > p.name", ">"],
    ["select 1 from visits v join people p on v.n = p.name or v.n = p.id", "="],
    ["select 1 from visits v join people p on not (v.n <> p.name)", "="],
    ["select 1 from people p join visits v join empty e on v.n + p.id = e.a and v.n + e.a = p.name", "="],
    ["select 1 from people p where exists (select 1 from visits v where v.n = p.name)", "="],
    ["select 1 from (select n as k from visits) a join (select name as k from people) b using (k)", "USING"],
  ])("%s", (statement, construct) => {
    const error = refusal(statement);
    expect(error).toMatchObject({ problem: "semantic", construct });
    expect(error.message).toContain("cast one of them");
    for (const settings of [{ "hive.strict.checks.type.safety": "false" }, { "hive.mapred.mode": "nonstrict" }])
      expect(() => translate(statement, catalog, { settings })).not.toThrow();
  });

  test.each(["=", "<=>"])("refuses to join booleans with other types by %s", (operator) => {
    const statement = `select 1 from visits v join (select id > 1 as f from people) p on p.f ${operator} v.person`;
    expect(refusal(statement)).toMatchObject({ problem: "semantic", construct: operator });
  });

  test.each([
    "select 1 from visits where n = 1 and price = n and price = 1e0",
    "select 1 from people where id = '1' and id = pay",
    "select 1 from visits where n in ('1', '2') or n between '1' and '2'",
    "select case n when '1' then 1 end from visits",
  ])("accepts %s", (statement) => {
    expect(() => translate(statement, catalog)).not.toThrow();
  });
});

describe("GROUP BY: refuses the column of a key that is a conversion to the type that the column has", () => {
  test.each([
    ["select n, count(*) from visits group by cast(n as int)", "column n"],
    ["select v.n, count(*) from visits v group by +v.n", "column v.n"],
    ["select concat(name, 'x') from people group by cast(name as string)", "column name"],
    ["select count(*) from visits group by cast(n as int) having n > 1", "column n"],
    ["select count(*) from visits group by cast(n as int) order by n", "column n"],
  ])("%s", (statement, construct) => {
    expect(refusal(statement)).toMatchObject({ problem: "semantic", construct });
  });

  test.each([
    "select cast(n as int), count(*) from visits group by cast(n as int) having cast(n as int) > 1",
    "select cast(n as int) as n, count(*) from visits group by cast(n as int) having n > 1 order by n",
    "select cast(n as int), n + 1 from visits group by n having n > 0",
    "select n from visits group by cast(n as int), n",
  ])("accepts %s", (statement) => {
    expect(() => translate(statement, catalog)).not.toThrow();
  });
});

describe("subquery: refuses columns of the outer query outside of its WHERE", () => {
  test.each([
    ["select person from visits where person in (select person from people)", "column person"],
    ["select id from people p where p.id in (select p.id from visits)", "column p.id"],
    ["select id from people where id in (select max(id) from visits)", "column id"],
    ["select id from people p where exists (select v.n, p.name from visits v where v.n = p.id + 0)", "column p.name"],
    ["select id, (select p.id from visits limit 1) from people p", "column p.id"],
    [
      "select id from people p where exists (select 1 from visits v group by v.place having max(v.n) > p.id)",
      "column p.id",
    ],
  ])("%s", (statement, construct) => {
    expect(refusal(statement)).toMatchObject({ problem: "semantic", construct });
  });
});

describe("select: refuses to sort or distribute the rows of a table-generating function", () => {
  test.each(["SORT BY", "DISTRIBUTE BY", "CLUSTER BY"])("%s", (construct) => {
    const statement = `select explode(array(id, 2)) v from people ${construct} v`;
    expect(refusal(statement)).toMatchObject({ problem: "semantic", construct });
  });
});

describe("function: refuses arguments that Hive refuses, and names their type", () => {
  test.each([
    ["select abs(cast('1' as varchar(3)))", "function abs", "varchar(3)"],
    ["select count(id, name) from people", "function count", "DISTINCT"],
    ["select stddev(cast(name as varchar(3))) from people", "function stddev", "varchar"],
    ["select lpad('a', 5L, 'b')", "function lpad", "int"],
    ["select rpad('a', null, 'b')", "function rpad", "NULL"],
    ["select repeat('a', 5L)", "function repeat", "int"],
    ["select round(1.5, cast(null as int))", "function round", "NULL"],
    ["select factorial(5L)", "function factorial", "int"],
    ["select shiftleft(1, 5L)", "function shiftleft", "int"],
    ["select char_length(null)", "function char_length", "void"],
    ["select initcap(null)", "function initcap", "void"],
    ["select substring_index('a', null, 1)", "function substring_index", "void"],
    ["select substr(id > 1, 1) from people", "function substr", "boolean"],
    ["select hex(interval '1' day)", "function hex", "interval_day_time"],
    ["select md5(true)", "function md5", "boolean"],
    ["select unhex(true)", "function unhex", "boolean"],
    ["select sha2('a', 256L)", "function sha2", "bigint"],
    ["select cbrt('8')", "function cbrt", "string"],
    ["select format_number('8', 1)", "function format_number", "string"],
    ["select format_number(3Y, 1)", "function format_number", "tinyint"],
    ["select format_number(3, 1L)", "function format_number", "bigint"],
    ["select boolean(id > 1) from people", "function boolean", "boolean"],
    ["select abs(null)", "function abs", "void"],
    ["select printf(cast(null as boolean))", "function printf", "string"],
    ["select v.* from people lateral view stack(2, 1, 'x') v", "function stack", "string"],
    ["select v.* from people lateral view stack(2L, 1, 2) v", "function stack", "int"],
    [
      "select v.* from people lateral view parse_url_tuple(cast(name as varchar(3)), 'HOST') v",
      "function parse_url_tuple",
      "varchar(3)",
    ],
    ["select v.* from people lateral view json_tuple(1, 'a') v", "function json_tuple", "int"],
  ])("%s", (statement, construct, part) => {
    const error = refusal(statement);
    expect(error).toMatchObject({ problem: "semantic", construct });
    expect(error.message).toContain(part);
  });

  test("json_tuple and parse_url_tuple: refuse keys that are not literals, of which Hive reads the first row only", () => {
    for (const name of ["json_tuple", "parse_url_tuple"])
      expect(refusal(`select v.* from people lateral view ${name}(name, team) v`)).toMatchObject({
        problem: "unsupported",
        construct: `function ${name}`,
      });
  });
});

describe("aggregates: refuse types that Hive cannot add or compare", () => {
  test.each([
    ["select sum(null) from people", "function sum"],
    ["select avg(null) over () from people", "function avg"],
    ["select max(id) over (order by null) from people", "ORDER BY in OVER"],
    ["select count(*) over (order by id, null desc) from people", "ORDER BY in OVER"],
    [
      "select first_value(id) over (order by x range unbounded preceding) from (select null x, 1 id) t",
      "ORDER BY in OVER",
    ],
    ["select sum(x) from (select null as x) t", "function sum"],
    ["select min(distinct struct(map('a', id))) from people", "function min"],
    ["select max(struct(array(map('a', id)))) from people", "function max"],
  ])("%s", (statement, construct) => {
    expect(refusal(statement)).toMatchObject({ problem: "semantic", construct });
  });
});

test("ORDER BY NULL in OVER: is accepted without a frame", () => {
  expect(() =>
    translate(
      "select row_number() over (order by null), lead(id) over (order by null), sum(id) over (order by null rows unbounded preceding), sum(id) over (order by null range between unbounded preceding and unbounded following) from people",
      catalog,
    ),
  ).not.toThrow();
});

describe("prefix operators: two in a row are refused", () => {
  test.each([
    ["select - -1", "- -"],
    ["select - - id from people", "- -"],
    ["select ~ -id from people", "~ -"],
    ["select + + 1.5", "+ +"],
    ["select not not true", "NOT NOT"],
    ["select 1 from people where ! ! true", "NOT NOT"],
  ])("%s", (statement, construct) => {
    expect(refusal(statement)).toMatchObject({ problem: "semantic", construct });
  });

  test("accepts them with parentheses", () => {
    expect(() => translate("select -(-id), ~(-id), 1 - -1, not (not true) from people", catalog)).not.toThrow();
  });
});

describe("lead, lag and ntile: refuse numbers of rows that Hive refuses", () => {
  test.each([
    ["select lead(id, -1) over (order by id) from people", "function lead"],
    ["select lead(id, 0) over (order by id) from people", "function lead"],
    ["select lag(id, 1L) over (order by id) from people", "function lag"],
    ["select lag(id, null) over (order by id) from people", "function lag"],
    ["select ntile(2L) over (order by id) from people", "function ntile"],
  ])("%s", (statement, construct) => {
    expect(refusal(statement)).toMatchObject({ problem: "semantic", construct });
  });
});

describe("windows and groups: refuse what Hive refuses", () => {
  test.each([
    ["select rank() over (order by id rows between 1 preceding and current row) from people", "function rank"],
    ["select lag(id) over (order by id range between unbounded preceding and current row) from people", "function lag"],
    ["select team, count(*) from people group by team grouping sets (())", "GROUPING SETS"],
    ["select team, 1 as one from people group by team having one is not null", "column one"],
    ["select team, grouping(team) from people group by team with rollup order by grouping(team)", "function grouping"],
    ["select team from people group by team, id with rollup order by grouping(team, id) + 1", "function grouping"],
    ["select team from people group by team with rollup sort by grouping(team)", "function grouping"],
    [
      "select team from people group by team with rollup order by case when grouping(team) = 1 then 1 end",
      "function grouping",
    ],
  ])("%s", (statement, construct) => {
    expect(refusal(statement)).toMatchObject({ problem: "semantic", construct });
  });

  test("accepts the whole partition as the frame of functions without a frame", () => {
    const frame = "rows between unbounded preceding and unbounded following";
    expect(() => translate(`select rank() over (order by id ${frame}) from people`, catalog)).not.toThrow();
  });

  test.each([
    "select team, grouping(team) g from people group by team with rollup order by g",
    "select team from people group by team with rollup having grouping(team) = 1 order by grouping__id",
    "select rank() over (order by grouping(team)) from people group by team with rollup",
  ])("accepts grouping in %s", (statement) => {
    expect(() => translate(statement, catalog)).not.toThrow();
  });
});

describe("sort, distribute and cluster by: refuse columns that are not selected", () => {
  test.each([
    ["select id from people sort by name", "SORT BY"],
    ["select p.id from people p distribute by p.name", "DISTRIBUTE BY"],
    ["select id as n from people cluster by id", "CLUSTER BY"],
    ["select team as name, id from people p sort by p.name", "SORT BY"],
    ["select team, count(*) from people group by team sort by count(*)", "SORT BY"],
    ["select id from (select id from people distribute by team) q", "DISTRIBUTE BY"],
  ])("%s", (statement, construct) => {
    expect(refusal(statement)).toMatchObject({ problem: "semantic", construct });
  });

  test.each([
    "select * from people sort by name, team",
    "select p.id, p.name from people p distribute by p.id + 1 sort by upper(p.name)",
    "select team, count(*) as n from people group by team cluster by n",
    "select id as n from people sort by n, 1",
  ])("accepts %s", (statement) => {
    expect(() => translate(statement, catalog)).not.toThrow();
  });
});

describe("order by: refuses numbers that are not positions", () => {
  test.each([
    ["select id from people order by 1.5", "ORDER BY 1.5"],
    ["select team, count(*) from people group by team order by 1e0", "ORDER BY 1e0"],
    ["select id from people union all select 1 order by 2.0", "ORDER BY 2.0"],
  ])("%s", (statement, construct) => {
    expect(refusal(statement)).toMatchObject({ problem: "semantic", construct });
  });

  test("accepts numbers with a suffix, and any number in SORT BY and CLUSTER BY, which have no positions", () => {
    const statements = [
      "select id from people order by 2L",
      "select id from people sort by 2",
      "select id from people cluster by 0",
    ];
    for (const statement of statements) expect(() => translate(statement, catalog)).not.toThrow();
  });
});

describe("having: refuses aliases of expressions over groups", () => {
  test.each([
    ["select team, count(*) + 1 as c from people group by team having c > 2", "column c"],
    ["select team, round(avg(id), 1) as c from people group by team having count(*) > 1 and c > 2", "column c"],
    ["select concat(team, 'x') as c, count(*) from people group by team having not (c = 'redx')", "column c"],
    ["select team, 5 as c from people group by team having count(*) > 1 and c > 2", "column c"],
    ["select max(id) as c from people having c > 2", "HAVING"],
  ])("%s", (statement, construct) => {
    expect(refusal(statement)).toMatchObject({ problem: "semantic", construct });
  });

  test.each([
    "select team, avg(id) as c from people group by team having c > 2 and count(*) > 1",
    "select concat(team, 'x') as c from people group by concat(team, 'x') having c = 'redx' or c is null",
    "select 1 from people having max(id) > 2",
  ])("accepts %s", (statement) => {
    expect(() => translate(statement, catalog)).not.toThrow();
  });
});

describe("join: refuses a lateral view on either side", () => {
  test.each([
    "select 1 from people p lateral view explode(array(1)) v as x join visits b on p.id = b.n",
    "select 1 from visits b, people p lateral view outer explode(array(1)) v as x",
  ])("%s", (statement) => {
    expect(refusal(statement)).toMatchObject({ problem: "semantic", construct: "JOIN" });
  });
});

describe("any and all: refuse comparisons that Hive does not support", () => {
  test.each([
    ["select 1 from people where id = all (select n from visits)", "= ALL"],
    ["select 1 from people where id <> any (select n from visits)", "<> ANY"],
  ])("%s", (statement, construct) => {
    expect(refusal(statement)).toMatchObject({ problem: "semantic", construct });
  });
});

describe("set operators: refuse columns without a common type", () => {
  test.each([
    ["select cast(name as varchar(3)) from people union all select id from people", "UNION ALL", "varchar(3)"],
    ["select name from people union select id > 1 from people", "UNION", "boolean"],
    ["select array(1) union all select array(1L)", "UNION ALL", "array<bigint>", "array(), map()"],
    ["select array(1) union all select null", "UNION ALL", "void", "array(), map()"],
    ["select id > 1 from people except select 1", "EXCEPT", "boolean"],
    ["select 1.5 union all select 12", "UNION ALL", "decimal(2,1)"],
    ["select 'x' union select 3", "UNION", "string"],
    ["select 3 union all select 'x'", "UNION ALL", "string"],
    ["select name from people union all select pay from people", "UNION ALL", "double"],
    ["select joined from people union all select name from people", "UNION ALL", "date"],
    ["select name from people intersect select id from people", "INTERSECT", "string"],
    ["select '3' union select 3 union select 'x'", "UNION", "int"],
    ["select 1.5 from people union all select 12 from people", "UNION ALL", "decimal(2,1)"],
  ])("%s", (statement, construct, type, remedy = "cast one of") => {
    const error = refusal(statement);
    expect(error).toMatchObject({ problem: "semantic", construct });
    expect(error.message).toContain(type);
    expect(error.message).toContain(remedy);
  });
});

describe("CASE WHEN: needs a boolean, and does not convert other types", () => {
  test.each(["id", "name", "pay", "null", "count(*)", "nvl(id, null)", "id & 1"])("%s", (condition) => {
    const error = refusal(`select case when ${condition} then 1 else 2 end from people`);
    expect(error).toMatchObject({ problem: "semantic", construct: "WHEN" });
    expect(error.reason).toContain("write a comparison");
  });

  test("takes a boolean that is NULL, and the conditions of AND and WHERE still convert", () => {
    for (const condition of ["cast(null as boolean)", "id in (1, 2) and pay"])
      expect(() => translate(`select case when ${condition} then 1 end from people where id`, catalog)).not.toThrow();
  });
});
