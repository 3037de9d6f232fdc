import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { openAnswers } from "../answers";

let answers: Awaited<ReturnType<typeof openAnswers>>;
beforeAll(async () => {
  answers = await openAnswers();
});
afterAll(() => answers.close());

/** x with its lower bound a, NULL in the third row, and its upper bound b, NULL in the fourth. */
const bounds =
  "(select stack(4, 1, 20, 1, 10, 2, 5, 1, 10, 3, 30, cast(null as int), 3, 4, 7, 9, cast(null as int)) as (id, x, a, b)) t";

describe("ranges: are two comparisons, each NULL for a NULL bound", () => {
  test.each([
    ["x between a and b", ["false", "true", "false", "false"]],
    ["x not between a and b", ["true", "false", "true", "true"]],
    ["x >= a and x <= b", ["false", "true", "false", "false"]],
    ["a <= x and id > 0 and b >= x", ["false", "true", "false", "false"]],
    ["x < a or x > b", ["true", "false", "true", "true"]],
    ["not (x between a and b)", ["true", "false", "true", "true"]],
    ["not (x < a or x > b)", ["false", "true", "false", "false"]],
    ["x not between 8 and b", ["true", "true", "true", "true"]],
    ["not (x < a) and not (x > b)", ["false", "true", "false", "false"]],
    ["x between a and 0", ["false", "false", "false", "false"]],
    ["x > a and x < b", ["false", "true", "false", "false"]],
    ["x between null and b", ["false", "NULL", "false", "NULL"]],
    ["7 between a and 5", ["false", "false", "false", "false"]],
    ["7 not between a and coalesce(b, 1)", ["false", "false", "true", "true"]],
  ])("%s", async (condition, expected) => {
    expect(await answers.answer(`select ${condition} as r from ${bounds} order by id`)).toEqual(expected);
  });

  test.each([
    ["x not between a and b", ["1", "3", "4"]],
    ["x < a or x > b", ["1", "3", "4"]],
    ["x between a and b", ["2"]],
  ])("where %s: rows", async (condition, expected) => {
    expect(await answers.answer(`select id from ${bounds} where ${condition} order by id`)).toEqual(expected);
  });
});

describe("months added to dates: in the Gregorian calendar, and beyond the year 9999", () => {
  test("of columns and literals", async () => {
    expect(await answers.answer("select joined + interval '9000' year from people where id = 1")).toEqual([
      "+11020-01-15",
    ]);
    expect(await answers.answer("select date '1600-01-31' - interval '1201' month")).toEqual(["1499-12-31"]);
  });
});

const days = "(select explode(array('2020-01-01', '2020-01-05', '2020-01-06 10:00:00', 'x', '')) as s) t";

describe("between: compares a text with each bound in the type of that bound", () => {
  test.each([
    ["s between date_sub('2020-01-06', 3) and '2020-01-06'", ["false", "true", "false", "false", "NULL"]],
    ["s between '2020-01-01' and date_add('2020-01-04', 1)", ["true", "true", "false", "NULL", "false"]],
    ["s not between date_sub('2020-01-06', 3) and '2020-01-06'", ["true", "false", "true", "true", "NULL"]],
    ["s between date_sub('2020-01-06', 3) and '9999-99-99'", ["false", "true", "true", "false", "NULL"]],
    ["s >= date_sub('2020-01-06', 3) and s <= '2020-01-06'", ["false", "true", "false", "false", "NULL"]],
    ["length(s) between 1 and '12'", ["true", "true", "false", "true", "false"]],
    ["substr(s, 9, 2) between 2 and '10'", ["false", "true", "true", "NULL", "NULL"]],
  ])("%s", async (condition, expected) => {
    expect(await answers.answer(`select ${condition} as r from ${days}`)).toEqual(expected);
  });
});
