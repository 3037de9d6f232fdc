/** Aggregates of doubles and decimals; the expected values are those of Hive 4.0.1. */
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { openAnswers } from "./answers";

let hive: Awaited<ReturnType<typeof openAnswers>>;
beforeAll(async () => void (hive = await openAnswers()));
afterAll(() => hive.close());

const values = "(select stack(4, 1, 10, 2, 20, 3, null, 4, 30) as (id, n)) t";
const over = (value: string, frame: string, where = "true") =>
  `select ${value} over (order by id ${frame}) as r from ${values} where ${where} order by id`;

describe("collect_set: of NaN", () => {
  it("is one value", async () => {
    const rows = await hive.answer(`select collect_set(cast('NaN' as double)), collect_set(1e0) from ${values}`);
    expect(rows).toEqual(["[NaN]|[1.0]"]);
  });
});

describe("collect_list: with DISTINCT", () => {
  it("keeps one of equal values, and no NULL", async () => {
    const rows = "(select stack(5, 1, 1.0D, 1, 1.0D, 2, -0.0D, 2, 0.0D, 2, null) as (k, n)) t";
    const statement = `select k, sort_array(collect_list(distinct n)), count(n) from ${rows} group by k order by k`;
    expect(await hive.answer(statement)).toEqual(["1|[1.0]|2", expect.stringMatching(/^2\|\[-?0\.0\]\|2$/)]);
  });
});

describe("avg and sum: are NULL in a frame of NULLs", () => {
  it.each([
    ["avg(n)", "rows current row", ["10.0", "20.0", "NULL", "30.0"]],
    ["avg(n)", "rows between 1 preceding and 1 preceding", ["NULL", "10.0", "20.0", "NULL"]],
    ["avg(n)", "rows between 1 preceding and current row", ["10.0", "15.0", "20.0", "30.0"]],
    ["avg(n)", "rows between current row and unbounded following", ["20.0", "25.0", "30.0", "30.0"]],
    ["avg(n)", "rows unbounded preceding", ["10.0", "15.0", "15.0", "20.0"]],
    ["avg(n)", "range between current row and current row", ["10.0", "20.0", "NULL", "30.0"]],
    ["avg(cast(n as decimal(4,1)))", "rows current row", ["10.00000", "20.00000", "NULL", "30.00000"]],
    ["sum(n)", "rows current row", ["10", "20", "NULL", "30"]],
  ])("answers %s over %s", async (value, frame, rows) => {
    expect(await hive.answer(over(value, frame))).toEqual(rows);
  });

  it("is NULL where no value came before", async () => {
    expect(await hive.answer(over("avg(n)", "rows current row", "id > 2"))).toEqual(["NULL", "30.0"]);
  });
});

describe("sum: of decimals with digits that a cast or an arithmetic adds has the type that Hive names", () => {
  it.each([
    ["decimal(38,10)", "sum(cast(price as decimal(38,10)))", "13.6000000000", "0.1234500000"],
    ["decimal(38,18)", "sum(cast(price as decimal(28,18)))", "13.600000000000000000", "0.123450000000000000"],
    ["decimal(38,10)", "sum(cast(price * 2 as decimal(38,10)))", "27.2000000000", "0.1234500000"],
    ["decimal(37,10)", "sum(cast(price as decimal(27,10)))", "13.6000000000", "0.1234500000"],
  ])("%s: %s", async (type, sum, all, other) => {
    const statement = (value: string, where: string) => `select ${value} from visits where ${where}`;
    expect(hive.typesOf(statement(sum, "true"))).toEqual([type]);
    expect(await hive.answer(statement(sum, "true"))).toEqual([all]);
    // A value that meets the sum keeps its digits.
    expect(await hive.answer(statement(`coalesce(${sum}, 0.12345)`, "person = '9'"))).toEqual([other]);
    const both = `${statement(sum, "true")} union all select cast(0.12345 as ${type})`;
    expect((await hive.answer(both)).toSorted()).toEqual([other, all]);
  });
});

describe("avg: the scale for decimals with more than 24 digits is what 38 digits leave", () => {
  const numbers = "'0.5,-0.000000000000000001,0.3,0.3333333333333333333333,0.77,0.12,0.9'";
  it.each([
    ["10,2", "0.417143", "0.417143"],
    ["24,2", "0.417143", "0.417143"],
    ["25,5", "0.417618571", "0.417618571"],
    ["28,18", "0.4176190476190476188571", "0.4176190476190476188571"],
    ["30,10", "0.41761904761429", "0.41761904761429"],
    ["34,0", "0.4286", "0.5000"],
    ["36,2", "0.4171", "0.4171"],
  ])("decimal(%s)", async (type, all, distinct) => {
    const statement = `select avg(x), avg(distinct x)
      from (select cast(v as decimal(${type})) as x from (select explode(split(${numbers}, ',')) as v) t) u`;
    expect(await hive.answer(statement)).toEqual([`${all}|${distinct}`]);
  });

  it("over windows it has all of them", async () => {
    const statement = `select max(m) from (select avg(cast(v as decimal(28,18))) over () as m
      from (select explode(split(${numbers}, ',')) as v) t) u`;
    expect(await hive.answer(statement)).toEqual(["0.4176190476190476188571"]);
  });
});
