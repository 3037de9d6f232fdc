/** Conditions of correlated subqueries, of which Hive 4.0.1 misses rows for NULL columns. */
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { openAnswers } from "../answers";

let hive: Awaited<ReturnType<typeof openAnswers>>;
beforeAll(async () => void (hive = await openAnswers()));
afterAll(() => hive.close());

const exists = (condition: string, not = "") =>
  `select id from people p where ${not}exists (select 1 from visits v where ${condition})`;
const count = (condition: string) => `select id, (select count(*) from visits v where ${condition}) as c from people p`;

describe("subquery: a correlated condition holds for the rows for which it is true, also with NULL", () => {
  it.each([
    [exists("v.place = p.name or p.team is null"), ["5"]],
    [exists("v.n = p.id or v.person = p.id", "not "), ["3", "4"]],
    [exists("(v.n = p.id and v.price > 1) or (v.n = p.id and v.price is null)", "not "), ["3", "4", "5"]],
    [exists("v.n = p.id and p.pay > 8", "not "), ["2", "3", "4", "5"]],
    [exists("p.team is null", "not "), ["1", "2", "3", "4"]],
    [exists("if(p.team is null, v.n = 1, v.place = p.team)"), ["5"]],
    [count("v.person <=> p.team"), ["1|0", "2|0", "3|0", "4|0", "5|1"]],
    [count("v.n = 1 and (p.pay > 8 or p.pay is null)"), ["1|1", "2|0", "3|1", "4|1", "5|0"]],
    [exists("v.person <=> p.team"), ["5"]],
    [exists("v.n = p.id and (v.price > 1 or v.price is null)", "not "), ["3", "4", "5"]],
    [exists("coalesce(v.person, '5') = p.id and v.n is null"), ["5"]],
    [count("v.n > p.id and p.pay between 8 and 30"), ["1|3", "2|2", "3|0", "4|2", "5|1"]],
  ])("answers %s", async (statement, rows) => {
    expect((await hive.answer(statement)).toSorted()).toEqual(rows);
  });
});

describe("subquery: IN beside a correlated subquery, in any order", () => {
  const none = "not exists (select 1 from visits v where v.person = p.id)";
  const some = "p.id in (select n from visits)";

  it.each([
    [`where ${none} and ${some}`, ["5"]],
    [`where ${some} and ${none}`, ["5"]],
    [`where not (exists (select 1 from visits v where v.person = p.id) or not ${some})`, ["5"]],
    [`where (${none} or p.id = 3) and p.pay > 1 and p.id = any (select n from visits)`, ["5"]],
    [`where p.id < (select max(v.n) from visits v where v.person = p.id) and ${some}`, ["1", "2"]],
    [`group by id having ${none} and ${some}`, ["5"]],
    [`where ${none} and p.id in (select n from visits v where v.n = p.id)`, ["5"]],
    [`where not exists (select 1 from visits v where v.n > 10) and ${some}`, ["1", "2", "5"]],
    [`where ${none} and (p.id = 3 or ${some})`, ["3", "5"]],
    [`where exists (select 1 from visits v where v.person = p.id) and ${some}`, ["1", "2"]],
  ])("%s", async (condition, rows) => {
    expect((await hive.answer(`select id from people p ${condition}`)).toSorted()).toEqual(rows);
  });
});

describe("subquery: a field of the outer query's struct", () => {
  const outer = "(select id, named_struct('a', id, 'b', name) st from people) o";

  it("answers with a field that stands alone", async () => {
    const condition = "exists (select 1 from visits v where v.n > 4 and o.st.a = 1)";
    expect(await hive.answer(`select id from ${outer} where ${condition}`)).toEqual(["1"]);
  });

  it("answers with a field beside a column of the subquery", async () => {
    const condition = "exists (select 1 from visits v where v.n = o.st.a and v.place = 'inn')";
    expect(await hive.answer(`select id from ${outer} where ${condition}`)).toEqual(["2", "5"]);
  });
});
