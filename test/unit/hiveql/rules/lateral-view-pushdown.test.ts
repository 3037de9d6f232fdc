/** Conditions on lateral views, some of which Hive 4.0.1 drops; the answers are those of Hive 4.0.1. */
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { notes, openAnswers, refusal } from "../answers";

let hive: Awaited<ReturnType<typeof openAnswers>>;
beforeAll(async () => void (hive = await openAnswers()));
afterAll(() => hive.close());

const view = "people p lateral view explode(array(1, id)) v as x";
const ones = ["1", "1", "1", "1", "1"];
const pairs = ["1|1", "1|1", "1|2", "1|2"];
const inner = `select p.id, p.team, v.x from ${view}`;

describe("lateral view: leaves out a condition of WHERE on both columns of the view and columns of its input", () => {
  it.each([
    [`select p.id, v.x from ${view} where v.x > p.id and p.team = 'blue'`, ["3|1", "3|3", "4|1", "4|4"]],
    [`select p.id from ${view} where p.id > 4 and (v.x = 1 or p.team = 'red')`, ["5", "5"]],
    [`select p.id from ${view} where not (v.x = p.id) and id = 2`, ["2", "2"]],
    [`select v.x, w.y from ${view} lateral view explode(array(1, 2)) w as y where v.x = w.y and id = 1`, pairs],
    [`select count(*) from (${inner}) q where q.x > q.id`, ["10"]],
    [
      "with p as (select distinct id from people) select x from p lateral view explode(array(1)) v as x where x = id",
      ones,
    ],
    [
      `select q.x from (select distinct id, x from (${inner}) r) q where q.x > q.id`,
      ["1", "1", "1", "1", "1", "2", "3", "4", "5"],
    ],
    [`with q as (${inner}) select q.x from q where q.x > q.id and q.id = 2`, ["1", "2"]],
    [
      `select q.x from (select p.id, v.x, count(*) from ${view} group by p.id, v.x) q where q.x > q.id and q.id = 5`,
      ["1", "5"],
    ],
  ])("%s", async (statement, rows) => {
    expect((await hive.answer(statement)).toSorted()).toEqual(rows);
  });
});

it("lateral view: a note says which conditions have no effect, and how to keep them", () => {
  const kept = "write SET hive.cbo.enable=false; before the statement, or LATERAL VIEW OUTER to keep it";
  expect(notes(`select p.id from ${view} where v.x > p.id and p.team = 'blue' and v.x < p.id`)).toEqual([
    expect.stringMatching(`^1:79 this condition of WHERE has no effect, as in Hive 4.0.1, .*: ${kept}$`),
    expect.stringMatching(/^1:114 /),
  ]);
  expect(notes(`select p.id from ${view} where v.x > 1`)).toEqual([]);
});

describe("lateral view: refuses such a condition where Hive may keep it", () => {
  it.each([
    `select p.id from ${view} where v.x > p.id and rand() < 2`,
    `select p.id from ${view} where (v.x = p.id and team = 'red') or (v.x = p.id and team = 'blue')`,
    `select p.id from ${view} where not (v.x = p.id or team = 'red')`,
    `select q.x from (${inner} union all select id, name, id from people) q where q.x > q.id`,
    `select q.x from (select r.*, rank() over (partition by team order by x) as k from (${inner}) r) q where q.x > q.id`,
    `select id, x from (select id, max(pay) as pay from people group by id) p lateral view explode(array(1, 2)) v as x where x = id`,
    `select p.id, v.x from ${view} group by p.id, v.x having v.x > p.id`,
    `select q.x from (${inner}) q join people b on q.id = b.id and q.x > q.id`,
    `select q.x from people b left join (${inner}) q on q.id = b.id and q.x > q.id`,
  ])("%s", (statement) => {
    const error = refusal(statement);
    expect(error.construct).toMatch(/^(WHERE|HAVING|ON) on LATERAL VIEW$/);
    expect(error.message).toContain("write SET hive.cbo.enable=false; before the statement, or LATERAL VIEW OUTER");
  });

  it.each([
    [`select p.id, v.x from ${view} where v.x > 3 and p.team = 'blue'`, ["4|4"]],
    [
      `select p.id, v.x from people p lateral view outer explode(array(1, id)) v as x where v.x > 2 and v.x = p.id`,
      ["3|3", "4|4", "5|5"],
    ],
    [
      `select p.id, v.x, w.y from ${view} lateral view outer explode(array(id)) w as y where v.x = p.id and p.id > 3`,
      ["4|4|4", "5|5|5"],
    ],
    [`select p.id, v.x from ${view} where v.x > 3 and v.x = p.id distribute by id`, ["4|4", "5|5"]],
    [`select v.x, count(*) as n from ${view} where v.x < p.id group by v.x having n > 1`, ["1|4"]],
    [`select q.id, q.x from (${inner} limit 100) q where q.x < q.id`, ["2|1", "3|1", "4|1", "5|1"]],
    [`select q.id, q.x from (${inner}) q join people b on q.id = b.id and q.x < b.id`, ["2|1", "3|1", "4|1", "5|1"]],
    [
      `select q.x, b.id from (${inner}) q left join people b on q.id = b.id and q.x > 4 and q.x = q.id where q.id > 4`,
      ["1|NULL", "5|5"],
    ],
    [`select q.id from (select r.*, max(x) over (partition by id) as k from (${inner}) r) q where q.k = 4`, ["4", "4"]],
    [
      `select x, n from (select v.x, count(*) as n from ${view} group by v.x) q where q.n > 1 or q.x = 5`,
      ["1|6", "5|1"],
    ],
  ])("keeps %s", async (statement, rows) => {
    expect((await hive.answer(statement)).toSorted()).toEqual(rows);
  });

  it.each(["hive.optimize.ppd", "hive.cbo.enable"])(
    "accepts all conditions when %s is false, as Hive then keeps them",
    async (name) => {
      const statement = `select p.id, v.x from ${view} where v.x > 3 and v.x = p.id`;
      expect(await hive.answer(statement, { settings: { [name]: "false" } })).toEqual(["4|4", "5|5"]);
      expect(await hive.answer(statement, { settings: { [name]: "faluse" } })).toEqual(["4|4", "5|5"]);
    },
  );
});
