/** −0.0 beside 0.0: answers are those of Hive 4.0.1, with and without vectorized execution where both answer alike. */
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { openAnswers, refusal } from "./answers";

let answers: Awaited<ReturnType<typeof openAnswers>>;
beforeAll(async () => {
  answers = await openAnswers();
});
afterAll(() => answers.close());

/** 0.0 for the ids 1 and 2, −0.0 for 4 and 5, NULL for 3. */
const zeros = "(select id, if(id < 3, pay * 0, pay * -1 * 0) as z, team from people) t";
const negatives = `(select * from ${zeros} where id > 3) u`;

describe("-0.0: of literals is 0.0", () => {
  test.each([
    ["-0.0D", "0.0"],
    ["cast(-0.0D as string)", "0.0"],
    ["0 * -1.0D", "0.0"],
    ["negative(0.0D)", "0.0"],
    ["concat(-0.0D, 'x')", "0.0x"],
    ["array(-0.0D)", "[0.0]"],
    ["cast('-0.0' as double)", "0.0"],
  ])("%s is %s", async (expression, expected) => {
    expect(await answers.answer(`select ${expression}`)).toEqual([expected]);
  });
});

describe("-0.0: of columns stays", () => {
  test.each([
    [`select z from ${negatives} order by id`, ["-0.0", "-0.0"]],
    [`select z from ${negatives} order by z, id`, ["-0.0", "-0.0"]],
    [`select id, z from ${zeros} where id <> 3 order by z desc, id`, ["1|0.0", "2|0.0", "4|-0.0", "5|-0.0"]],
    [`select z, count(*) over (partition by z) from ${negatives}`, ["-0.0|2", "-0.0|2"]],
    [`select z, count(*) over (order by z) from ${negatives}`, ["-0.0|2", "-0.0|2"]],
    [`select abs(z), z * -1, round(z), round(z, 1), bround(z) from ${negatives} where id = 4`, ["0.0|0.0|0.0|0.0|0.0"]],
    [`select hash(z), hash(cast(z as float)) from ${negatives} where id = 4`, ["-2147483648|-2147483648"]],
  ])("%s", async (statement, expected) => {
    expect(await answers.answer(statement)).toEqual(expected);
  });
});

describe("-0.0: equals 0.0, but is none of several literals", () => {
  test.each([
    ["z = 0", ["1", "2", "4", "5"]],
    ["z in (0)", ["1", "2", "4", "5"]],
    ["z in (0, 0.0)", ["1", "2", "4", "5"]],
    ["z in (0, 7)", ["1", "2"]],
    ["z not in (0, 7)", []],
    ["z not in (1, 7)", ["1", "2", "4", "5"]],
    ["z = 0 or z = 7", ["1", "2"]],
    ["0.0D = z or z = 7 or id = 4", ["1", "2", "4"]],
    ["z in (0) or z in (7)", ["1", "2"]],
    ["z = 0 or id = 7", ["1", "2", "4", "5"]],
    ["not (z = 0 or z = 7)", []],
    ["(z in (0, 7, null)) is null", ["3", "4", "5"]],
    ["(z, id) in ((0, 4), (7, 7))", ["4"]],
  ])("where %s", async (condition, expected) => {
    expect(await answers.answer(`select id from ${zeros} where ${condition} order by id`)).toEqual(expected);
  });
});

describe("-0.0: one key by itself is a key as any other", () => {
  test.each([
    [`select z, count(*) from ${negatives} group by z`, ["-0.0|2"]],
    [`select distinct z from ${negatives}`, ["-0.0"]],
    [`select distinct z, team from ${zeros} order by z, team`, ["0.0|red", "-0.0|blue", "-0.0|NULL", "NULL|blue"]],
    [`select count(distinct z) from ${negatives}`, ["1"]],
    [`select z from ${negatives} union select z from ${negatives}`, ["-0.0"]],
    [
      `select team, z, count(*) from ${zeros} group by team, z order by z, team`,
      ["red|0.0|2", "blue|-0.0|1", "NULL|-0.0|1", "blue|NULL|1"],
    ],
  ])("%s", async (statement, expected) => {
    expect((await answers.answer(statement)).toSorted()).toEqual(expected.toSorted());
  });
});

describe("-0.0 beside 0.0: fails where Hive takes them for one or for two", () => {
  test.each([
    `select z, count(*) from ${zeros} group by z`,
    `select count(*) from ${zeros} group by z`,
    `select z, team, count(*) from ${zeros} group by z, team with rollup`,
    `select distinct z from ${zeros}`,
    `select count(distinct z) from ${zeros}`,
    `select count(distinct z, 1) from ${zeros}`,
    `select avg(distinct z) from ${zeros}`,
    `select z from ${zeros} union select z from ${negatives}`,
    `select z from ${negatives} intersect select z from ${negatives}`,
    `select z from ${negatives} except select z from ${negatives}`,
    `select t.id from ${zeros} join ${negatives} on t.z = u.z`,
    `select t.id from ${zeros} where t.z in (select z from ${negatives})`,
  ])("%s", async (statement) => {
    await expect(answers.answer(statement)).rejects.toThrow("HiveQL: -0.0 and 0.0");
  });
});

test("NaN: a literal beside a column is refused, since Hive's filters find it in no row", () => {
  expect(refusal("select id from people where pay = cast('NaN' as double)").message).toContain("NaN");
});
