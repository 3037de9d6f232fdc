import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { HiveQLError } from "../../../../hiveql/index";
import { openAnswers } from "../answers";

let answers: Awaited<ReturnType<typeof openAnswers>>;
beforeAll(async () => {
  answers = await openAnswers();
});
afterAll(() => answers.close());

const of = (values: string) => `from (select explode(array(${values})) x) t`;
const mixed = "3.3D,1.1D,2.2D,4.4D,1.1D,9.9D,-5D,7.25D,7.25D,100D";
const whole = "3,1,2,4,1,9,-5,7,7,100,33,22,11,12";

describe("percentile_approx: exact when each value has a bin", () => {
  test.each([
    [
      "select percentile_approx(x, 0.5), percentile_approx(x, array(0.1,0.25,0.9)), percentile_approx(x, 0.5, 100)",
      "1,2,5,5,9,null",
      "2.75|[1.0,1.25,7.0]|2.75",
    ],
    [
      "select percentile_approx(x, 0.1), percentile_approx(x, 0.2), percentile_approx(x, 0.3), percentile_approx(x, 0.6)",
      mixed,
      "-5.0|-1.9500000000000002|1.0999999999999996|4.4",
    ],
    ["select percentile_approx(x, 0.7), percentile_approx(x, 0.9)", mixed, "5.825|9.9"],
    [
      "select percentile_approx(x, array(0.07,0.14,0.21,0.28,0.35,0.42,0.49,0.56,0.63,0.7,0.77,0.84,0.91,0.98))",
      whole,
      "[-5.0,-2.119999999999999,0.8200000000000003,1.9200000000000004,2.8999999999999995,3.88,5.289999999999999,6.760000000000002,8.64,10.599999999999998,11.780000000000001,19.599999999999998,30.14,81.23999999999992]",
    ],
    ["select percentile_approx(x, 0.5)", "cast(null as int)", "NULL"],
    ["select percentile_approx(x, 0.5, 1)", "1, 1", "1.0"],
  ])("%s of %s is %s", async (query, values, row) => {
    expect(await answers.answer(`${query} ${of(values)}`)).toEqual([row]);
  });

  test("over windows: the frame's rows", async () => {
    const query = `select x, percentile_approx(x, 0.5) over (order by x) ${of("7, 1, 2")} order by x`;
    expect(await answers.answer(query)).toEqual(["1|1.0", "2|1.0", "7|1.5"]);
  });
});

const numbers = Array.from({ length: 20 }, (_unused, index) => index + 1).join(",");
const many = "from (select posexplode(split(space(19999), ' ')) as (pos, v)) t";

describe("percentile_approx: the same with fewer bins than distinct values, in any order of the rows", () => {
  test.each([
    [`select percentile_approx(x, array(0.1,0.25,0.5,0.75), 5) ${of(numbers)}`, "[2.0,5.0,10.0,15.0]"],
    [`select percentile_approx(x, 0.7, 4), percentile_approx(x, 0.9, 4) ${of(mixed)}`, "5.825|9.9"],
    [`select percentile_approx(pos, array(0.05,0.5,0.95), 100) ${many}`, "[999.0,9999.0,18999.0]"],
    [`select percentile_approx(20000 - pos, 0.5) ${many}`, "10000.0"],
  ])("%s is %s", async (query, row) => {
    expect(await answers.answer(query)).toEqual([row]);
  });
});

describe("percentile_approx: fail", () => {
  test("for NaN, which Hive compares by its bits", async () => {
    const query = `select percentile_approx(x, 0.5) ${of("cast('NaN' as double)")}`;
    await expect(answers.answer(query)).rejects.toThrow("HiveQL: ");
  });

  test.each([
    "select percentile_approx(x, 0.0)",
    "select percentile_approx(x, 1)",
    "select percentile_approx(x, 0.5, 0)",
    "select percentile_approx(distinct x, 0.5)",
    "select percentile_approx(cast(x as string), 0.5)",
  ])("%s", async (query) => {
    await expect(answers.answer(`${query} ${of("1")}`)).rejects.toThrow(HiveQLError);
  });
});
