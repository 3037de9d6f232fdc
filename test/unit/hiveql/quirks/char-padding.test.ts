/** Chars of different lengths and chars returned by functions; the answers are those of Hive 4.0.1. */
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { openAnswers, refusal } from "../answers";

let answers: Awaited<ReturnType<typeof openAnswers>>;
beforeAll(async () => {
  answers = await openAnswers();
});
afterAll(() => answers.close());

/** `a` and `b` are red and abc for id 1, and Bob and x for id 2. */
const chars = `(select id, id % 2 as n, cast(if(id = 1, team, name) as char(4)) as a, cast(if(id = 1, 'abc', 'x') as char(6)) as b
  from people where id < 3) t`;

describe("chars of different lengths: have the largest length as common type", () => {
  test.each([
    ["if(n = 1, a, b)", ["red   ", "x     "]],
    ["case when n = 1 then a else b end", ["red   ", "x     "]],
    ["case n when 1 then a when 0 then b end", ["red   ", "x     "]],
    ["coalesce(a, b)", ["red   ", "Bob   "]],
    ["nvl(b, a)", ["abc   ", "x     "]],
    ["greatest(a, b)", ["red   ", "x     "]],
    ["least(a, b)", ["abc   ", "Bob   "]],
    ["array(a, b)", ['["red   ","abc   "]', '["Bob   ","x     "]']],
    ["typeof(if(n = 1, a, b))", ["char(6)", "char(6)"]],
    ["typeof(greatest(a, b))", ["char(6)", "char(6)"]],
    ["if(n = 1, a, b) = 'red'", ["true", "false"]],
  ])("%s", async (expression, expected) => {
    expect((await answers.answer(`select ${expression} from ${chars}`)).toSorted()).toEqual(expected.toSorted());
  });
});

describe("chars made by functions and operators: are refused, because Hive pads them or not", () => {
  test.each(["upper(a)", "lower(a)", "concat(a, b)", "a || b", "if(n = 1, upper(a), a)", "array(upper(a))"])(
    "%s",
    (expression) => {
      expect(refusal(`select ${expression} from ${chars}`).message).toContain("makes a char, which Hive pads");
    },
  );

  test.each([
    ["upper(cast(a as string)), concat(a, '|'), a || '|'", ["RED|red||red|", "BOB|Bob||Bob|"]],
    ["trim(a), length(a), reverse(a)", ["red|3|der", "Bob|3|boB"]],
  ])("%s: makes no char", async (expression, expected) => {
    expect(await answers.answer(`select ${expression} from ${chars} order by id`)).toEqual(expected);
  });
});

describe("chars computed from literals: are refused as arguments of functions", () => {
  test.each(["length(cast('ab' as char(4)))", "concat(cast('ab' as char(4)), 'x')", "cast('ab' as char(4)) || name"])(
    "%s",
    (expression) => {
      expect(refusal(`select ${expression} from people`).message).toContain("has a char computed from literals");
    },
  );
});

describe("chars fixed to a literal by WHERE: are refused in expressions, where Hive keeps their padding", () => {
  const pinned = `(select id, n, a, b from ${chars} limit 9) p where a = 'Bob'`;
  test.each([
    ["a, b", ["Bob |x     "]],
    ["a = 'Bob', a < 'Bz', length(b)", ["true|true|1"]],
    ["sum(coalesce(lag(id), 0)) over (order by id)", ["0"]],
  ])("%s: is answered", async (expression, expected) => {
    expect(await answers.answer(`select ${expression} from ${pinned}`)).toEqual(expected);
  });

  test.each([
    "concat(a, 'x')",
    "coalesce(a, 'x')",
    "case when n = 1 then a else 'x' end",
    "cast(a as varchar(9))",
    "cast(a as string)",
    "length(a)",
  ])("%s: is refused", (expression) => {
    const { message } = refusal(`select ${expression} from ${pinned}`);
    expect(message).toContain("char column with a constant value");
  });
});

describe("chars computed by CAST or in a subquery: are not compared with literals, which Hive pads and finds in no row", () => {
  test.each([
    `select id from ${chars} where a = 'Bob'`,
    `select x from (select coalesce(a, a) as x from ${chars}) u where x = 'Bob'`,
    `select x <> 'Bob' from (select distinct nullif(a, 'q') as x from ${chars}) u`,
    `select x from (select if(n = 1, a, b) as x from ${chars}) u where x in ('red', 'q')`,
    `select case x when 'Bob' then 1 end from (select coalesce(a, a) as x from ${chars}) u`,
    "select id from people where cast(name as char(5)) = 'Ada'",
  ])("%s: is refused", (statement) => {
    expect(refusal(statement).message).toContain("compares a char computed by CAST or in a subquery");
  });

  test.each([
    [`select count(*) from people where cast(name as char(3)) = 'Ada'`, ["1"]],
    [`select x from (select max(a) as x from ${chars}) u where x = 'red'`, ["red "]],
    [
      `select x from (select a as x, row_number() over (order by id) as r from ${chars} limit 9) u where x = 'red'`,
      ["red "],
    ],
    [`select count(*) from ${chars} where cast(a as string) = 'Bob'`, ["1"]],
    [`select count(*) from ${chars} where a < 'Boc'`, ["1"]],
  ])("%s", async (statement, expected) => {
    expect(await answers.answer(statement)).toEqual(expected);
  });
});
