/** LEFT SEMI JOIN and outer joins inside of subqueries that read the outer query. */
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { parseStatement, readStatement } from "../../../../hiveql/index";
import { openAnswers, refusal } from "../answers";

let hive: Awaited<ReturnType<typeof openAnswers>>;
beforeAll(async () => void (hive = await openAnswers()));
afterAll(() => hive.close());

/** `l` and `r` have NULL and repeated values of `k`, and each a `k` that the other has not. */
const tables = `with o as (select * from table(values (10), (11), (20), (30), (40), (null)) as t(id)),
  l as (select * from table(values (1, 10), (1, 11), (2, 20), (null, 30), (4, 40)) as t(k, a)),
  r as (select * from table(values (1, 1), (1, 2), (2, 0), (null, 9), (7, 40)) as t(k, b))`;

const answer = async (statement: string) => (await hive.answer(`${tables} ${statement}`)).toSorted();
const where = (condition: string) => `select id from o where ${condition}`;
const count = (from: string) => `select id, (select count(*) from ${from}) from o`;

describe("LEFT SEMI JOIN in a correlated subquery: has each row of the left side once", () => {
  it.each([
    [count("l left semi join r on l.k = r.k where l.a = o.id"), ["10|1", "11|1", "20|1", "30|0", "40|0", "NULL|0"]],
    [count("l left semi join r on l.k <=> r.k where l.a = o.id"), ["10|1", "11|1", "20|1", "30|1", "40|0", "NULL|0"]],
    [where("exists (select 1 from l left semi join r on l.k = r.k and r.b > 1 where l.a = o.id)"), ["10", "11"]],
    [
      where("not exists (select 1 from l left semi join r on l.k = r.k and l.a < r.b + 10 where l.a = o.id)"),
      ["20", "30", "40", "NULL"],
    ],
    [where("id in (select l.a from l left semi join r on l.k = r.k where l.a <= o.id)"), ["10", "11", "20"]],
    [
      where("id not in (select if(l.k = 2, null, l.a) from l left semi join r on l.k = r.k where l.a >= o.id)"),
      ["30", "40", "NULL"],
    ],
    [where("id = (select min(l.a) from l left semi join r on l.k = r.k where l.a >= o.id)"), ["10", "11", "20"]],
    [
      where("exists (select 1 from (select l.a from l left semi join r on l.k = r.k) z where z.a = o.id)"),
      ["10", "11", "20"],
    ],
    [
      where("exists (select 1 from l left semi join r on l.k = r.k join l m on m.k = l.k where m.a = o.id + 1)"),
      ["10"],
    ],
    [
      "select c from o lateral view explode(array(id)) e as c where exists (select 1 from l left semi join r on l.k = r.k where l.a = e.c)",
      ["10", "11", "20"],
    ],
    [
      where(
        "exists (select 1 from l where l.a = o.id and exists (select 1 from r left semi join l m on r.k = m.k where r.k = l.k))",
      ),
      ["10", "11", "20"],
    ],
  ])("answers %s", async (statement, rows) => {
    expect(await answer(statement)).toEqual(rows);
  });
});

describe("LEFT SEMI JOIN: a subquery in ON reads one of the sides", () => {
  const semi = (condition: string) => `select l.a from l left semi join r on l.k = r.k and ${condition}`;

  it.each([
    [semi("exists (select 1 from o where o.id = l.a + 1)"), ["10"]],
    [semi("l.a in (select id from o where id > 10)"), ["11", "20"]],
    [semi("r.b not in (select id from o where id is not null)"), ["10", "11", "20"]],
    [semi("l.a > (select 10 * count(*) from r s where s.k = r.k)"), ["20"]],
    [semi("(r.b > 1 or exists (select 1 from r s where s.b = r.b + 5))"), ["10", "11"]],
  ])("answers %s", async (statement, rows) => {
    expect(await answer(statement)).toEqual(rows);
  });
});

describe("FULL JOIN in a correlated subquery: has the rows of both sides", () => {
  it.each([
    [
      count("l full join r on l.k = r.k where coalesce(l.a, r.b) = o.id"),
      ["10|2", "11|2", "20|1", "30|1", "40|2", "NULL|0"],
    ],
    [
      count("l full join r on l.k = r.k and r.b > 1 where l.a = o.id and r.b is null"),
      ["10|0", "11|0", "20|1", "30|1", "40|1", "NULL|0"],
    ],
    [count("l full join r using (k) where a = o.id or b = o.id"), ["10|2", "11|2", "20|1", "30|1", "40|2", "NULL|0"]],
    [
      count("l full join r on l.k = r.k full join o p on p.id = l.a where coalesce(p.id, r.b) = o.id"),
      ["10|2", "11|2", "20|1", "30|1", "40|2", "NULL|0"],
    ],
    [where("id > (select min(r.b) from l full join r on l.k = r.k where l.a = o.id)"), ["10", "11", "20"]],
    [where("not exists (select 1 from l full join r on l.k = r.k where l.a = o.id)"), ["NULL"]],
    [where("id not in (select l.a from l full join r on l.k = r.k where r.b < o.id)"), ["NULL"]],
  ])("answers %s", async (statement, rows) => {
    expect(await answer(statement)).toEqual(rows);
  });
});

it("FULL JOIN in a view: answers in a correlated subquery", async () => {
  const view = readStatement(parseStatement("select v.n, p.id from visits v full join people p on v.n = p.id"));
  const statement =
    "select id from people p where exists (select 1 from `both` where `both`.id = p.id and `both`.n is null)";
  const rows = await hive.answer(statement, { viewAt: ({ table }) => (table === "both" ? view : undefined) });
  expect(rows.toSorted()).toEqual(["3", "4"]);
});

describe("outer join in a subquery: refuses a column of the outer query", () => {
  const exists = (from: string) => refusal(`select id from people p where exists (select 1 from ${from})`);

  it.each(["left semi", "full", "left", "right"])("in ON of %s join", (join) => {
    const error = exists(`visits v ${join} join people q on v.n = q.id and q.team = p.team`);
    expect(error.message).toBe(
      `1:62 ON of ${join.toUpperCase()} JOIN: reads a column of the outer query: compare it in WHERE of the subquery; the embedded engine does not support this`,
    );
  });

  it.each(["left semi", "full"])("in a side of %s join", (join) => {
    const error = exists(`visits v ${join} join (select id from people q where q.team = p.team) q on v.n = q.id`);
    expect(error.message).toBe(
      `1:62 ${join.toUpperCase()} JOIN: joins a subquery that reads a column of the outer query: compare it in WHERE of the subquery; the embedded engine does not support this`,
    );
  });
});
