import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { HiveQLError } from "../../../../hiveql/index";
import { openAnswers } from "../answers";

let answers: Awaited<ReturnType<typeof openAnswers>>;
beforeAll(async () => {
  answers = await openAnswers();
});
afterAll(() => answers.close());

/** `x / d` divides by zero in the second row and is NULL in the third; the answers are those of Hive 4.0.1. */
const rows = "(select stack(3, 1, 4, 2, 2, 4, 0, 3, cast(null as int), 1) as (id, x, d)) t";

describe("IS NULL: of arithmetic and comparisons tests only the operands, as Hive's optimizer does", () => {
  test.each([
    ["x / d is null", ["false", "false", "true"]],
    ["x / d is not null", ["true", "true", "false"]],
    ["isnull(x / d)", ["false", "false", "true"]],
    ["isnotnull(x / d)", ["true", "true", "false"]],
    ["(x / d) + 1 is null", ["false", "false", "true"]],
    ["-(x / d) is null", ["false", "false", "true"]],
    ["(x / d > 1) is null", ["false", "false", "true"]],
    ["(x / d > 1) is unknown", ["false", "false", "true"]],
    ["(not (x / d > 1)) is null", ["false", "false", "true"]],
    ["(x * 1.0 / d > x) is null", ["false", "false", "true"]],
    ["coalesce(x / d, -1)", ["2.0", "NULL", "-1.0"]],
    ["coalesce(x / d, 'none')", ["2.0", "NULL", "none"]],
    ["case when x / d is null then -1 else 1 end", ["1", "1", "-1"]],
    ["cast(1e37 as decimal(38,0)) * (x * 100) is null", ["false", "false", "true"]],
  ])("%s", async (expression, expected) => {
    expect(await answers.answer(`select ${expression} as r from ${rows} order by id`)).toEqual(expected);
  });

  test.each([
    ["x % d is null", ["false", "true", "true"]],
    ["nvl(x / d, -1)", ["2.0", "-1.0", "-1.0"]],
    ["cast(x / d as int) is null", ["false", "true", "true"]],
    ["abs(x / d) is null", ["false", "true", "true"]],
    ["x / d <=> null", ["false", "true", "true"]],
    ["count(x / d) over ()", ["1", "1", "1"]],
  ])("%s: a division by zero is NULL", async (expression, expected) => {
    expect(await answers.answer(`select ${expression} as r from ${rows} order by id`)).toEqual(expected);
  });

  test("group keys are columns and aggregates are not", async () => {
    expect(await answers.answer(`select r is null from (select x / d r from ${rows} group by x / d) q`)).toHaveLength(
      2,
    );
    expect(await answers.answer(`select coalesce(sum(x) / (count(*) - 3), -1) from ${rows}`)).toEqual(["NULL"]);
  });

  test.each([
    `select r is null from (select x / d r from ${rows}) q`,
    `with q as (select x / d r from ${rows}) select coalesce(r, 0) from q`,
    `select (case when id > 1 then x / d end) is null from ${rows}`,
  ])("%s is refused: the answer depends on how Hive merges queries", async (statement) => {
    await expect(answers.answer(statement)).rejects.toThrow(HiveQLError);
  });
});

describe("NOT IN: of texts and numbers of a subquery", () => {
  test.each([
    "select id from people where name not in (select n from visits where n is not null)",
    "select id from people where id not in (select place from visits)",
  ])("%s fails: Hive answers other rows for texts that are no numbers", async (statement) => {
    await expect(answers.answer(statement)).rejects.toThrow("HiveQL: NOT IN");
  });
});
