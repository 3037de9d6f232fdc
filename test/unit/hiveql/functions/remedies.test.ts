import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { otherDialects } from "../../../../hiveql/functions/other-dialects";
import { refusalOf } from "../../../../hiveql/functions/refused";
import { openAnswers } from "../answers";

/* What a refusal says to write, written so, gives what the function gives where it exists. */

let hive: Awaited<ReturnType<typeof openAnswers>>;
beforeAll(async () => {
  hive = await openAnswers();
});
afterAll(() => hive.close());

/** The expression in a refusal, with its names replaced. */
function expression(reason: string | undefined, values: Readonly<Record<string, string>>): string {
  const written = /write (.*?)(?:, (?:for|and|whose) .*| for .*|$)/s.exec(
    `write ${reason?.replace(/^.*?write /s, "")}`,
  )![1]!;
  return written.replaceAll(/\b[a-z]+\b(?!\s*\()/g, (name) => values[name] ?? name);
}

describe("refused functions", () => {
  const points =
    "(select 1 x, 10 y union all select 2, 21 union all select 4, 39 union all select 100, cast(null as int) union all select null, 5) t";
  test.each([
    ["regr_count", "3"],
    ["regr_avgx", "2.3333333333333335"],
    ["regr_avgy", "23.333333333333332"],
    ["regr_slope", "9.571428571428571"],
    ["regr_intercept", "1"],
    ["regr_sxx", "4.666666666666667"],
    ["regr_sxy", "44.666666666666664"],
    ["regr_syy", "428.66666666666663"],
  ])("%s: the remedy has the rows with both values only", async (name, value) => {
    const [answer] = await hive.answer(`select ${expression(refusalOf(name), {})} from ${points}`);
    expect(Number(answer)).toBeCloseTo(Number(value), 9);
  });

  test.each([
    ["mask", { s: "'Änna Maier 4711'" }, "Xxxx Xxxxx nnnn"],
    ["width_bucket", { x: "-100", low: "0", high: "10", n: "5" }, "0"],
    ["width_bucket", { x: "2", low: "0", high: "6", n: "3" }, "2"],
    ["width_bucket", { x: "10", low: "0", high: "10", n: "5" }, "6"],
    ["width_bucket", { x: "1000", low: "0", high: "10", n: "5" }, "6"],
    ["to_epoch_milli", { time: "timestamp '2020-01-01 00:00:00.123'" }, "1577836800123"],
    ["to_epoch_milli", { time: "timestamp '1969-12-31 23:59:59.5'" }, "-500"],
    ["json_read", { text: `'{"field":"v"}'` }, "v"],
  ])("%s: the remedy for %o is %s", async (name, values, value) => {
    expect(await hive.answer(`select ${expression(refusalOf(name), values)}`)).toEqual([value]);
  });

  test("replicate_rows: the remedy gives no row for 0", async () => {
    const lateral = refusalOf("replicate_rows")!.replace(/^.*?write /, "");
    expect(await hive.answer(`select n from (select explode(array(0, 1, 3)) n) t ${lateral}`)).toEqual([
      "1",
      "3",
      "3",
      "3",
    ]);
  });
});

describe("functions of other dialects", () => {
  test.each([
    ["array_size", { array: "array(1, 2)" }, "2"],
    ["dayofyear", { date: "date '2024-12-31'" }, "366"],
    ["element_at", { array: "array('a', 'b')", n: "2" }, "b"],
    ["ends_with", { text: "'the end'" }, "true"],
    ["starts_with", { text: "'restart'" }, "false"],
    ["isdate", { text: "'yesterday'" }, "false"],
    ["isnan", { x: "(0 / CAST('NaN' AS double))" }, "true"],
    ["json_extract", { text: `'{"field":"v"}'` }, "v"],
    ["median", { x: "1.5" }, "1.5"],
    ["split_part", { text: "'a|b'", n: "2" }, "b"],
    ["to_unixtime", { time: "timestamp '2020-01-01 00:00:00'" }, "1577836800"],
  ])("%s: the remedy for %o is %s", async (name, values, value) => {
    const written = otherDialects.get(name)!.split(" or ")[0];
    expect(await hive.answer(`select ${expression(written, values)}`)).toEqual([value]);
  });
});

test("percentile: of decimals, the remedy is percentile_cont", async () => {
  await expect(hive.answer("select percentile(price, 0.5) from visits")).rejects.toThrow("write percentile_cont(x, p)");
  expect(await hive.answer("select percentile_cont(price, 0.5) from visits")).toEqual(["1.75"]);
});
