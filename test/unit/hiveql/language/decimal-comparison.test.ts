import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { openAnswers } from "../answers";

let answers: Awaited<ReturnType<typeof openAnswers>>;
beforeAll(async () => {
  answers = await openAnswers();
});
afterAll(() => answers.close());

describe("comparison: decimals whose common type exceeds 38 digits are compared exactly", () => {
  test.each([
    ["1.00", "1.000001", "<", "true"],
    ["1.00", "1.000001", "=", "false"],
    ["1.00", "1.000000", "=", "true"],
    ["1.00", "1.000001", "<>", "true"],
    ["-1.00", "-1.000001", ">", "true"],
    ["-1.01", "-1.000001", "<=", "true"],
    ["0.00", "-0.000001", ">=", "true"],
  ])("%s and %s: %s", async (left, right, operator, expected) => {
    const statement = `select cast('${left}' as decimal(36,2)) ${operator} cast('${right}' as decimal(38,6))`;
    expect(await answers.answer(statement)).toEqual([expected]);
  });

  const far = (sign: string) => `cast('${sign}9999999999999999999999999999999999.99' as decimal(36,2))`;
  const near = (text: string) => `cast(${text} as decimal(38,6))`;
  test.each([
    [`${far("")} > ${near("'1.5'")}`, "true"],
    [`${far("-")} > ${near("'1.5'")}`, "false"],
    [`${near("'99999999999999999999999999999999.999999'")} < ${far("")}`, "true"],
    [`${near("'-99999999999999999999999999999999.999999'")} <= ${far("-")}`, "false"],
    [`${far("")} = ${near("'1'")}`, "false"],
    [`NOT ${far("")} = ${near("'1'")}`, "true"],
    [`${far("")} = ${far("")}`, "true"],
    [`${far("")} <=> ${near("null")}`, "false"],
    [`${far("")} = ${near("null")}`, "NULL"],
    [`${far("")} in (${near("'1'")}, ${near("'2'")})`, "false"],
    [`${near("'1'")} between ${far("-")} and ${far("")}`, "true"],
  ])("a value that 38 digits do not hold with the larger scale: %s", async (expression, expected) => {
    expect(await answers.answer(`select ${expression}`)).toEqual([expected]);
  });

  test("a join by such decimals keeps the rows beside the value that is too large", async () => {
    const [a, b] = [`select ${far("")} k union all select 2`, `select ${near("'2'")} k union all select 3`];
    const statement = `select a.k from (${a}) a join (${b}) b on a.k = b.k`;
    expect(await answers.answer(statement)).toEqual(["2.00"]);
    expect(await answers.answer(statement.replace("join", "left join").replace("a.k =", "a.k <=>"))).toHaveLength(2);
  });

  test.each([
    ["cast(null as decimal(36,2)) = cast(1 as decimal(38,6))", "NULL"],
    ["cast(1 as decimal(36,2)) < cast(null as decimal(38,6))", "NULL"],
    ["cast(null as decimal(36,2)) <=> cast(null as decimal(38,6))", "true"],
    ["cast(1 as decimal(36,2)) <=> cast(null as decimal(38,6))", "false"],
    ["cast(1 as decimal(36,2)) in (cast('1.000001' as decimal(38,6)), cast(1 as decimal(38,6)))", "true"],
    ["cast(1 as decimal(36,2)) in (cast('1.000001' as decimal(38,6)))", "false"],
    [
      "cast(1 as decimal(36,2)) between cast('0.999999' as decimal(38,6)) and cast('1.000001' as decimal(38,6))",
      "true",
    ],
    ["case cast(1 as decimal(36,2)) when cast('1.000001' as decimal(38,6)) then 'a' else 'b' end", "b"],
  ])("%s", async (expression, expected) => {
    expect(await answers.answer(`select ${expression}`)).toEqual([expected]);
  });

  test.each([
    ["9", "NULL|NULL"],
    ["8", "98765431209876543120.960000000000000000|12345678901234567890.120000000000000000"],
  ])("sums and averages are NULL beyond 38 digits: of %s rows", async (rows, expected) => {
    const statement = `select sum(x), avg(x) from (select cast(t as decimal(38,18)) as x
      from (select explode(split(concat('12345678901234567890.12', repeat(',12345678901234567890.12', ${rows} - 1)), ',')) as t) a) b`;
    expect(await answers.answer(statement)).toEqual([expected]);
  });

  // DuckDB adds the sums of the arms without a check: the third one would be -40282366920938463463374607431768211459.
  test.each([
    ["sum(x)", 1, "99999999999999999999999999999999999999"],
    ["sum(x)", 3, "NULL"],
    ["sum(x)", 4, "NULL"],
    ["avg(x)", 3, "NULL"],
    ["sum(x * cast(1 as decimal(1,0)))", 3, "NULL"],
    ["max(s) from (select sum(x) over (partition by x) s", 1, "99999999999999999999999999999999999999"],
  ])("sums of partial sums are NULL beyond 38 digits: %s of %i rows", async (selected, rows, expected) => {
    const arm = (n: number) => `select cast('99999999999999999999999999999999999999' as decimal(38,0)) x, ${n} n`;
    const arms = Array.from({ length: rows }, (_, n) => arm(n)).join(" union all ");
    const end = selected.includes("from") ? ") w" : "";
    expect(await answers.answer(`select ${selected} from (${arms}) t${end}`)).toEqual([expected]);
  });

  test("sums are compared with a fraction of a larger sum", async () => {
    const statement = `select team from people group by team
      having sum(cast(pay as decimal(15,2)) * id) > (select sum(cast(pay as decimal(15,2)) * id) * 0.4000000000 from people)`;
    expect(await answers.answer(statement)).toEqual(["blue"]);
  });
});

describe("comparison: fractions are compared with all their digits", () => {
  const fine = (text: string) => `cast('${text}' as decimal(38,30))`;
  test.each([
    [`cast('0' as bigint) >= ${fine("0.999999999999999999999999999999")}`, "false"],
    [`cast('0' as bigint) < ${fine("0.999999999999999999999999999999")}`, "true"],
    [`cast('1.5' as decimal(38,18)) = ${fine("1.5")}`, "true"],
    [`cast('2.5' as decimal(38,4)) <> ${fine("2.5")}`, "false"],
    [`cast('-3' as decimal(38,4)) < ${fine("-2.999999999999999999999999999999")}`, "true"],
    [`cast('1.5' as decimal(38,18)) in (${fine("1.5")})`, "true"],
  ])("%s is %s", async (expression, expected) => {
    expect(await answers.answer(`select ${expression}`)).toEqual([expected]);
  });
});
