import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { openAnswers } from "./answers";

let answers: Awaited<ReturnType<typeof openAnswers>>;
beforeAll(async () => {
  answers = await openAnswers();
});
afterAll(() => answers.close());

/** One row of NULLs and one of values, as columns of every kind that a literal may stand beside. */
const values = `(select cast(i as tinyint) t, cast(i as int) n, cast(i as bigint) b, cast(i as decimal(10,2)) d, cast(i as double) x,
  cast(0.1 as float) f, cast(i as string) s, cast('ab' as char(3)) c, cast('ab' as varchar(3)) v
  from (select id i from people where id = 2 union all select cast(null as int) i) o) q`;

/** Answers of Hive 4.0.1: the first is that of the row of NULLs. */
function holds(cases: readonly (readonly [condition: string, ofNull: string, ofTwo: string])[]) {
  test.each(cases)("%s", async (condition, ofNull, ofTwo) => {
    expect(await answers.answer(`select ${condition} from ${values} order by n desc`)).toEqual([ofNull, ofTwo]);
  });
}

describe("IN: a literal that is no value of the column's type is left out", () => {
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

describe("IN and comparisons: a string that is NULL is NULL of the column's type", () => {
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

describe("IN: values of different types are compared apart", () => {
  holds([
    ["s in (2, '02')", "NULL", "true"],
    ["concat('0', s) in (2, '2')", "NULL", "true"],
    ["concat('0', s) in ('2', 'x')", "NULL", "false"],
    ["s in ('02', '2.0')", "NULL", "false"],
    ["s in ('a', 2.0)", "NULL", "true"],
    ["n in (1, 2.0, '3')", "NULL", "true"],
  ]);
});

describe("IN: rows are compared member by member", () => {
  holds([
    ["(n, s) in ((2, '2'), (3, 'x'))", "NULL", "true"],
    ["(n, s) in ((2, null))", "NULL", "NULL"],
    ["(n, s) in ((3, null))", "NULL", "false"],
    ["(n, s) not in ((3, '2'))", "NULL", "true"],
  ]);

  test("a row of another length is refused", async () => {
    await expect(answers.answer("select (id, name) in ((1)) from people")).rejects.toThrow("compares 2 columns");
  });
});

describe("comparison: a literal beside a column is read as the column's type", () => {
  holds([
    ["c = 'ab '", "true", "true"],
    ["c <> 'ab  '", "false", "false"],
    ["c < 'ab '", "false", "false"],
    ["c <=> 'ab '", "true", "true"],
    ["c = 'toolong'", "false", "false"],
    ["upper(c) = 'AB '", "false", "false"],
    ["case c when 'ab ' then 1 else 0 end", "1", "1"],
    ["n = '2L'", "NULL", "true"],
    ["n = '12.5'", "NULL", "false"],
    ["n = 'x'", "NULL", "NULL"],
    ["f = 0.1", "true", "true"],
    ["f = 1e-1", "true", "true"],
    ["d = 2e0", "NULL", "true"],
  ]);
});
