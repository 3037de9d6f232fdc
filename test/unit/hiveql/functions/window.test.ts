import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { HiveQLError, translate } from "../../../../hiveql/index";
import { catalog, openAnswers } from "../answers";

let answers: Awaited<ReturnType<typeof openAnswers>>;
beforeAll(async () => {
  answers = await openAnswers();
});
afterAll(() => answers.close());

const rows = "(select stack(5, 1,10, 1,20, 2,30, 2,45, 2,cast(null as int)) as (g, x)) t";

describe("lag, lead inside another function: computed over the window of that function", () => {
  test.each([
    ["sum(lag(x)) over (order by x)", ["NULL", "10", "30", "60", "105"]],
    [
      "sum(x - lead(x, 1, 0)) over (order by x rows between 1 preceding and current row)",
      ["-10", "-20", "-25", "-15", "NULL"],
    ],
    ["max(lag(x, 2, x)) over (partition by g order by x)", ["10", "20", "30", "45", "45"]],
    ["sum(lag(x, 1, 2.5)) over (order by x)", ["2", "12", "32", "62", "107"]],
    ["sum(lag(x, 1, 'a')) over (order by x)", ["NULL", "10", "30", "60", "105"]],
    ["sum(lag(x * 2)) over (order by x)", ["NULL", "20", "60", "120", "210"]],
    ["sum(case when lag(x) is null then 1 else 0 end) over (order by x)", ["1", "1", "1", "1", "1"]],
    ["last_value(lag(x)) over (order by x)", ["NULL", "10", "20", "30", "45"]],
    ["sum(lag(x)) over (order by x range between 10 preceding and current row)", ["NULL", "10", "30", "30", "45"]],
  ])("%s", async (expression, expected) => {
    expect(await answers.answer(`select ${expression} from ${rows} order by x`)).toEqual(expected);
  });

  test.each([
    [
      `select count(lag(x)) over w, sum(lag(x) + lead(x)) over w from ${rows} window w as (partition by g order by x) order by g, x`,
      ["0|NULL", "1|NULL", "0|NULL", "1|NULL", "2|NULL"],
    ],
    [
      `select g, sum(sum(x) - lag(sum(x))) over (order by g) from ${rows} group by g having sum(x) > 0`,
      ["1|NULL", "2|45"],
    ],
    [
      `select a.x, sum(a.x - lag(b.x)) over (order by a.x) from ${rows} a join ${rows} b on a.x = b.x`,
      ["10|NULL", "20|10", "30|20", "45|35"],
    ],
    [`select x from ${rows} order by sum(lag(x)) over (order by x), x`, ["20", "30", "45", "NULL", "10"]],
    [
      `select x, y, sum(lag(y)) over (order by x, y) from ${rows} lateral view explode(array(1, 2)) e as y where x < 30 order by x, y`,
      ["10|1|NULL", "10|2|1", "20|1|3", "20|2|4"],
    ],
  ])("%s", async (statement, expected) => {
    expect(await answers.answer(statement.replaceAll(" t a ", " a ").replaceAll(" t b ", " b "))).toEqual(expected);
  });
});

describe("lag, lead inside another function: refused where Hive fails or sums differently", () => {
  test.each([
    `select sum(lag(x)) over (partition by g) from ${rows}`,
    `select sum(lag(lag(x))) over (order by x) from ${rows}`,
    `select lag(lead(x)) over (order by x) from ${rows}`,
    `select sum(lag(x)) from ${rows}`,
    `select sum(rank()) over (order by x) from ${rows}`,
    `select sum(lag(x) over (order by x)) over (order by x) from ${rows}`,
    `select sum(lag(x)) over (order by x rows between unbounded preceding and unbounded following) from ${rows}`,
  ])("%s", (statement) => {
    expect(() => translate(statement, catalog)).toThrow(HiveQLError);
  });
});
