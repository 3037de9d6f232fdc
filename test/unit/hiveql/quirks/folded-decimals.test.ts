/** Decimals computed from literals next to decimal columns; the answers are those of Hive 4.0.1. */
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { openAnswers, refusal } from "../answers";

let answers: Awaited<ReturnType<typeof openAnswers>>;
beforeAll(async () => {
  answers = await openAnswers();
});
afterAll(() => answers.close());

const column = "cast(id as decimal(10,2))";

describe("decimals of literals whose digits need their whole type: are computed next to columns", () => {
  test.each([
    ["id + 1.50", "2.5", "decimal(12,1)"],
    ["id - cast('1.5' as decimal(2,1))", "-0.5", "decimal(12,1)"],
    [`${column} + cast(2 as decimal(20,0))`, "3.00", "decimal(11,2)"],
    [`cast(1200 as decimal(20,0)) + cast(id as decimal(5,4))`, "1201.0000", "decimal(9,4)"],
    [`${column} + cast(2 as decimal(10,2))`, "3.00", "decimal(11,2)"],
    [`cast(null as decimal(20,10)) + id`, "NULL", "decimal(21,10)"],
    [`${column} * cast(2 as decimal(20,10))`, "2.000000000000", "decimal(31,12)"],
    [`cast(2 as decimal(20,10)) / id`, "2.000000000000000000000", "decimal(31,21)"],
    [`${column} % cast(2 as decimal(20,10))`, "1.0000000000", "decimal(18,10)"],
    [`cast(1.5 as decimal(20,10)) + 1`, "2.5000000000", "decimal(21,10)"],
    ["array(1.50, id)", "[1.5,1]", "array<decimal(11,1)>"],
  ])("%s is %s of type %s", async (expression, value, type) => {
    const statement = `select ${expression} from people where id = 1`;
    expect(await answers.answer(statement)).toEqual([value]);
    expect(answers.typesOf(statement)).toEqual([type]);
  });

  test("collect_list: prints no trailing zeros", async () => {
    const statement = "select collect_list(cast(id * 0.50 as decimal(10,3))) from people where id < 3";
    expect(await answers.answer(statement)).toEqual(["[0.5,1]"]);
  });
});

describe("refused: decimals whose scale Hive takes from the type in some places and from the value in others", () => {
  const sum = `${column} + cast(2 as decimal(20,10))`;
  test.each([
    [`select coalesce(${column}, cast(0 as decimal(20,10))) from people`, "function coalesce"],
    [`select if(id > 1, ${column}, cast(0 as decimal(20,10))) from people`, "function if"],
    [`select case when id > 1 then ${column} else cast(0 as decimal(20,10)) end from people`, "CASE"],
    [`select greatest(${column}, cast(0 as decimal(20,10))) from people`, "function greatest"],
    [`select ${sum} from people`, "+"],
    ["select id - cast('1.50' as decimal(20,10)) from people", "-"],
    ["select array(cast(2 as decimal(20,10))) from people", "function array"],
    ["select named_struct('a', cast(2.50 as decimal(10,4)))", "function named_struct"],
    ["select map('a', cast(100 as decimal(10,4)))", "function map"],
    [`select a + id from (select cast(2 as decimal(20,10)) a, id from people) x`, "+"],
    [`select id + round(1.555, 2) from people`, "+"],
  ])("%s", (statement, construct) => {
    expect(refusal(statement)).toMatchObject({ problem: "unsupported", construct });
  });

  test.each([
    `select coalesce(${column}, cast(0 as decimal(10,2))), coalesce(${column}, 0), coalesce(${column}, 0.5) from people`,
    `select coalesce(id, cast(0 as decimal(20,10))), if(id > 1, cast(2.5 as decimal(20,10)), 0) from people`,
    `select avg(id + 1.50), sum(id) + 2.5 from people`,
  ])("accepted: %s", (statement) => {
    expect(() => answers.typesOf(statement)).not.toThrow();
  });
});

describe("quotients of literals: have more digits than they show", () => {
  test.each([
    ["0.005 / 3", "0.001667"],
    ["-(0.005 / 3)", "-0.001667"],
    ["cast(2.555 as decimal(5,2))", "2.56"],
    ["1.5 * 2 * 3", "9.0"],
  ])("%s is %s", async (expression, expected) => {
    expect(await answers.answer(`select ${expression}`)).toEqual([expected]);
  });

  test.each([
    "(0.005 / 3) * 3",
    "cast(0.005 / 3 as string)",
    "case when true then 0.005 / 3 else 1.5 end",
    "concat(0.005 / 3)",
    "typeof(1.5 * 2)",
    "array(10 / 4.0)",
    "0.005 / 3 in (0.001667)",
    "price * (1.0 / 4)",
    "n + cast(2.555 as decimal(5,2))",
    "price > 0.005 / 3",
  ])("%s is refused", (expression) => {
    expect(refusal(`select ${expression} from visits`)).toMatchObject({
      message: expect.stringContaining("contains a quotient of literals") as string,
    });
  });

  test("quotients of columns are computed", async () => {
    const statement = "select price * 1.0 / 4, price / 4.0, price + 0.5 from visits where price = 10";
    expect(await answers.answer(statement)).toEqual(["2.500000|2.500000|10.50"]);
  });
});
