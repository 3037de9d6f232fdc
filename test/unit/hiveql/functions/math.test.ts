import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { HiveQLError } from "../../../../hiveql/index";
import { openAnswers } from "../answers";

let answers: Awaited<ReturnType<typeof openAnswers>>;
beforeAll(async () => {
  answers = await openAnswers();
});
afterAll(() => answers.close());

const is = (expression: string, value: string, type: string) => [expression, value, type] as const;

describe("logarithms, powers of e and angles: have the last digits of Java's StrictMath", () => {
  test.each([
    ["exp(1L)", "2.7182818284590455"],
    ["e()", "2.718281828459045"],
    ["exp(10)", "22026.465794806718"],
    ["ln(3)", "1.0986122886681096"],
    ["log2(536870912)", "29.000000000000004"],
    ["ceil(log2(536870912))", "30"],
    ["log(3, 9)", "2.0000000000000004"],
    ["log10(1000000000)", "9.0"],
    ["log(10, 1000000000)", "8.999999999999998"],
    ["cos(6)", "0.9601702866503661"],
    ["tan(4)", "1.1578212823495777"],
    ["asin(8 / 9)", "1.0949140771344799"],
    ["cosh(1)", "1.543080634815244"],
    ["cbrt(27)", "3.0"],
    ["ceil(cbrt(12 * 12 * 12))", "12"],
  ])("%s is %s", async (expression, value) => {
    expect(await answers.answer(`select ${expression}`)).toEqual([value]);
  });
});

describe("numbers: values and types are Hive's", () => {
  test.each([
    is("round(1.5, 1)", "1.5", "decimal(2,1)"),
    is("round(1.5, 3)", "1.500", "decimal(4,3)"),
    is("round(1.55, 1)", "1.6", "decimal(3,1)"),
    is("round(1.5, -1)", "0", "decimal(2,0)"),
    is("round(1.5, 40)", "NULL", "decimal(38,38)"),
    is("round(cast(1.5 as decimal(38,18)), 20)", "1.50000000000000000000", "decimal(38,20)"),
    is("sign(cast('NaN' as double))", "-1.0", "double"),
    is("sign(cast(-0.5 as decimal(10,2)))", "-1", "int"),
    is("sign(cast(1e25 as decimal(38,0)))", "1", "int"),
    is("sqrt(cast(1e25 as decimal(38,0)))", "3.1622776601683794E12", "double"),
    is("ln(cast(1e-25 as decimal(38,30)))", "-57.564627324851145", "double"),
    is("exp(cast(1e-25 as decimal(38,30)))", "1.0", "double"),
    is("log(2, cast(1e25 as decimal(38,0)))", "83.04820237218406", "double"),
    is("log(2D, cast(8 as decimal(38,0)))", "3.0", "double"),
    is("power(cast(1e24 as decimal(38,0)), 1)", "1.0E24", "double"),
    is("cbrt(cast(1e24 as decimal(38,0)))", "1.0E8", "double"),
    is("floor(cast(1.5 as decimal(38,1)))", "1", "decimal(38,0)"),
    is("round(-0.3D)", "0.0", "double"),
    is("pmod(7Y, 127Y)", "7", "tinyint"),
    is("pmod(-7Y, 127Y)", "120", "tinyint"),
    is("pmod(1, 2147483647)", "-1", "int"),
    is("pmod(5L, 9223372036854775807)", "-9223372036854775804", "bigint"),
    is("+ 'abc'", "abc", "string"),
    is("positive('5')", "5", "string"),
    is("nullif(1, 1.5)", "NULL", "int"),
    is("nullif(1.5, 1)", "1.5", "decimal(2,1)"),
    is("nullif(1Y, 257)", "NULL", "tinyint"),
    is("nullif(date '2011-01-01', timestamp '2011-01-01 10:00:00')", "NULL", "date"),
    is("nullif(timestamp '2011-01-01 10:00:00', date '2011-01-01')", "2011-01-01 10:00:00", "timestamp"),
    is("cast('1e99' as decimal(38,18))", "NULL", "decimal(38,18)"),
    is("cast('1e-99' as decimal(38,18))", "0.000000000000000000", "decimal(38,18)"),
    is("cast('1e-100' as decimal(38,18))", "NULL", "decimal(38,18)"),
  ])("%s is %s of type %s", async (expression, value, type) => {
    expect(await answers.answer(`select ${expression}`)).toEqual([value]);
    expect(answers.typesOf(`select ${expression}`)).toEqual([type]);
  });

  test.each([
    ["double", "18014398509481984", "1.8014398509481984E16"],
    ["double", "288230376151711744", "2.8823037615171174E17"],
    ["double", "1152921504606846976", "1.15292150460684698E18"],
    ["double", "-4611686018427387904", "-4.6116860184273879E18"],
    ["double", "999999999999999999", "1.0E18"],
    ["double", "9223372036854775807", "9.223372036854776E18"],
    ["float", "33554433", "3.3554432E7"],
    ["float", "-2147483647", "-2.14748365E9"],
    ["float", "99999999999", "9.9999998E10"],
    ["float", "70368744177664", "7.0368744E13"],
    ["float", "9223372036854775807", "9.223372E18"],
  ])("printing: the %s %s prints as in Java, %s", async (type, value, text) => {
    expect(await answers.answer(`select cast(cast(${value} as ${type}) as string)`)).toEqual([text]);
  });

  test.each(["floor", "ceil"])("%s of a decimal with 38 digits before the point is refused", (name) => {
    expect(() => answers.typesOf(`select ${name}(cast(1 as decimal(38,0)))`)).toThrow(HiveQLError);
  });

  test.each(["nullif('a', 1)", "nullif(null, 1)", "nullif(true, 1)", "hex(true)"])("%s is refused", (expression) => {
    expect(() => answers.typesOf(`select ${expression}`)).toThrow(HiveQLError);
  });

  test("CAST to integers: a double beyond int is the nearest int, of which smaller types keep the last bits", async () => {
    const values =
      "3e9D, -3e9D, 1e20D, -1e20D, cast('NaN' as double), cast('Infinity' as double), 70000.9D, 300.5D, -0.9D";
    expect(
      await answers.answer(
        `select cast(x as int), cast(x as bigint), cast(x as smallint), cast(x as tinyint) from (select explode(array(${values})) x) t`,
      ),
    ).toEqual([
      "2147483647|3000000000|-1|-1",
      "-2147483648|-3000000000|0|0",
      "2147483647|9223372036854775807|-1|-1",
      "-2147483648|-9223372036854775808|0|0",
      "0|0|0|0",
      "2147483647|9223372036854775807|-1|-1",
      "70000|70000|4464|112",
      "300|300|300|44",
      "0|0|0|0",
    ]);
    expect(await answers.answer("select cast(40000D as smallint), cast(cast(3e9 as float) as int)")).toEqual([
      "-25536|2147483647",
    ]);
  });

  test.each([
    is("trunc(12345.678)", "12345", "decimal(5,0)"),
    is("trunc(12345.678, 2)", "12345.67", "decimal(7,2)"),
    is("trunc(12345.678, 5)", "12345.67800", "decimal(10,5)"),
    is("trunc(12345.678, -2)", "12300", "decimal(5,0)"),
    is("trunc(-0.75, 1)", "-0.7", "decimal(1,1)"),
    is(
      "trunc(cast('1234567890123456789012345678901234.5678' as decimal(38,4)), -3)",
      "1234567890123456789012345678901000",
      "decimal(34,0)",
    ),
    is("trunc(-1.29D, 1)", "-1.2", "double"),
    is("trunc(0.29D, 2)", "0.29", "double"),
    is("trunc(3.3D, 2)", "3.3", "double"),
    is("trunc(-649.39D, 2)", "-649.39", "double"),
    is("trunc(649.399D, 2)", "649.39", "double"),
    is("trunc(1.5e30D, -30)", "1.0E30", "double"),
    is("trunc(cast(0.7 as float), 1)", "0.7", "float"),
    is("trunc(cast('-Infinity' as double), 1)", "-Infinity", "double"),
    is("trunc(1234.567D)", "1234.0", "double"),
    is("trunc(1234567.9D, -2)", "1234500.0", "double"),
    is("trunc(cast('NaN' as double), 1)", "NaN", "double"),
    is("trunc(cast(1.25 as float), 1)", "1.2", "float"),
    is("trunc(-12345, -2)", "-12300", "int"),
    is("trunc(12345L, 2)", "12345", "bigint"),
    is("trunc(127Y, -1)", "120", "tinyint"),
    is("trunc(cast(null as int))", "NULL", "int"),
  ])("%s cuts the digits: %s of type %s", async (expression, value, type) => {
    expect(await answers.answer(`select ${expression}`)).toEqual([value]);
    expect(answers.typesOf(`select ${expression}`)).toEqual([type]);
  });

  test.each(["trunc(0.5)", "trunc(1.5, 38)", "trunc(1.5, '1')", "trunc('1.5', 1)", "trunc('1.5')"])(
    "%s is refused",
    (expression) => {
      expect(() => answers.typesOf(`select ${expression}`)).toThrow(HiveQLError);
    },
  );

  test("trunc of a number: needs the number of digits as a literal", () => {
    expect(() => answers.typesOf("select trunc(pay, id) from people")).toThrow("not an integer literal");
  });
});
