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
    ["upper(if(n = 1, a, b))", ["RED", "X"]],
    ["concat(if(n = 1, a, b), '|')", ["red|", "x|"]],
    ["typeof(if(n = 1, a, b))", ["char(6)", "char(6)"]],
    ["typeof(greatest(a, b))", ["char(6)", "char(6)"]],
    ["if(n = 1, a, b) = 'red'", ["true", "false"]],
  ])("%s", async (expression, expected) => {
    expect((await answers.answer(`select ${expression} from ${chars}`)).toSorted()).toEqual(expected.toSorted());
  });
});

describe("chars returned by functions: are printed without padding when the statement runs no job", () => {
  test.each([
    ["upper(a), lower(a)", ["RED|red", "BOB|bob"]],
    ["concat(a, b)", ["redabc", "Bobx"]],
    ["if(n = 1, upper(a), lower(a))", ["RED", "bob"]],
    ["case when n = 1 then upper(a) when n = 0 then lower(a) end", ["RED", "bob"]],
    ["if(n = 1, upper(a), null)", ["RED", "NULL"]],
    ["nullif(upper(a), 'x')", ["RED", "BOB"]],
    ["coalesce(upper(a), lower(a))", ["RED", "BOB"]],
    ["greatest(upper(a), lower(a))", ["red", "bob"]],
    ["cast(upper(a) as char(6))", ["RED   ", "BOB   "]],
    ["coalesce(upper(a), b)", ["RED   ", "BOB   "]],
    ["upper(a), a", ["RED|red ", "BOB|Bob "]],
  ])("%s", async (expression, expected) => {
    expect((await answers.answer(`select ${expression} from ${chars}`)).toSorted()).toEqual(expected.toSorted());
  });

  test("with padding in a job", async () => {
    expect(await answers.answer(`select upper(a), if(n = 1, upper(a), a) from ${chars} order by id`)).toEqual([
      "RED |RED ",
      "BOB |Bob ",
    ]);
  });

  test.each([
    `select if(n = 1, upper(a), a) from ${chars}`,
    `select nvl(b, upper(b)) from ${chars}`,
    `select x from (select case when n = 1 then concat(a) else a end as x from ${chars}) u`,
    `select x from (select upper(a) as x from ${chars} limit 9) u limit 3`,
  ])("%s: is refused because only some rows are padded", (statement) => {
    expect(refusal(statement).message).toContain("chars that functions made and others");
  });

  test.each([`select array(upper(a)) from ${chars}`, `select named_struct('x', concat(a, b)) from ${chars}`])(
    "%s: is refused",
    (statement) => {
      expect(refusal(statement).message).toContain("contains a char returned by a function");
    },
  );
});

describe("chars fixed to a literal by WHERE: are padded", () => {
  const pinned = `(select id, n, a, b from ${chars} limit 9) p where a = 'Bob'`;
  test.each([
    ["upper(a)", ["BOB "]],
    ["concat(a, '|'), a || '|', concat_ws('-', a, 'x')", ["Bob||Bob||Bob-x"]],
    ["trim(a), length(a), reverse(a)", ["Bob|3|boB"]],
    ["coalesce(a, a), nullif(a, 'q')", ["Bob |Bob "]],
    ["concat(trim(a), b)", ["Bobx"]],
    ["upper(b)", ["X     "]],
    ["sum(coalesce(lag(id), 0)) over (order by id)", ["0"]],
  ])("%s", async (expression, expected) => {
    expect(await answers.answer(`select ${expression} from ${pinned}`)).toEqual(expected);
  });

  test.each([
    "concat(a, b)",
    "a || b",
    "coalesce(a, 'x')",
    "if(n = 1, a, 'x')",
    "case when n = 1 then a else 'x' end",
    "cast(a as varchar(9))",
    "cast(a as string)",
    "concat_ws('-', a, b)",
    "length(concat(a, b))",
  ])("%s: is refused", (expression) => {
    const { message } = refusal(`select ${expression} from ${pinned}`);
    expect(message).toContain("char column with a constant value");
  });
});

describe("chars computed by CAST or in a subquery: are not compared with literals, which Hive pads and finds in no row", () => {
  test.each([
    `select id from ${chars} where a = 'Bob'`,
    `select x from (select upper(a) as x from ${chars}) u where x = 'BOB'`,
    `select x <> 'BOB' from (select distinct upper(a) as x from ${chars}) u`,
    `select x from (select if(n = 1, a, b) as x from ${chars}) u where x in ('red', 'q')`,
    `select case x when 'BOB' then 1 end from (select upper(a) as x from ${chars}) u`,
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
