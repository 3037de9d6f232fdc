import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { HiveQLError } from "../../../../hiveql/index";
import { openAnswers } from "../answers";

let answers: Awaited<ReturnType<typeof openAnswers>>;
beforeAll(async () => {
  answers = await openAnswers();
});
afterAll(() => answers.close());

/** Groups: large close numbers, numbers with NULL, only NULL, one row, three equal rows. */
const samples = [
  "select cast(1 as int) as g, cast(1 as int) as i, cast(1000000001 as bigint) as b, cast(1000000001.5D as double) as d, cast(1.10 as decimal(10,2)) as m, cast('1' as string) as s",
  "select cast(1 as int) as g, cast(2 as int) as i, cast(1000000002 as bigint) as b, cast(1000000002.5D as double) as d, cast(2.20 as decimal(10,2)) as m, cast('2' as string) as s",
  "select cast(1 as int) as g, cast(4 as int) as i, cast(1000000004 as bigint) as b, cast(1000000004.5D as double) as d, cast(4.40 as decimal(10,2)) as m, cast('x' as string) as s",
  "select cast(2 as int) as g, cast(5 as int) as i, cast(cast(null as bigint) as bigint) as b, cast(0.1D as double) as d, cast(7.70 as decimal(10,2)) as m, cast('' as string) as s",
  "select cast(2 as int) as g, cast(5 as int) as i, cast(7 as bigint) as b, cast(0.1D as double) as d, cast(7.70 as decimal(10,2)) as m, cast(null as string) as s",
  "select cast(3 as int) as g, cast(null as int) as i, cast(null as bigint) as b, cast(null as double) as d, cast(null as decimal(10,2)) as m, cast(null as string) as s",
  "select cast(4 as int) as g, cast(9 as int) as i, cast(9 as bigint) as b, cast(9D as double) as d, cast(9 as decimal(10,2)) as m, cast('9' as string) as s",
  "select cast(5 as int) as g, cast(3 as int) as i, cast(3 as bigint) as b, cast(0.1D as double) as d, cast(0.1 as decimal(10,2)) as m, cast('3' as string) as s",
  "select cast(5 as int) as g, cast(3 as int) as i, cast(3 as bigint) as b, cast(0.1D as double) as d, cast(0.1 as decimal(10,2)) as m, cast('3' as string) as s",
  "select cast(5 as int) as g, cast(3 as int) as i, cast(3 as bigint) as b, cast(0.1D as double) as d, cast(0.1 as decimal(10,2)) as m, cast('3' as string) as s",
].join(" union all ");

const over = (statement: string) => statement.replace("samples", `(${samples}) samples`);

/** The last digits of floating point sums depend on row order, in Hive too. */
function near(cells: string): string {
  const cell = (text: string) => (/[.E]/.test(text) && Number.isFinite(Number(text)) ? Number(text).toFixed(9) : text);
  return cells
    .split("|")
    .map(cell)
    .join("|")
    .replaceAll(/-(0\.0+)(?=\||$)/g, "$1");
}

describe("groups: as Hive answers without its optimizer", () => {
  test.each<[string, string[]]>([
    [
      "select g, var_pop(i), var_pop(b), var_pop(d), var_pop(m), var_pop(s) from samples group by g",
      [
        "1|1.5555555555555556|1.5555555555555556|1.5555555555555556|1.8822222222222222|0.25",
        "2|0.0|0.0|0.0|0.0|NULL",
        "3|NULL|NULL|NULL|NULL|NULL",
        "4|0.0|0.0|0.0|0.0|0.0",
        "5|0.0|0.0|0.0|0.0|0.0",
      ],
    ],
    [
      "select g, var_samp(i), var_samp(b), var_samp(d), var_samp(m), var_samp(s) from samples group by g",
      [
        "1|2.3333333333333335|2.3333333333333335|2.3333333333333335|2.823333333333333|0.5",
        "2|0.0|NULL|0.0|0.0|NULL",
        "3|NULL|NULL|NULL|NULL|NULL",
        "4|NULL|NULL|NULL|NULL|NULL",
        "5|0.0|0.0|0.0|0.0|0.0",
      ],
    ],
    [
      "select g, stddev(i), std(d), stddev_pop(m), stddev_samp(b), stddev_samp(s) from samples group by g",
      [
        "1|1.247219128924647|1.247219128924647|1.3719410418171118|1.5275252316519468|0.7071067811865476",
        "2|0.0|0.0|0.0|NULL|NULL",
        "3|NULL|NULL|NULL|NULL|NULL",
        "4|0.0|0.0|0.0|NULL|NULL",
        "5|0.0|0.0|0.0|0.0|0.0",
      ],
    ],
    [
      "select g, covar_pop(i, m), covar_samp(i, m), corr(i, m) from samples group by g",
      [
        "1|1.7111111111111112|2.566666666666667|1.0",
        "2|0.0|0.0|NULL",
        "3|NULL|NULL|NULL",
        "4|0.0|NULL|NULL",
        "5|0.0|0.0|NULL",
      ],
    ],
    [
      "select covar_pop(-x, x - 12345678901234567890.12), covar_pop(x - 12345678901234567890.12, -x) from (select explode(array(1.50, -2.55, 99999999.99, 0.01, 12.34, 100.50)) as x) t",
      ["-1388888435971296.8|-1388887298184061.8"],
    ],
    [
      "select sum(cast(f as string)), avg(f), var_pop(f) from (select cast(0.1 as float) as f union all select cast(0.3 as float)) t",
      ["0.4|0.20000000670552254|0.01000000104308131"],
    ],
    [
      "select g, percentile(i, 0.5), percentile(b, 0.3), percentile(i, 0), percentile_cont(m, 0.3), percentile_disc(m, 0.3) from samples group by g",
      [
        "1|2.0|1.0000000015999999E9|1.0|1.7600000000000002|2.2",
        "2|5.0|7.0|5.0|7.7|7.7",
        "3|NULL|NULL|NULL|NULL|NULL",
        "4|9.0|9.0|9.0|9.0|9.0",
        "5|3.0|3.0|3.0|0.1|0.1",
      ],
    ],
    [
      "select var_pop(distinct i), percentile(distinct i, 0.5), percentile(i, 0.5), percentile_disc(d, 0.5) from samples",
      ["6.666666666666667|3.5|3.0|0.1"],
    ],
    [
      "select var_pop(i), std(d), corr(i, d), percentile(i, 0.5), covar_samp(i, d) from samples where g = 99",
      ["NULL|NULL|NULL|NULL|NULL"],
    ],
    [
      "select g, var_pop(i) over (partition by g), stddev_samp(i) over (partition by g), corr(i, m) over (partition by g), percentile(i, 0.5) over (partition by g) from samples",
      [
        "1|1.5555555555555556|1.5275252316519468|1.0|2.0",
        "1|1.5555555555555556|1.5275252316519468|1.0|2.0",
        "1|1.5555555555555556|1.5275252316519468|1.0|2.0",
        "2|0.0|0.0|NULL|5.0",
        "2|0.0|0.0|NULL|5.0",
        "3|NULL|NULL|NULL|NULL",
        "4|0.0|NULL|NULL|9.0",
        "5|0.0|0.0|NULL|3.0",
        "5|0.0|0.0|NULL|3.0",
        "5|0.0|0.0|NULL|3.0",
      ],
    ],
  ])("%s", async (statement, rows) => {
    const found = await answers.answer(over(statement));
    expect(found.map(near).toSorted()).toEqual(rows.map(near).toSorted());
  });
});

describe("variance: row by row, with DISTINCT of the distinct values", () => {
  test.each([
    ["var_pop(distinct x)", "1.5555555555555556"],
    ["var_pop(x)", "1.5"],
  ])("%s of -1, 1, 2 and 2 is %s", async (expression, value) => {
    expect(
      await answers.answer(
        `select ${expression} from (select -1 x union all select 1 union all select 2 union all select 2) t`,
      ),
    ).toEqual([value]);
  });

  test("std of three times 0.1 is 0", async () => {
    expect(await answers.answer(over("select std(d) from samples where g = 5"))).toEqual(["0.0"]);
    expect(await answers.answer(over("select distinct std(d) over () from samples where g = 5"))).toEqual(["0.0"]);
  });
});

describe("percentile: of arrays and of NULL", () => {
  test.each(["percentile(null, 0.5)", "percentile(null, array(0.5))", "percentile_cont(null, 0.5)"])(
    "%s is NULL",
    async (expression) => {
      expect(await answers.answer(over(`select ${expression} from samples`))).toEqual(["NULL"]);
    },
  );

  test("returns one value for each fraction, and NULL without values", async () => {
    expect(
      await answers.answer(
        over("select g, percentile(i, array(0.0, 0.25, 1.0)) from samples where g in (1, 3) group by g order by g"),
      ),
    ).toEqual(["1|[1.0,1.5,4.0]", "3|NULL"]);
  });
});

describe("NaN and infinite numbers: the statistics are NaN, as in Hive", () => {
  const expressions =
    "stddev(x), var_samp(x), variance(x), corr(x, x), covar_pop(x, 1D), covar_samp(x, x), stddev_samp(x)";

  test.each(["cast('NaN' as double)", "cast('Infinity' as double)", "cast('-Infinity' as float)", "'NaN'"])(
    "%s among others",
    async (value) => {
      const rows = `select explode(array(cast(${value} as double), 1D, 2D, null)) x`;
      const all = Array.from({ length: 7 }, () => "NaN").join("|");
      expect(await answers.answer(`select ${expressions} from (${rows}) t`)).toEqual([all]);
      expect(
        await answers.answer(`select var_pop(x) over (order by n rows between current row and 1 following)
          from (select posexplode(array(cast(${value} as double), 1D, 3D)) as (n, x)) t order by n`),
      ).toEqual(["NaN", "1.0", "0.0"]);
    },
  );

  test("a pair with a NULL does not count", async () => {
    expect(
      await answers.answer(
        "select covar_pop(x, y) from (select stack(3, 1D, 2D, 3D, 4D, cast('NaN' as double), cast(null as double)) as (x, y)) t",
      ),
    ).toEqual(["1.0"]);
  });
});

describe("percentiles WITHIN GROUP: as Hive answers", () => {
  test.each([
    [
      "percentile_cont(0.3) within group (order by x), percentile_cont(0.3) within group (order by x desc)",
      "1,5,7,10",
      "4.6|7.3",
    ],
    [
      "percentile_disc(0.3) within group (order by x), percentile_disc(0.3) within group (order by x desc)",
      "1,5,7,10",
      "5.0|7.0",
    ],
    [
      "percentile_cont(0.3) within group (order by x nulls first), percentile_cont(0.5) within group (order by x)",
      "1.5D,cast(null as double),5D,7D,10D",
      "4.65|6.0",
    ],
    ["percentile_cont(array(0.3,0.5)) within group (order by x)", "1,5,7,10", "[4.6,6.0]"],
    ["percentile_disc(1.0) within group (order by x desc)", "1.25,3.5,7.0,11.25", "1.25"],
  ])("%s of %s", async (expression, values, row) => {
    expect(await answers.answer(`select ${expression} from (select explode(array(${values})) x) t`)).toEqual([row]);
  });
});

describe("refused: what Hive refuses, and what would give another answer than Hive", () => {
  test.each([
    "corr(s, i)",
    "covar_pop(1, 'a')",
    "regr_slope(s, i)",
    "var_pop(true)",
    "percentile(d, 0.5)",
    "percentile(i, 1.5)",
    "percentile(i, d)",
    "percentile_cont(i, 0.5d)",
    "percentile_cont(i, 0.5) over ()",
    "percentile_cont(0.5d) within group (order by i)",
    "percentile_cont(0.5) within group (order by i, m)",
    "percentile_cont(0.5) within group (order by s)",
    "percentile_cont(0.5)",
    "percentile(0.5) within group (order by i)",
    "rank(5) within group (order by i)",
    "sum(lag(i) over (order by i)) over (order by lag(i))",
  ])("%s", async (expression) => {
    await expect(answers.answer(over(`select ${expression} from samples`))).rejects.toThrow(HiveQLError);
  });
});
