import { describe, expect, test } from "vitest";
import { functionsNamed } from "../../../hiveql/functions";
import { otherDialects } from "../../../hiveql/functions/other-dialects";
import { notes, refusal } from "./answers";

describe("translate: refuses unsupported constructs with their position", () => {
  test.each([
    ["select reflect('java.lang.Math', 'random')", "function reflect", 1, 8],
    ["select id,\n  frobnicate(id) from people", "function frobnicate", 2, 3],
    ["select cast('2020-01-15' as date format 'yyyy-mm-dd')", "CAST … FORMAT", 1, 8],
    ["select id from people where id > 1 = 'true'", "=", 1, 32],
    ["select * from people tablesample(10 percent)", "TABLESAMPLE by size", 1, 22],
    ["select greatest(true, 1, pay) from people", "function greatest", 1, 8],
    [
      "select 1, count(*) from people group by case 1 when 1 then 2 end, id with rollup",
      "GROUP BY with grouping sets",
      1,
      41,
    ],
    ["select id, count(*) from people group by id, id with rollup", "GROUP BY with grouping sets", 1, 46],
    [
      "select id, p.id from people p group by id, p.id grouping sets ((id), (p.id))",
      "GROUP BY with grouping sets",
      1,
      46,
    ],
    ["select 1 from people where joined between 1 and 20240101", "BETWEEN", 1, 35],
    ["select 1 from people where 1", "WHERE", 1, 28],
    ["select 'a' rlike '(?<=x+)a'", "RLIKE '(?<=x+)a'", 1, 12],
    ["select _UTF-8 0xFF41", "character set literal", 1, 8],
    [
      "select sum(lag(id)) over (order by id rows between 1 following and unbounded following) from people",
      "function lag",
      1,
      12,
    ],
    ["select cast(1 as timestamp)", "cast of int to timestamp", 1, 8],
    ["select * from matchpath(on people partition by id)", "table function matchpath", 1, 15],
    ["select * from people tablesample(bucket 1 out of 2 on id, id)", "TABLESAMPLE of buckets", 1, 22],
    ["select `(?u)x` from people", "columns `(?u)x`", 1, 8],
    ["select * from people natural join people p", "NATURAL JOIN", 1, 22],
    ["select * from (select 1 x) NATURAL left join people p on x = id", "NATURAL JOIN", 1, 28],
    [
      "select 1 from people p full join visits v on p.id = v.person and v.n in (select n from visits)",
      "a subquery in ON of FULL JOIN",
      1,
      70,
    ],
    [
      "select 1 from people p left join visits v on p.id = v.person and p.id in (select n from visits)",
      "a subquery in ON of LEFT JOIN",
      1,
      71,
    ],
    [
      "select 1 from people p left semi join visits v on p.id = v.n and exists (select 1 from visits x where x.n = p.id and x.n = v.n)",
      "a subquery in ON of LEFT SEMI JOIN",
      1,
      66,
    ],
    [
      "select 1 from people p left semi join visits v on p.id = v.n and 5 in (select n from visits)",
      "a subquery in ON of LEFT SEMI JOIN",
      1,
      68,
    ],
    [
      "select 1 from people p right join visits v on p.id = v.person and exists (select 1 from visits x where x.n = p.id and x.n = v.n)",
      "a subquery in ON of RIGHT JOIN",
      1,
      67,
    ],
    ["select format_number(id, '0.0%') from people", "function format_number", 1, 8],
    ["select format_number(id, '0000') from people", "function format_number", 1, 8],
  ])("%s", (statement, construct, line, column) => {
    const settings: Record<string, string> = statement.includes("`")
      ? { "hive.support.quoted.identifiers": "none" }
      : {};
    const error = refusal(statement, settings);
    expect(error).toMatchObject({ problem: "unsupported", line, column, construct });
    expect(error.message).toContain("the embedded engine");
  });

  test.each([
    ["select substrr('a', 1)", "1:8 function substrr: is not known. Did you mean `substr`?"],
    ["select lpda('a', 3, 'b')", "1:8 function lpda: is not known. Did you mean `lpad`?"],
    [
      "select x from people lateral view explod(array(1)) v as x",
      "1:35 function explod: is not known. Did you mean `explode`?",
    ],
    [
      "select x from people lateral view split(name, 'a') v as x",
      "1:35 function split: generates no rows: write explode(array) or explode(map)",
    ],
    [
      "select concat_ws(' ', to_date('2026-01-01'), 'a')",
      "1:8 function concat_ws: expects strings and arrays of strings, got date: cast it to string",
    ],
    [
      "select naem from people",
      "1:8 column naem: does not exist; did you mean `name`? The columns are id, name, team, pay, joined",
    ],
    [
      "select p.joinde from people p",
      "1:10 column p.joinde: does not exist; did you mean `joined`? p has id, name, team, pay, joined",
    ],
    [
      "select peple.id from people",
      "1:14 column peple.id: does not exist; did you mean `people`? The columns are id, name, team, pay, joined",
    ],
    [
      "with newest as (select 1 a) select * from newst",
      "1:43 table default.newst: does not exist. Did you mean `newest`?",
    ],
    [
      "select named_struct('price', 1).prise",
      "1:33 field prise: does not exist in struct<price:int>. Did you mean `price`?",
    ],
  ])("%s: suggests the nearest name", (statement, message) => {
    expect(refusal(statement).message).toBe(message);
  });

  test.each([
    ["select salary from people", "1:8 column salary: does not exist; the columns are id, name, team, pay, joined"],
    ["select x from people", "1:8 column x: does not exist; the columns are id, name, team, pay, joined"],
  ])("%s: suggests no name that is not near", (statement, message) => {
    expect(refusal(statement).message).toBe(message);
  });

  test.each([
    [
      "select `(id|name)?+.+` from people",
      "1:8 column (id|name)?+.+: does not exist; for a regular expression over column names, set hive.support.quoted.identifiers=none",
    ],
    [
      "select 1 from visits pay where exists (select 1 from people w where w.name = pay.person)",
      "1:82 field person: is read from double, which has no fields: `pay` is a column here, so give the outer query's `pay` another alias",
    ],
    [
      "select printf('%x', 1)",
      "1:8 function printf: has the directive %x: write %s with hex(value); the embedded engine does not support this",
    ],
    [
      "select joined in (1, date '2026-01-02') from people",
      "1:15 IN: compares a date with a number, which Hive compares as texts: write the date, as in DATE '2026-01-31'; the embedded engine does not support this",
    ],
    [
      "select nullif(joined, '2026-01-01') from people",
      "1:8 function nullif: cannot compare date with string: cast one of them",
    ],
    [
      "select distinct id from people order by pay",
      "1:41 ORDER BY: with SELECT DISTINCT can use selected columns only: sort in a query around it",
    ],
    [
      "select sum(id) over (order by id range between 1.5 preceding and current row) from people",
      "1:8 window frame: has the offset 1.5, which is not an integer of at most 9 digits: multiply the key and the offset",
    ],
    [
      "select sum(id) over (order by joined range between interval '7' day preceding and current row) from people",
      "1:52 RANGE with an interval: is not in HiveQL: order by datediff(date, '1970-01-01') or unix_timestamp(time), and write the offset as a number of days or seconds",
    ],
    [
      "select cast(joined as timestamp with local time zone) from people",
      "1:8 type timestamp with local time zone: depends on a session's time zone: write timestamp, and convert with to_utc_timestamp; the embedded engine does not support this",
    ],
  ])("%s: says what to write instead", (statement, message) => {
    expect(refusal(statement).message).toBe(message);
  });

  test.each([
    ["select _c0 from people", "1:8"],
    ["select p._c0 from people p", "1:10"],
    ["select sum(_c0) from people", "1:12"],
    ["select id from people order by _c0", "1:32"],
    ["select id as _c0 from people", "1:14"],
  ])("%s: says that the name is written in backticks", (statement, position) => {
    expect(refusal(statement).message).toBe(`${position} "_c0": begins with _: write \`_c0\` in backticks`);
  });

  test("refuses a setting that may change the result", () => {
    expect(refusal("select 1", { "hive.compat": "0.10" }).construct).toBe("setting hive.compat=0.10");
    expect(refusal("select 1", { "some.setting": "x" }).construct).toBe("setting some.setting=x");
  });
});

describe("translate: refuses statements that Hive refuses", () => {
  test.each([
    ["select nope from people", "column nope"],
    [
      "select id from people p left semi join visits v on p.id = v.n or p.name = v.person or p.pay > v.price",
      "OR in ON of LEFT SEMI JOIN",
    ],
    ["select octet_length(cast(name as binary)) from people", "function octet_length"],
    ["select name from people p left anti join visits v on p.id = v.person", "LEFT ANTI JOIN"],
    ["select 1 from people where id rlike '1'", "RLIKE"],
    ["select 1 from people where (id > 1) in ('true')", "IN"],
    ["select first_value(id, 3) over (order by id) from people", "function first_value"],
    ["select trim(id) from people", "function trim"],
    ["select lpad(name, 9) from people", "function lpad"],
    ["select concat_ws('-', id) from people", "function concat_ws"],
    ["select map(1, 'x')['1'] from people", "key"],
    ["select case when id > 1 then array(1) else array('x') end from people", "CASE"],
    ["select length(joined) from people", "function length"],
    ["select reverse(id > 1) from people", "function reverse"],
    ["select base64(name) from people", "function base64"],
    ["select people.nope from people", "column people.nope"],
    ["select id from people a join people b on a.id = b.id", "column id"],
    ["select * from nowhere", "table default.nowhere"],
    ["select name, count(*) from people", "column name"],
    ["select id from (select id, row_number() over (order by id) n from people) q qualify n < 2", "QUALIFY"],
    ["select id from people where count(*) > 1", "function count"],
    ["select sum(sum(id)) from people", "function sum"],
    ["select 7.5 div 2", "div"],
    ["select substr('a')", "function substr"],
    ["select 1 union all select 1, 2", "UNION ALL"],
    ["select id from people where id in (select id, name from people)", "IN"],
    ["select id from people where cast(id as decimal(38,0)) in (select cast(id as decimal(38,30)) from people)", "IN"],
    ["select row_number() from people", "function row_number"],
    ["select id from people where row_number() over (order by id) = 1", "function row_number"],
    ["select a.id from people a join visits a on true", "alias a"],
    ["select distinct id from people order by pay", "ORDER BY"],
    ["select case when 1 then 'a' else array(1) end", "CASE"],
    ["with a as (select * from a) select * from a", "recursive WITH a"],
  ])("%s", (statement, construct) => {
    expect(refusal(statement).construct).toBe(construct);
  });
});

describe("translate: limits the size of expressions", () => {
  test("refuses expressions that would become too large", () => {
    let expression = "id";
    for (let depth = 0; depth < 40; depth += 1) expression = `1 / (${expression})`;
    expect(refusal(`select ${expression} from people`)).toMatchObject({
      construct: "expression",
      problem: "unsupported",
    });
  });
});

describe("functions of other SQL dialects: refused with what to write instead", () => {
  test.each([...otherDialects.keys()])("%s", (name) => {
    expect(functionsNamed(name)).toEqual([]);
    expect(refusal(`select ${name}(name) from people`).reason).toContain(`write ${otherDialects.get(name)}`);
  });
});

describe("translate: says what to write instead", () => {
  test.each([
    ["select count(distinct *) from people", "write the columns"],
    [
      "select substr(name, 1, 1) as k, count(*) from people group by k",
      "is an alias of this SELECT, which only HAVING, QUALIFY and ORDER BY can read, outside of aggregates: write its expression here, or read it from a subquery",
    ],
    ["select pay * 2 as k from people where k > 1", "write its expression here, or read it from a subquery"],
    ["select pay * 2 as k, k + 1 as l from people", "write its expression here, or read it from a subquery"],
    ["select id + 1 as k, sum(k) from people group by id + 1", "write its expression here, or read it from a subquery"],
    ["select explode(array(1)) from people group by id", "use LATERAL VIEW"],
    ["select name[0] from people", "write get_json_object"],
    ["select db.people.id from people", "has the name of a database in front: write people.id"],
    ["select cast(id as decimal(39,2)) from people", "write decimal(p,s) with s <= p <= 38"],
    ["select array(id) < array(2) from people", "compare their elements"],
    ["with a as (select * from a) select * from a", "join the table as often as its levels"],
    [
      "select * from people lateral view frobnicate(id) t as x",
      "the page hiveql/functions of the documentation lists those that are",
    ],
  ])("%s", (statement, remedy) => {
    expect(refusal(statement).message).toContain(remedy);
  });
});

test.each(["select natural.id from people as natural", "select `natural`.id from people `natural`"])(
  "NATURAL: is a name in %s",
  (statement) => {
    expect(notes(statement)).toEqual([]);
  },
);

test("a subquery of several columns: the remedy is that of its place", () => {
  const reasonOf = (statement: string) => refusal(statement).reason;
  expect(reasonOf("select (select id, name from people limit 1)")).toBe(
    "returns 2 columns instead of one: select the one that is the value",
  );
  expect(reasonOf("select 1 from people where id in (select id, name from people)")).toBe(
    "returns 2 columns instead of one: compare several in EXISTS or in a join",
  );
});
