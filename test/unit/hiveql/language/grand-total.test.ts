/** Grand totals of grouping sets over no rows. */
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { openAnswers } from "../answers";

let answers: Awaited<ReturnType<typeof openAnswers>>;
beforeAll(async () => {
  answers = await openAnswers();
});
afterAll(() => answers.close());

const totals = (from: string, key = "id") => `select ${key}, count(*) from ${from} group by ${key} with rollup`;

describe("grouping sets over no rows: have one row, the grand total", () => {
  test.each([
    "people where id > 100",
    "people where id > 100 and team = 'x'",
    "people where id = 1 and id = 1 and name = 'zz'",
    "people where (id = 100 or name = 'x') and team = 'x'",
    "people where id is not null and id > 100",
    "people where id > 100 and id < 200",
    "people where 100 <= id and id < 200",
    "people where id between 100 and 200 and team = 'x'",
    "people where joined >= date '2030-01-01' and joined < date '2030-02-01'",
    "people where joined between '2030-01-01' and '2030-01-31'",
    "people where name > 'x' and name < 'y'",
    "people where 1 = 1 and (id > 100 and 2 = 2 or team = 'x')",
    "(select * from people where id > 100) t where id < 200",
    "people where id = 1 and id = 2",
    "people where name = 'b' and name like 'a%'",
    "people where id > 1 and id < 0",
    "people where id > 100 and id < 200 and id <> 150",
    "people where id > 100 and id > 101",
    "people where id >= 100 and id <= 100",
    "people where joined between '2030-01-31' and '2030-01-01'",
    "people where (id > 100 or team = 'x') and (id < 200 or team = 'y') and name = 'q'",
    "people where id > 1 and id < 1",
    "people where id between 200 and 100",
    "people where id = 1 and id is null",
    "people where id = 1 and team = 'x' and team = 'y'",
    "people where id in (1, 2) and id = 3",
    "people where (id = 1 or id = 2) and id = 3",
    "people where id = 1 and id > 1",
    "people where id = 100 and id <> 100",
    "people where (id = 100 or name = 'x') and id < 1000",
    "people where id <> id",
    "people where id not between id and id",
    "people where team not in (team, 'x')",
    "people where not (id = 1) and id = 1",
    "people where joined > date '2030-01-01' and joined < date '2029-01-01'",
    "(select * from people limit 0) t",
    "(select * from people where id > 100) t where id < 2",
    "(select id, max(name) from people where id > 100 group by id) t where id < 20",
    "people where 1 = 2",
    "people where 'x' not in (team, 'x')",
    "people where not (1 in (id, 2, 1))",
    "people where 1 between 2 and id",
  ])("%s", async (from) => {
    expect(await answers.answer(totals(from))).toEqual(["NULL|0"]);
  });
});

test("grouping sets over rows: have a grand total whatever the conditions are", async () => {
  const rows = await answers.answer(totals("people where id > 1 and id <= 3 and id <> 3 or 1 > 2"));
  expect(rows.toSorted()).toEqual(["2|1", "NULL|1"]);
});
