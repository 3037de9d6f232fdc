/** Conditions on lateral views: each holds, also those that Hive 4.0.1 drops. */
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { notes, openAnswers } from "../answers";

let hive: Awaited<ReturnType<typeof openAnswers>>;
beforeAll(async () => void (hive = await openAnswers()));
afterAll(() => hive.close());

const view = "people p lateral view explode(array(1, id)) v as x";
const inner = `select p.id, p.team, v.x from ${view}`;

describe("lateral view: a condition on columns of the view and of its input holds", () => {
  it.each([
    [
      "select a.pos, b.x from people lateral view posexplode(array('p', 'q')) a as pos, x lateral view posexplode(array('r', 's')) b as pos, x where a.pos = b.pos and id = 1",
      ["0|r", "1|s"],
    ],
    [`select p.id, v.x from ${view} where v.x > p.id and p.team = 'blue'`, []],
    [`select p.id, v.x from ${view} where v.x < p.id and p.team = 'blue'`, ["3|1", "4|1"]],
    [`select p.id from ${view} where p.id > 4 and (v.x = 1 or p.team = 'red')`, ["5"]],
    [`select p.id from ${view} where not (v.x = p.id) and id = 2`, ["2"]],
    [
      `select v.x, w.y from ${view} lateral view explode(array(1, 2)) w as y where v.x = w.y and id = 1`,
      ["1|1", "1|1"],
    ],
    [`select count(*) from (${inner}) q where q.x < q.id`, ["4"]],
    [
      "with p as (select distinct id from people) select x from p lateral view explode(array(1)) v as x where x = id",
      ["1"],
    ],
    [`with q as (${inner}) select q.x from q where q.x < q.id and q.id = 2`, ["1"]],
    [
      `select q.x from (select p.id, v.x, count(*) from ${view} group by p.id, v.x) q where q.x < q.id and q.id = 5`,
      ["1"],
    ],
    [`select p.id from ${view} where v.x < p.id and rand() < 2`, ["2", "3", "4", "5"]],
    [
      `select p.id from ${view} where (v.x = p.id and team = 'red') or (v.x = p.id and team = 'blue')`,
      ["1", "1", "2", "3", "4"],
    ],
    [`select q.x from (${inner} union all select id, name, id from people) q where q.x < q.id`, ["1", "1", "1", "1"]],
    [
      `select q.id, q.k from (select r.*, rank() over (partition by team order by x) as k from (${inner}) r) q where q.x > 1 and q.x = q.id and q.team = 'red'`,
      ["2|4"],
    ],
    [`select p.id, v.x from ${view} group by p.id, v.x having v.x < p.id`, ["2|1", "3|1", "4|1", "5|1"]],
    [`select q.x from (${inner}) q join people b on q.id = b.id and q.x < q.id`, ["1", "1", "1", "1"]],
    [
      `select b.id, q.x from people b left join (${inner}) q on q.id = b.id and q.x < q.id`,
      ["1|NULL", "2|1", "3|1", "4|1", "5|1"],
    ],
    [
      "select p.id, v.x from people p lateral view outer explode(array(1, id)) v as x where v.x > 2 and v.x = p.id",
      ["3|3", "4|4", "5|5"],
    ],
    [`select p.id, v.x from ${view} where v.x > 3 and v.x = p.id distribute by id`, ["4|4", "5|5"]],
    [`select q.id, q.x from (${inner} limit 100) q where q.x < q.id`, ["2|1", "3|1", "4|1", "5|1"]],
  ])("%s", async (statement, rows) => {
    expect((await hive.answer(statement)).toSorted()).toEqual(rows);
  });
});

it("lateral view: a note names each condition of WHERE that Hive 4.0.1 drops", () => {
  expect(notes(`select p.id from ${view} where v.x > p.id and p.team = 'blue' and v.x < p.id`)).toEqual([
    expect.stringMatching(/^1:79 this condition of WHERE holds; Hive 4\.0\.1 drops /),
    expect.stringMatching(/^1:114 /),
  ]);
  expect(notes(`select p.id from ${view} where v.x > 1`)).toEqual([]);
  expect(notes("select id from people lateral view outer explode(array(1)) v as x where x = id")).toEqual([]);
});
