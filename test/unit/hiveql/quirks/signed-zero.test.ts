/** −0.0 and 0.0; the answers are those of Hive 4.0.1, with and without vectorized execution when both agree. */
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { openAnswers } from "../answers";

let answers: Awaited<ReturnType<typeof openAnswers>>;
beforeAll(async () => {
  answers = await openAnswers();
});
afterAll(() => answers.close());

/** 0.0 for the ids 1 and 2, −0.0 for 4 and 5, NULL for 3. */
const zeros = "(select id, if(id < 3, pay * 0, pay * -1 * 0) as z, team from people) t";
const negatives = `(select * from ${zeros} where id > 3) u`;

describe("-0.0: computed from literals is 0.0", () => {
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

describe("-0.0: in columns stays -0.0", () => {
  test.each([
    [`select z from ${negatives} order by id`, ["-0.0", "-0.0"]],
    [`select z from ${negatives} order by z, id`, ["-0.0", "-0.0"]],
    [`select id, z from ${zeros} where id <> 3 order by z desc, id`, ["1|0.0", "2|0.0", "4|-0.0", "5|-0.0"]],
    [`select id, z from ${zeros} where id <> 3 order by z, id`, ["4|-0.0", "5|-0.0", "1|0.0", "2|0.0"]],
    [`select abs(z), z * -1, round(z), round(z, 1) from ${negatives} where id = 4`, ["0.0|0.0|0.0|0.0"]],
    [`select hash(z), hash(cast(z as float)) from ${negatives} where id = 4`, ["-2147483648|-2147483648"]],
  ])("%s", async (statement, expected) => {
    expect(await answers.answer(statement)).toEqual(expected);
  });
});

describe("-0.0: equals 0.0 in comparisons with one literal", () => {
  test.each([
    ["z = 0", ["1", "2", "4", "5"]],
    ["z in (0)", ["1", "2", "4", "5"]],
    ["z in (0, 0.0)", ["1", "2", "4", "5"]],
    ["z not in (1, 7)", ["1", "2", "4", "5"]],
    ["z = 0 or id = 7", ["1", "2", "4", "5"]],
    ["(z = 0 and id = 4) or (z = 0 and id = 1)", ["1", "4"]],
  ])("where %s", async (condition, expected) => {
    expect(await answers.answer(`select id from ${zeros} where ${condition} order by id`)).toEqual(expected);
  });
});

describe("-0.0: with 0.0 in arrays", () => {
  const both = `(select t.id * 10 + b.id as id, t.z as x, b.z as y, cast(t.z as float) as f, cast(b.z as float) as g
    from ${zeros}, (select id, if(id < 3, pay * 0, pay * -1 * 0) as z from people) b
    where t.id in (1, 4) and b.id in (1, 4)) p`;
  test.each([
    ["array_max(array(x, y)), array_min(array(x, y))", ["0.0|0.0", "0.0|-0.0", "0.0|-0.0", "-0.0|-0.0"]],
    ["array_distinct(array(x, y))", ["[0.0]", "[0.0]", "[-0.0]", "[-0.0]"]],
    ["array_distinct(array(f, g))", ["[0.0]", "[0.0,-0.0]", "[-0.0,0.0]", "[-0.0]"]],
    ["greatest(f, g), least(f, g)", ["0.0|0.0", "0.0|0.0", "-0.0|-0.0", "-0.0|-0.0"]],
    ["sort_array(array(x, y))", ["[0.0,0.0]", "[0.0,-0.0]", "[-0.0,0.0]", "[-0.0,-0.0]"]],
  ])("%s", async (expression, expected) => {
    expect(await answers.answer(`select ${expression} from ${both} order by id`)).toEqual(expected);
  });

  test("collect_set: keeps both of floats, and the first of doubles", async () => {
    expect(await answers.answer(`select collect_set(cast(z as float)), collect_set(z) from ${zeros}`)).toEqual([
      "[0.0,-0.0]|[0.0]",
    ]);
  });

  test("percentiles: return the first of both", async () => {
    const list = "percentile_disc(z, 0.5), percentile_approx(z, 0.5)";
    expect(await answers.answer(`select ${list} from ${zeros}`)).toEqual(["0.0|0.0"]);
    expect(await answers.answer(`select ${list} from ${negatives}`)).toEqual(["-0.0|-0.0"]);
  });
});

describe("0.0: is a normal key where -0.0 does not occur", () => {
  const positives = `(select * from ${zeros} where id < 4) v`;
  test.each([
    [`select z, count(*) from ${positives} group by z`, ["0.0|2", "NULL|1"]],
    [`select distinct z from ${positives}`, ["0.0", "NULL"]],
    [`select count(distinct z) from ${positives}`, ["1"]],
    [`select z from ${positives} union select z from ${positives}`, ["0.0", "NULL"]],
    [`select id, rank() over (order by z) from ${positives}`, ["1|1", "2|1", "3|3"]],
    [`select id from ${positives} where z in (0, 7)`, ["1", "2"]],
    [`select z, grouping(z), count(*) from ${positives} group by z with rollup`, ["0.0|0|2", "NULL|0|1", "NULL|1|3"]],
  ])("%s", async (statement, expected) => {
    expect((await answers.answer(statement)).toSorted()).toEqual(expected.toSorted());
  });
});

describe("-0.0: fails as a key and in lists, where Hive treats it and 0.0 as one value or two", () => {
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
    `select t.id from ${zeros} join ${negatives} on array(t.z) = array(u.z)`,
    `select count(*) from ${zeros} group by named_struct('z', z)`,
    `select distinct array(z) from ${zeros}`,
    `select count(distinct array(z)) from ${zeros}`,
    `select id from ${zeros} order by array(z)`,
    `select rank() over (order by z) from ${zeros}`,
    `select count(*) over (order by z) from ${zeros}`,
    `select count(*) over (partition by array(z)) from ${zeros}`,
    `select sum(id) over (partition by z, 1) from ${zeros}`,
    `select z, count(*) from ${negatives} group by z`,
    `select id from ${zeros} where z in (0, 7)`,
  ])("%s", async (statement) => {
    await expect(answers.answer(statement)).rejects.toThrow("HiveQL: -0.0 is a key");
  });
});

describe("NULL in arrays and structs used as join keys: fails, because it matches nothing in Hive", () => {
  test.each([
    "select a.id from people a join people b on array(a.team) = array(b.team)",
    "select id from people where named_struct('t', team) in (select named_struct('t', team) from people)",
  ])("%s", async (statement) => {
    await expect(answers.answer(statement)).rejects.toThrow("HiveQL: NULL in an array or struct");
  });
});

describe("NaN: is not equal to NaN in arrays", () => {
  const nans = "(select id, cast(if(id < 3, 'NaN', '1.5') as double) as x from people where id < 4) t";
  test.each([
    ["array_distinct(array(x, x))", ["[NaN,NaN]", "[NaN,NaN]", "[1.5]"]],
    ["array_contains(array(x), x)", ["true", "true", "true"]],
  ])("%s", async (expression, expected) => {
    expect(await answers.answer(`select ${expression} from ${nans} order by id`)).toEqual(expected);
  });

  test.each([
    [`select map(x, 1) from ${nans}`, "a map with the key NaN"],
    [`select count(*) over (order by x) from ${nans}`, "NaN in ORDER BY of a window frame"],
    [`select count(distinct x, 1) from ${nans}`, "NaN in ORDER BY of a window frame or in count(DISTINCT)"],
  ])("%s: fails", async (statement, message) => {
    await expect(answers.answer(statement)).rejects.toThrow(message);
  });

  test("rank: NaN values are peers", async () => {
    expect(await answers.answer(`select id, rank() over (order by x) from ${nans} order by id`)).toEqual([
      "1|2",
      "2|2",
      "3|1",
    ]);
  });
});
