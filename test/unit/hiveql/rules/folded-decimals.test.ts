/** Decimals computed from literals next to decimal columns; the answers are those of Hive 4.0.1. */
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { openAnswers, refusal } from "../answers";

let answers: Awaited<ReturnType<typeof openAnswers>>;
beforeAll(async () => {
  answers = await openAnswers();
});
afterAll(() => answers.close());

const column = "cast(id as decimal(10,2))";

describe("sums: a CAST of a literal has the scale of its value", () => {
  test.each([
    [`cast(1.5 as decimal(20,10)) + id`, "2.5", "decimal(12,1)"],
    [`id - cast('1.50' as decimal(20,10))`, "-0.5", "decimal(12,1)"],
    [`cast(2147483648 as decimal(20,10)) + cast(id as tinyint)`, "2147483649", "decimal(11,0)"],
    [`${column} + cast(2 as decimal(20,10))`, "3.00", "decimal(11,2)"],
    [`cast(0.001 as decimal(20,10)) + id`, "1.001", "decimal(14,3)"],
    [`cast(1200 as decimal(20,0)) + cast(id as decimal(5,4))`, "1201.0000", "decimal(9,4)"],
    [`id + cast(1e3 as decimal(20,10))`, "1001", "decimal(11,0)"],
    [`cast(2.50 as decimal(10,4)) + 1 + id`, "4.5", "decimal(12,1)"],
    [`-cast(2.50 as decimal(10,4)) + id`, "-1.5", "decimal(12,1)"],
    [`id + 1.50 * 2.00`, "4", "decimal(11,0)"],
    [`id + (cast(2 as decimal(20,10)) / 3)`, "1.666666666666666666667", "decimal(32,21)"],
    [`cast(null as decimal(20,10)) + id`, "NULL", "decimal(21,10)"],
  ])("%s is %s of type %s", async (expression, value, type) => {
    const statement = `select ${expression} from people where id = 1`;
    expect(await answers.answer(statement)).toEqual([value]);
    expect(answers.typesOf(statement)).toEqual([type]);
  });
});

describe("other operators: a CAST of a literal, and a sum as operand, have the scale of their type", () => {
  test.each([
    [`${column} * cast(2 as decimal(20,10))`, "2.000000000000", "decimal(31,12)"],
    [`cast(2 as decimal(20,10)) / id`, "2.000000000000000000000", "decimal(31,21)"],
    [`${column} % cast(2 as decimal(20,10))`, "1.0000000000", "decimal(18,10)"],
    [`(${column} + cast(2 as decimal(20,10))) * id`, "3.0000000000", "decimal(32,10)"],
    [`cast(1.5 as decimal(20,10)) + 1`, "2.5000000000", "decimal(21,10)"],
    [`round(${column} + cast(2 as decimal(20,10)), 3)`, "3.000", "decimal(12,3)"],
  ])("%s is %s of type %s", async (expression, value, type) => {
    const statement = `select ${expression} from people where id = 1`;
    expect(await answers.answer(statement)).toEqual([value]);
    expect(answers.typesOf(statement)).toEqual([type]);
  });
});

describe("arrays, maps and structs: decimals have no trailing zeros", () => {
  test.each([
    ["array(cast(2 as decimal(20,10)))", "[2]", "array<decimal(1,0)>"],
    ["array(cast(2.50 as decimal(10,4)), cast(id as decimal(5,1)))", "[2.5,1]", "array<decimal(5,1)>"],
    ["named_struct('a', cast(2.50 as decimal(10,4)))", '{"a":2.5}', "struct<a:decimal(2,1)>"],
    ["map('a', cast(100 as decimal(10,4)))", '{"a":100}', "map<string,decimal(3,0)>"],
    ["array(cast(id as decimal(10,2)), cast(0 as decimal(10,2)))", "[1,0]", "array<decimal(10,2)>"],
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
    [`select avg(${sum}) from people`, "function avg"],
    [`select max(a) from (select ${sum} a from people) x`, "function max"],
    [`select ${sum} from people union all select ${column} from people`, "UNION ALL"],
    [`select a + id from (select cast(2 as decimal(20,10)) a, id from people) x`, "+"],
    [`select id + round(1.555, 2) from people`, "+"],
  ])("%s", (statement, construct) => {
    expect(refusal(statement)).toMatchObject({ problem: "unsupported", construct });
  });

  test.each([
    `select coalesce(${column}, cast(0 as decimal(10,2))), coalesce(${column}, 0), coalesce(${column}, 0.5) from people`,
    `select coalesce(id, cast(0 as decimal(20,10))), if(id > 1, cast(2.5 as decimal(20,10)), 0) from people`,
    `select sum(${sum}), count(${sum}) from people`,
    `select avg(id + 1.50), sum(id) + cast(2 as decimal(20,10)) from people`,
  ])("accepted: %s", (statement) => {
    expect(() => answers.typesOf(statement)).not.toThrow();
  });
});

describe("quotients of literals: are printed with Hive's digits", () => {
  test.each([
    ["0.005 / 3", "0.001667"],
    ["cast(0.005 / 3 as string)", "0.00166666666667"],
    ["concat(0.005 / 3)", "0.00166666666667"],
    ["(0.005 / 3) * 3", "0.005000"],
    ["-(0.005 / 3)", "-0.001667"],
    ["cast(0.005 / 3 as double)", "0.00166666666667"],
    ["case when true then 0.005 / 3 else 1.5 end", "0.001667"],
    ["array(10 / 4.0)", "[2.5]"],
  ])("%s is %s", async (expression, expected) => {
    expect(await answers.answer(`select ${expression}`)).toEqual([expected]);
  });

  test.each([
    "array(0.005 / 3)",
    "array(1.0 / 4)",
    "named_struct('a', 0.005 / 3)",
    "coalesce(0.005 / 3, 1)",
    "abs(0.005 / 3)",
    "0.005 / 3 in (0.001667)",
    "price * (1.0 / 3)",
    "n * (5.0 / 9)",
    "n + cast(2.555 as decimal(5,2))",
    "price > 0.005 / 3",
  ])("%s is refused", (expression) => {
    expect(refusal(`select ${expression} from visits`)).toMatchObject({
      message: expect.stringContaining("contains a quotient of literals") as string,
    });
  });

  test("exact quotients next to columns are computed", async () => {
    const statement = "select price * (1 / 4.0), price * 1.0 / 3, price + 1.0 / 2 from visits where price = 10";
    expect(await answers.answer(statement)).toEqual(["2.50000000|3.333333|10.50"]);
  });
});
