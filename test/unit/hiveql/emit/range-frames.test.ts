import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { HiveQLError } from "../../../../hiveql/index";
import { openAnswers } from "../answers";

let answers: Awaited<ReturnType<typeof openAnswers>>;
beforeAll(async () => {
  answers = await openAnswers();
});
afterAll(() => answers.close());

describe("RANGE with an offset: has the frames of the language, also for NULL keys", () => {
  test.each<[string, string[]]>([
    [
      "select k, count(k) over (order by k range between 3 preceding and 1 preceding) c from (select stack(9, 1,1,2,4,7,cast(null as int),9,cast(null as int),5) as k) t order by k",
      ["1|0", "1|0", "2|0", "4|3", "5|1", "7|2", "9|1", "NULL|0", "NULL|0"],
    ],
    [
      "select k, count(k) over (order by k range between 1 following and 3 following) c from (select stack(7, 1,1,2,4,7,9,5) as k) t order by k",
      ["1|1", "1|1", "2|2", "4|1", "5|1", "7|1", "9|0"],
    ],
    [
      "select k, count(k) over (order by k range between unbounded preceding and 1 preceding) c from (select stack(9, 1,1,2,4,7,cast(null as int),9,cast(null as int),5) as k) t order by k",
      ["1|0", "1|0", "2|0", "4|3", "5|3", "7|5", "9|6", "NULL|7", "NULL|7"],
    ],
    [
      "select k, count(k) over (order by k range between 2 following and unbounded following) c from (select stack(7, 1,1,2,4,7,9,5) as k) t order by k",
      ["1|4", "1|4", "2|3", "4|2", "5|1", "7|0", "9|0"],
    ],
    [
      "select k, count(k) over (order by k desc range between 3 preceding and 1 preceding) c from (select stack(7, 1,1,2,4,7,9,5) as k) t order by k",
      ["1|1", "1|1", "2|2", "4|1", "5|1", "7|1", "9|0"],
    ],
    [
      "select k, count(k) over (order by k desc range between 1 preceding and 1 following) c from (select stack(7, 1,1,2,4,7,9,5) as k) t order by k",
      ["1|3", "1|3", "2|3", "4|2", "5|2", "7|1", "9|1"],
    ],
    [
      "select k, count(k) over (order by k desc range between 2 following and unbounded following) c from (select stack(7, 1,1,2,4,7,9,5) as k) t order by k",
      ["1|0", "1|0", "2|0", "4|2", "5|3", "7|4", "9|5"],
    ],
    [
      "select k, count(k) over (order by k nulls first range between 2 preceding and 1 following) c from (select stack(7, 1,1,2,4,7,9,5) as k) t order by k",
      ["1|3", "1|3", "2|3", "4|3", "5|2", "7|2", "9|2"],
    ],
    [
      "select k, count(k) over (order by k desc nulls last range between 1 following and 2 following) c from (select stack(7, 1,1,2,4,7,9,5) as k) t order by k",
      ["1|0", "1|0", "2|0", "4|1", "5|0", "7|1", "9|1"],
    ],
    [
      "select k, count(k) over (order by k range between 0 preceding and 0 following) c from (select stack(9, 1,1,2,4,7,cast(null as int),9,cast(null as int),5) as k) t order by k",
      ["1|2", "1|2", "2|1", "4|1", "5|1", "7|1", "9|1", "NULL|0", "NULL|0"],
    ],
    [
      "select k, count(k) over (order by k range between current row and 2 following) c from (select stack(9, 1,1,2,4,7,cast(null as int),9,cast(null as int),5) as k) t order by k",
      ["1|3", "1|3", "2|2", "4|2", "5|2", "7|2", "9|1", "NULL|0", "NULL|0"],
    ],
    [
      "select k, count(k) over (order by k desc range 1 preceding) c from (select stack(9, 1,1,2,4,7,cast(null as int),9,cast(null as int),5) as k) t order by k",
      ["1|3", "1|3", "2|1", "4|2", "5|1", "7|1", "9|1", "NULL|0", "NULL|0"],
    ],
    [
      "select k, sum(k) over (order by k range between 3 preceding and 1 preceding) c from (select stack(9, 1,1,2,4,7,cast(null as int),9,cast(null as int),5) as k) t order by k",
      ["1|NULL", "1|NULL", "2|NULL", "4|4", "5|2", "7|9", "9|7", "NULL|NULL", "NULL|NULL"],
    ],
    [
      "select k, sum(k) over (order by k desc nulls last range between 1 following and 3 following) c from (select stack(7, 1,1,2,4,7,9,5) as k) t order by k",
      ["1|NULL", "1|NULL", "2|NULL", "4|4", "5|2", "7|9", "9|7"],
    ],
    [
      "select k, first_value(k) over (order by k range between 3 preceding and 1 preceding) c from (select stack(9, 1,1,2,4,7,cast(null as int),9,cast(null as int),5) as k) t order by k",
      ["1|NULL", "1|NULL", "2|NULL", "4|1", "5|2", "7|4", "9|7", "NULL|NULL", "NULL|NULL"],
    ],
    [
      "select k, first_value(k) over (order by k desc range between 1 following and 3 following) c from (select stack(7, 1,1,2,4,7,9,5) as k) t order by k",
      ["1|NULL", "1|NULL", "2|NULL", "4|2", "5|2", "7|5", "9|7"],
    ],
    [
      "select k, count(k) over (order by k range between 1 preceding and current row) c from (select cast(s as decimal(3,2)) k from (select stack(7, '1.00','1.50','2.00','2.99','3.00',cast(null as string),'4.01') as s) r) t order by k",
      ["1.00|1", "1.50|2", "2.00|3", "2.99|4", "3.00|4", "4.01|3", "NULL|0"],
    ],
    [
      "select k, count(k) over (order by k range between 2 preceding and 1 preceding) c from (select cast(s as decimal(3,2)) k from (select stack(7, '1.00','1.50','2.00','2.99','3.00',cast(null as string),'4.01') as s) r) t order by k",
      ["1.00|0", "1.50|0", "2.00|0", "2.99|0", "3.00|1", "4.01|2", "NULL|0"],
    ],
    [
      "select k, count(k) over (order by k desc range between 1 following and 1 following) c from (select cast(s as decimal(3,2)) k from (select stack(6, '1.00','1.50','2.00','2.99','3.00','4.01') as s) r) t order by k",
      ["1.00|0", "1.50|0", "2.00|0", "2.99|0", "3.00|0", "4.01|0"],
    ],
    [
      "select k, count(k) over (order by k range between 1 preceding and 1 following) c from (select cast(s as decimal(3,2)) k from (select stack(7, '1.00','1.50','2.00','2.99','3.00',cast(null as string),'4.01') as s) r) t order by k",
      ["1.00|4", "1.50|5", "2.00|5", "2.99|6", "3.00|5", "4.01|3", "NULL|0"],
    ],
    [
      "select k, count(k) over (order by k range between 1 preceding and 3 following) c from (select stack(6, date '2020-01-01', date '2020-01-02', date '2020-01-04', date '2020-02-01', cast(null as date), date '2020-01-31') as k) t order by k",
      ["2020-01-01|3", "2020-01-02|3", "2020-01-04|1", "2020-01-31|2", "2020-02-01|2", "NULL|0"],
    ],
    [
      "select k, count(k) over (order by k range between 30 preceding and 1 preceding) c from (select stack(6, date '2020-01-01', date '2020-01-02', date '2020-01-04', date '2020-02-01', cast(null as date), date '2020-01-31') as k) t order by k",
      ["2020-01-01|0", "2020-01-02|0", "2020-01-04|2", "2020-01-31|3", "2020-02-01|2", "NULL|0"],
    ],
    [
      "select k, count(k) over (order by k desc range between 1 following and unbounded following) c from (select stack(5, date '2020-01-01',date '2020-01-02',date '2020-01-04',date '2020-02-01',date '2020-01-31') as k) t order by k",
      ["2020-01-01|0", "2020-01-02|0", "2020-01-04|2", "2020-01-31|3", "2020-02-01|3"],
    ],
    [
      "select k, count(k) over (order by k range 2 preceding) c from (select stack(6, date '2020-01-01', date '2020-01-02', date '2020-01-04', date '2020-02-01', cast(null as date), date '2020-01-31') as k) t order by k",
      ["2020-01-01|1", "2020-01-02|2", "2020-01-04|2", "2020-01-31|1", "2020-02-01|2", "NULL|0"],
    ],
  ])("%s", async (statement, rows) => {
    expect(await answers.answer(statement)).toEqual(rows);
  });
});

test("RANGE with an offset: fails for NULL keys where Hive gives them frames of their own", async () => {
  const failing = (frame: string) =>
    answers.answer(`select count(k) over (order by k ${frame}) from (select stack(2, 1, cast(null as int)) as k) t`);
  await expect(failing("range between 1 following and 3 following")).rejects.toThrow("whose key is NULL");
  await expect(failing("desc range between 3 preceding and 1 preceding")).rejects.toThrow("whose key is NULL");
});

test("RANGE with an offset: sorts NULLs first when hive.default.nulls.last is false", async () => {
  const statement =
    "select k, count(k) over (order by k desc range between 1 preceding and 1 following) c from (select stack(9, 1,1,2,4,7,cast(null as int),9,cast(null as int),5) as k) t order by k";
  const rows = ["NULL|0", "NULL|0", "1|3", "1|3", "2|3", "4|2", "5|2", "7|1", "9|1"];
  expect(await answers.answer(statement, { settings: { "hive.default.nulls.last": "false" } })).toEqual(rows);
});

test("RANGE with an offset: a sum of only NULLs is NULL when no value has left the frame", async () => {
  const statement =
    "select k, sum(v) over (order by k range between 1 preceding and 1 following) c from (select stack(3, 1, cast(null as int), 2, cast(null as int), 9, 5) as (k, v)) t order by k";
  expect(await answers.answer(statement)).toEqual(["1|NULL", "2|NULL", "9|5"]);
});

describe("RANGE with an offset: is refused for keys with rounding, or fails for large ones", () => {
  const of = (over: string, values: string) =>
    `select k, sum(k) over (order by ${over}) from (select explode(array(${values})) k) t`;

  test.each([
    of("k range between 1 preceding and current row", "timestamp '2020-01-01 00:00:00'"),
    of("k range between 1 preceding and 1 following", "'a'"),
    of("k range between 1 preceding and 1 following", "1.5D"),
    of("k range between 1 preceding and 2 preceding", "1"),
    of("k rows between 2 following and 1 following", "1"),
    of("k, k range between 1 preceding and 1 following", "1"),
    of("k range between 1.5 preceding and 1 following", "1"),
  ])("%s", async (statement) => {
    await expect(answers.answer(statement)).rejects.toThrow(HiveQLError);
  });

  test.each([
    of("k range between 1 preceding and 1 following", "9000000000000000000L"),
    of("k range between 1 preceding and 1 following", "1000000000.01"),
  ])("%s", async (statement) => {
    await expect(answers.answer(statement)).rejects.toThrow("HiveQL: ");
  });
});
