import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { openAnswers } from "../answers";

let answers: Awaited<ReturnType<typeof openAnswers>>;
beforeAll(async () => {
  answers = await openAnswers();
});
afterAll(() => answers.close());

/** `x / d` divides by zero in the second row and is NULL in the third. */
const rows = "(select stack(3, 1, 4, 2, 2, 4, 0, 3, cast(null as int), 1) as (id, x, d)) t";

describe("IS NULL and COALESCE: test the value, which is NULL for a division by zero", () => {
  test.each([
    ["x / d is null", ["false", "true", "true"]],
    ["x / d is not null", ["true", "false", "false"]],
    ["isnull(x / d)", ["false", "true", "true"]],
    ["isnotnull(x / d)", ["true", "false", "false"]],
    ["(x / d) + 1 is null", ["false", "true", "true"]],
    ["-(x / d) is null", ["false", "true", "true"]],
    ["(x / d > 1) is null", ["false", "true", "true"]],
    ["(x / d > 1) is unknown", ["false", "true", "true"]],
    ["(not (x / d > 1)) is null", ["false", "true", "true"]],
    ["(x * 1.0 / d > x) is null", ["false", "true", "true"]],
    ["coalesce(x / d, -1)", ["2.0", "-1.0", "-1.0"]],
    ["coalesce(x / d, 'none')", ["2.0", "none", "none"]],
    ["case when x / d is null then -1 else 1 end", ["1", "-1", "-1"]],
    ["cast(1e37 as decimal(38,0)) * (x * 100) is null", ["true", "true", "true"]],
    ["x % d is null", ["false", "true", "true"]],
    ["nvl(x / d, -1)", ["2.0", "-1.0", "-1.0"]],
    ["cast(x / d as int) is null", ["false", "true", "true"]],
    ["abs(x / d) is null", ["false", "true", "true"]],
    ["x / d <=> null", ["false", "true", "true"]],
    ["count(x / d) over ()", ["1", "1", "1"]],
    ["(case when id > 1 then x / d end) is null", ["true", "true", "true"]],
  ])("%s", async (expression, expected) => {
    expect(await answers.answer(`select ${expression} as r from ${rows} order by id`)).toEqual(expected);
  });

  test.each([
    [`select r is null from (select id, x / d r from ${rows}) q order by id`, ["false", "true", "true"]],
    [`with q as (select id, x / d r from ${rows}) select coalesce(r, 0) from q order by id`, ["2.0", "0.0", "0.0"]],
    [`select coalesce(sum(x) / (count(*) - 3), -1) from ${rows}`, ["-1.0"]],
  ])("%s", async (statement, expected) => {
    expect(await answers.answer(statement)).toEqual(expected);
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
