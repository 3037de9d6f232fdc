import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { HiveQLError } from "../../../../hiveql/index";
import { openAnswers } from "../answers";

let answers: Awaited<ReturnType<typeof openAnswers>>;
beforeAll(async () => {
  answers = await openAnswers();
});
afterAll(() => answers.close());

describe("printf: as Java formats", () => {
  test.each([
    ["printf('Hello World %d %s', 100, 'days')", "Hello World 100 days"],
    ["printf('%5d|%-5d|%05d|%+d|%,d', 42, 42, 42, 42, 1234567)", "   42|42   |00042|+42|1,234,567"],
    ["printf('%f %f %f', 1.5D, cast(1.1 as float), 2.25)", "1.500000 1.100000 2.250000"],
    ["printf('%.2f %.0f %.3f %.1f', 1.005D, 2.5D, 0.0005D, 0.25D)", "1.01 3 0.001 0.3"],
    [
      "printf('%10.2f|%-10.2f|%010.2f|%,.2f|%+.1f', 3.14159D, 3.14159D, 3.14159D, 1234567.891D, 2.0D)",
      "      3.14|3.14      |0000003.14|1,234,567.89|+2.0",
    ],
    [
      "printf('%f %f %f', cast('NaN' as double), cast('Infinity' as double), cast('-Infinity' as double))",
      "NaN Infinity -Infinity",
    ],
    [
      "printf('%010f|%+f|%f', cast('NaN' as double), cast('Infinity' as double), cast('-Infinity' as double))",
      "       NaN|+Infinity|-Infinity",
    ],
    ["printf('%s %s %s %s', 1, 1.5D, true, cast(1.50 as decimal(5,2)))", "1 1.5 true 1.5"],
    ["printf('%s', cast(null as string))", "null"],
    ["printf('%d', cast(null as int))", "null"],
    ["printf('%5d|%-6s|%f', cast(null as int), cast(null as string), cast(null as double))", " null|null  |null"],
    ["printf('%.2f|%05d', cast(null as double), cast(null as int))", "nu| null"],
    ["printf('%s', cast('ab' as varchar(5)))", "ab"],
    ["printf('%10s|%-10s|%.2s|%5.1s', 'abc', 'abc', 'abc', 'abc')", "       abc|abc       |ab|    a"],
    ["printf('%%|%n|')", "%|\n|"],
    ["printf('%2$s %1$s', 'a', 'b')", "b a"],
    ["printf('no args')", "no args"],
    ["printf(null, 1)", "NULL"],
    ["printf('%s', cast(1.5 as float))", "1.5"],
    ["printf('%s', cast(1e10 as double))", "1.0E10"],
    ["printf('%s', date '2020-01-01')", "2020-01-01"],
    ["printf('%s', timestamp '2020-01-01 00:00:00')", "2020-01-01 00:00:00"],
    ["printf('%s', timestamp '2020-01-01 00:00:00.120')", "2020-01-01 00:00:00.12"],
    ["printf('%.20f', 0.1D)", "0.10000000000000000000"],
    ["printf('%.15f', 0.1D)", "0.100000000000000"],
    ["printf('%.1f %.1f %.1f', 0.05D, 0.15D, 0.35D)", "0.1 0.2 0.4"],
    ["printf('%s', null)", "null"],
    ["printf('%s', cast(1e10 as float))", "1.0E10"],
    ["printf('%s', date '0001-01-01')", "0001-01-01"],
    [
      "printf('%s|%s', timestamp '2020-01-01 00:00:00', timestamp '2020-01-01 00:00:00.12')",
      "2020-01-01 00:00:00|2020-01-01 00:00:00.12",
    ],
    [
      "printf('%s|%s', timestamp '1900-01-01 10:00:01.000001', cast(null as timestamp))",
      "1900-01-01 10:00:01.000001|null",
    ],
    ["printf('%s', cast(1e15 as decimal(20,2)))", "1.0E15"],
    ["printf('%.2f', cast('-0.0' as double))", "-0.00"],
    ["printf('%018.0f', cast('-698301652150.9962' as double))", "-00000698301652151"],
    ["printf('%.1f', cast('-828.106' as double))", "-828.1"],
    ["printf('%019.3f', cast('1.4625006050688514e-35' as double))", "000000000000000.000"],
    ["printf('%018.5f', cast('142.4' as double))", "000000000142.40000"],
    ["printf('%.4f', cast('560.0' as double))", "560.0000"],
    ["printf('%016.3f', cast('-163.754356' as double))", "-00000000163.754"],
    ["printf('%,.4f', cast('-460.12145' as double))", "-460.1215"],
    ["printf('%016.0f', cast('-5693.390625' as double))", "-000000000005693"],
    ["printf('%.8f', cast('-726.148' as double))", "-726.14800000"],
    ["printf('%019.1f', cast('-320.0' as double))", "-0000000000000320.0"],
    ["printf('%.6f', cast('748.6648' as double))", "748.664800"],
    ["printf('%f', cast('-23.864' as double))", "-23.864000"],
    ["printf('%07.4f', cast('116.9375' as double))", "116.9375"],
    ["printf('%,.1f', cast('-554414487.8895226' as double))", "-554,414,487.9"],
    ["printf('%,.3f', cast('-17.761138916015625' as double))", "-17.761"],
    ["printf('%f', cast('-518.9212' as double))", "-518.921200"],
    ["printf('%.0f', cast('-119.8' as double))", "-120"],
    ["printf('%01.0f', cast('544.5222' as double))", "545"],
    ["printf('%018.3f', cast('-2272.7421875' as double))", "-0000000002272.742"],
    ["printf('%,.2f', cast('-0.08549078006870235' as double))", "-0.09"],
    ["printf('%f', cast('4.693288373161342e-207' as double))", "0.000000"],
    ["printf('%015.3f', cast('4.443016702823714e-09' as double))", "00000000000.000"],
    ["printf('%09.3f', cast('511.553096' as double))", "00511.553"],
  ])("%s is %s", async (expression, value) => {
    expect(await answers.answer(`select ${expression}`)).toEqual([value]);
  });
});

describe("refused: what Hive refuses, and what would give another answer than Hive", () => {
  test.each([
    "printf('%', 1)",
    "printf('%d', 'a')",
    "printf('%d', 1.5D)",
    "printf('%f', 1)",
    "printf('%q', 1)",
    "printf('%x', 255)",
    "printf('%e', 1.5D)",
    "printf('% d', 1)",
    "printf('%s')",
  ])("%s", async (expression) => {
    await expect(answers.answer(`select ${expression}`)).rejects.toThrow(HiveQLError);
  });
});

describe("printf: fails where Java prints more digits than the number has", () => {
  test("for numbers of 2^53 and more", async () => {
    await expect(answers.answer("select printf('%.0f', 6.698751868740526e+16D)")).rejects.toThrow("HiveQL: ");
  });
});
