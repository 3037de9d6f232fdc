/** Chars; the answers are those of Hive 4.0.1. The table `chars` has `a` red and Bob, and `b` abc and x. */
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { openAnswers, refusal } from "../answers";

let answers: Awaited<ReturnType<typeof openAnswers>>;
beforeAll(async () => {
  answers = await openAnswers();
});
afterAll(() => answers.close());

describe("expressions that make a char: are refused, because Hive pads it or not", () => {
  test.each([
    "upper(a)",
    "concat(a, b)",
    "a || b",
    "if(id = 1, a, b)",
    "case when id = 1 then a else b end",
    "coalesce(a, b)",
    "greatest(a, b)",
    "array(upper(a))",
    "cast(b as char(4))",
    "cast('ab' as char(4))",
    "length(cast('ab' as char(4)))",
  ])("%s", (expression) => {
    expect(refusal(`select ${expression} from chars`).message).toContain("makes a char, which Hive pads");
  });
});

describe("columns of chars: are printed with their padding, and compared and cast without", () => {
  test.each([
    ["a, b", ["red |abc   ", "Bob |x     "]],
    ["array(a, b)", ['["red   ","abc   "]', '["Bob   ","x     "]']],
    ["upper(cast(a as string)), concat(a, '|'), a || '|'", ["RED|red||red|", "BOB|Bob||Bob|"]],
    ["trim(a), length(a), reverse(a)", ["red|3|der", "Bob|3|boB"]],
    ["a = 'Bob', a < 'Boc', a in ('red', 'q')", ["false|false|true", "true|true|false"]],
    ["coalesce(a, 'x'), if(id = 1, a, 'y')", ["red|red", "Bob|y"]],
  ])("%s", async (expression, expected) => {
    expect(await answers.answer(`select ${expression} from chars order by id`)).toEqual(expected);
  });

  test("in subqueries and groups", async () => {
    expect(await answers.answer("select x from (select max(a) as x from chars) u where x = 'red'")).toEqual(["red "]);
  });
});

describe("chars fixed to a literal by WHERE: are as long in expressions as other chars", () => {
  const pinned = "(select * from chars limit 9) p where a = 'Bob'";
  test.each([
    ["a, b", ["Bob |x     "]],
    ["a = 'Bob', a < 'Bz', length(b)", ["true|true|1"]],
    ["concat(a, 'x'), cast(a as varchar(9)), cast(a as string), length(a)", ["Bobx|Bob|Bob|3"]],
  ])("%s: is answered", async (expression, expected) => {
    expect(await answers.answer(`select ${expression} from ${pinned}`)).toEqual(expected);
  });
});
