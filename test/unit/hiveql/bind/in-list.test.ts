import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { openAnswers } from "../answers";

let answers: Awaited<ReturnType<typeof openAnswers>>;
beforeAll(async () => {
  answers = await openAnswers();
});
afterAll(() => answers.close());

/** One row of NULLs and one of values, with columns of each type that can be compared with a literal. */
const values = `(select cast(i as tinyint) t, cast(i as int) n, cast(i as bigint) b, cast(i as decimal(10,2)) d, cast(i as double) x,
  cast(0.1 as float) f, cast(i as string) s, c, cast('ab' as varchar(3)) v
  from (select id i, c from chars where id = 2 union all select cast(null as int) i, c from chars where id = 2) o) q`;

/** The results of Hive 4.0.1 for the row of NULLs and for the row of values. */
function holds(cases: readonly (readonly [condition: string, ofNull: string, ofTwo: string])[]) {
  test.each(cases)("%s", async (condition, ofNull, ofTwo) => {
    expect(await answers.answer(`select ${condition} from ${values} order by n desc`)).toEqual([ofNull, ofTwo]);
  });
}

describe("IN: ignores literals that are not values of the column's type", () => {
  holds([
    ["n in ('2', 'x')", "NULL", "true"],
    ["n in ('3', 'x')", "NULL", "false"],
    ["n not in ('3', 'x')", "NULL", "true"],
    ["n in ('12.5')", "false", "false"],
    ["n not in (2.5)", "true", "true"],
    ["n in ('2.0', '3')", "NULL", "true"],
    ["n in ('2L')", "NULL", "true"],
    ["n in ('+2')", "NULL", "true"],
    ["n in (' 2')", "false", "false"],
    ["n in ('02', '08')", "NULL", "true"],
    ["n in ('08')", "false", "false"],
    ["t in (300)", "false", "false"],
    ["t in (300, 2)", "NULL", "true"],
    ["b in ('2', '2e0')", "NULL", "true"],
    ["d in ('2.00', 'abc')", "NULL", "true"],
    ["d in ('abc')", "false", "false"],
    ["x in ('NaN')", "false", "false"],
    ["x in ('2d')", "NULL", "true"],
    ["x in ('2', 'x')", "NULL", "true"],
    ["v in ('toolong')", "false", "false"],
    ["c in ('toolong', 'ab  ')", "true", "true"],
    ["n in (null)", "NULL", "NULL"],
    ["n in (1, null)", "NULL", "NULL"],
  ]);
});

describe("IN and comparisons: a NULL string is a NULL of the column's type", () => {
  holds([
    ["n in ('2', cast(null as string))", "NULL", "true"],
    ["n in ('3', cast(null as string))", "NULL", "NULL"],
    ["n not in ('2', cast(null as string))", "NULL", "false"],
    ["d in (cast(null as string))", "NULL", "NULL"],
    ["x not in ('3', cast(null as string))", "NULL", "NULL"],
    ["c in ('ab', cast(null as string))", "true", "true"],
    ["c not in ('null', cast(null as string))", "NULL", "NULL"],
    ["v in ('null', cast(null as string))", "NULL", "NULL"],
    ["v = cast(null as string)", "NULL", "NULL"],
    ["v < cast(null as string)", "NULL", "NULL"],
    ["c < cast(null as string)", "NULL", "NULL"],
    ["concat('a', cast(null as string)) > c", "NULL", "NULL"],
    ["v <=> cast(null as string)", "false", "false"],
  ]);
});

describe("IN: compares values of different types separately", () => {
  holds([
    ["s in (2, '02')", "NULL", "true"],
    ["concat('0', s) in (2, '2')", "NULL", "true"],
    ["concat('0', s) in ('2', 'x')", "NULL", "false"],
    ["s in ('02', '2.0')", "NULL", "false"],
    ["s in ('a', 2.0)", "NULL", "true"],
    ["n in (1, 2.0, '3')", "NULL", "true"],
  ]);
});

describe("IN: compares rows as structs, of which one that contains NULL equals nothing", () => {
  holds([
    ["(n, s) in ((2, '2'), (3, 'x'))", "false", "true"],
    ["(n, s) not in ((2, '2'), (3, 'x'))", "true", "false"],
    ["(n, s) in ((2, '2'))", "false", "true"],
    ["(n, s) in ((2, null))", "false", "false"],
    ["(n, s) in ((3, null))", "false", "false"],
    ["(n, s) not in ((3, '2'))", "true", "true"],
  ]);

  test("refuses a row of another length", async () => {
    await expect(answers.answer("select (id, name) in ((1)) from people")).rejects.toThrow("compares 2 columns");
  });
});

describe("OR of equalities over the same columns: is NULL when no side is known", () => {
  holds([
    ["(n = 2 and x = 2) or (n = 3 and x = 1)", "NULL", "true"],
    ["(n = 2 and 2 = x) or (x = 1 and 3 = n)", "NULL", "true"],
    ["(n in (2) and x = 2) or (n = 3 and x = 1)", "NULL", "true"],
    ["((n = 2 and x = 2) or (n = 3 and x = 1)) is null", "true", "false"],
    ["coalesce((n = 2 and x = 2) or (n = 3 and x = 1), true)", "true", "true"],
    ["not ((n = 2 and x = 2) or (n = 3 and x = 1))", "NULL", "false"],
    ["(n = 2 and x = 2) or (n = 3 and t = 1)", "NULL", "true"],
    ["(n = 2 and x = 2) or (n = 3 and x > 1)", "NULL", "true"],
    ["(n = 2 and x = 2) or (n = 3 and x = 1) or t = 7", "NULL", "true"],
    ["(n = 2 and n = 2) or (n = 3 and n = 3)", "NULL", "true"],
  ]);
});

describe("OR of equalities over columns that conditions set to constants", () => {
  const rows = "(select id, if(id = 1, null, id) as n, id % 2 as g, 'a' as s from people where id < 4) t";
  test.each([
    [`select id, (n = 3 and g = 1) or (n = 7 and g = 1) from ${rows} where g = 1`, ["1|NULL", "3|true"]],
    [`select id, (n = 3 and g = 1) or (n = 7 and g = 0) from ${rows} where g = 1`, ["1|NULL", "3|true"]],
    [`select id, (n, g) in ((3, 1), (7, 0)) from ${rows} where g = 1`, ["1|false", "3|true"]],
    [`select id, (n = 3 and s = 'a') or (n = 7 and s = 'b') from ${rows} where g = 1`, ["1|NULL", "3|true"]],
    [`select id from ${rows} where g = 1 and coalesce((n = 7 and g = 1) or (n = 8 and g = 0), true)`, ["1"]],
    [`select id, (n = 3 and g = 1) or (n = 7 and g = 0) from ${rows} where g in (1, 2)`, ["1|NULL", "3|true"]],
    [`select id, not ((n <> 3 or g <> 1) and (n <> 7 or g <> 0)) from ${rows} where id <> 2`, ["1|NULL", "3|true"]],
    [`select id, not (n <> 3 or g <> 1) from ${rows} where id <> 2`, ["1|NULL", "3|true"]],
  ])("%s", async (statement, expected) => {
    expect((await answers.answer(statement)).toSorted()).toEqual(expected);
  });
});

describe("comparison: converts a literal to the type of the column", () => {
  holds([
    ["c = 'ab '", "true", "true"],
    ["c <> 'ab  '", "false", "false"],
    ["c < 'ab '", "false", "false"],
    ["c <=> 'ab '", "true", "true"],
    ["c = 'toolong'", "false", "false"],
    ["n = '2L'", "NULL", "true"],
    ["n = '12.5'", "NULL", "false"],
    ["n = 'x'", "NULL", "NULL"],
    ["f = 0.1", "true", "true"],
    ["f = 1e-1", "true", "true"],
    ["d = 2e0", "NULL", "true"],
  ]);
});
