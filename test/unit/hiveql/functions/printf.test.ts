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
    [
      "printf('%5d|%-5d|%05d|%+d|% d|%(d|%,d', 42, 42, 42, 42, 42, -42, 1234567)",
      "   42|42   |00042|+42| 42|(42)|1,234,567",
    ],
    ["printf('%x %X %o', 255, 255, 8)", "ff FF 10"],
    [
      "printf('%x %x %x %x', cast(-1 as tinyint), cast(-1 as smallint), -1, cast(-1 as bigint))",
      "ff ffff ffffffff ffffffffffffffff",
    ],
    ["printf('%08x|%-8x|%8x', 255, 255, 255)", "000000ff|ff      |      ff"],
    ["printf('%f %f %f', 1.5D, cast(1.1 as float), 2.25)", "1.500000 1.100000 2.250000"],
    ["printf('%.2f %.0f %.3f %.1f', 1.005D, 2.5D, 0.0005D, 0.25D)", "1.01 3 0.001 0.3"],
    [
      "printf('%10.2f|%-10.2f|%010.2f|%,.2f|%+.1f|% .1f|%(.2f', 3.14159D, 3.14159D, 3.14159D, 1234567.891D, 2.0D, 2.0D, -3.5D)",
      "      3.14|3.14      |0000003.14|1,234,567.89|+2.0| 2.0|(3.50)",
    ],
    ["printf('%e %E %.2e %.0e', 12345.678D, 0.00012345D, 9.999D, 15.0D)", "1.234568e+04 1.234500E-04 1.00e+01 2e+01"],
    ["printf('%e %e', 0.0D, 1e-300D)", "0.000000e+00 1.000000e-300"],
    [
      "printf('%f %f %f', cast('NaN' as double), cast('Infinity' as double), cast('-Infinity' as double))",
      "NaN Infinity -Infinity",
    ],
    [
      "printf('%010f|%+f|%(f', cast('NaN' as double), cast('Infinity' as double), cast('-Infinity' as double))",
      "       NaN|+Infinity|(Infinity)",
    ],
    ["printf('%s %s %s %s', 1, 1.5D, true, cast(1.50 as decimal(5,2)))", "1 1.5 true 1.5"],
    ["printf('%s', cast(null as string))", "null"],
    ["printf('%d', cast(null as int))", "null"],
    ["printf('%5d|%-6s|%f', cast(null as int), cast(null as string), cast(null as double))", " null|null  |null"],
    ["printf('%.2f|%05d', cast(null as double), cast(null as int))", "nu| null"],
    ["printf('%S %s', 'abc', cast('ab' as varchar(5)))", "ABC ab"],
    ["printf('%10s|%-10s|%.2s|%5.1s', 'abc', 'abc', 'abc', 'abc')", "       abc|abc       |ab|    a"],
    ["printf('%b %B', true, false)", "true FALSE"],
    ["printf('%b', cast(null as boolean))", "false"],
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
      "printf('%s|%S', timestamp '1900-01-01 10:00:01.000001', cast(null as timestamp))",
      "1900-01-01 10:00:01.000001|NULL",
    ],
    ["printf('%s', cast(1e15 as decimal(20,2)))", "1.0E15"],
    ["printf('%.2f', cast('-0.0' as double))", "-0.00"],
    ["printf('%018.0f', cast('-698301652150.9962' as double))", "-00000698301652151"],
    ["printf('%.1f', cast('-828.106' as double))", "-828.1"],
    ["printf('%019.3f', cast('1.4625006050688514e-35' as double))", "000000000000000.000"],
    ["printf('%.8e', cast('-1.1045966472472273e-198' as double))", "-1.10459665e-198"],
    ["printf('%018.5f', cast('142.4' as double))", "000000000142.40000"],
    ["printf('%-10.1E|', cast('360.8' as double))", "3.6E+02   |"],
    ["printf('%.4f', cast('560.0' as double))", "560.0000"],
    ["printf('%016.3f', cast('-163.754356' as double))", "-00000000163.754"],
    ["printf('%-15.0E|', cast('699.4248046875' as double))", "7E+02          |"],
    ["printf('%,.4f', cast('-460.12145' as double))", "-460.1215"],
    ["printf('%.5e', cast('3.3730543176837634e-09' as double))", "3.37305e-09"],
    ["printf('%016.0f', cast('-5693.390625' as double))", "-000000000005693"],
    ["printf('%.8f', cast('-726.148' as double))", "-726.14800000"],
    ["printf('%.7e', cast('-536.1' as double))", "-5.3610000e+02"],
    ["printf('%-15.5E|', cast('-2614928542.1054926' as double))", "-2.61493E+09   |"],
    ["printf('%e', cast('-2038.6073888869837' as double))", "-2.038607e+03"],
    ["printf('%019.1f', cast('-320.0' as double))", "-0000000000000320.0"],
    ["printf('%.6f', cast('748.6648' as double))", "748.664800"],
    ["printf('%f', cast('-23.864' as double))", "-23.864000"],
    ["printf('%07.4f', cast('116.9375' as double))", "116.9375"],
    ["printf('%.10e', cast('3.3604546002565937e-103' as double))", "3.3604546003e-103"],
    ["printf('%,.1f', cast('-554414487.8895226' as double))", "-554,414,487.9"],
    ["printf('%.5e', cast('1.1114039554511237e-68' as double))", "1.11140e-68"],
    ["printf('%.5e', cast('-16.96722412109375' as double))", "-1.69672e+01"],
    ["printf('%-4.3E|', cast('-3469339573.2844133' as double))", "-3.469E+09|"],
    ["printf('%,.3f', cast('-17.761138916015625' as double))", "-17.761"],
    ["printf('%.2e', cast('-809161625173.3174' as double))", "-8.09e+11"],
    ["printf('%-1.0E|', cast('7.61810302734375' as double))", "8E+00|"],
    ["printf('%f', cast('-518.9212' as double))", "-518.921200"],
    ["printf('%.0f', cast('-119.8' as double))", "-120"],
    ["printf('%.8e', cast('-34803569.79022718' as double))", "-3.48035698e+07"],
    ["printf('%01.0f', cast('544.5222' as double))", "545"],
    ["printf('%018.3f', cast('-2272.7421875' as double))", "-0000000002272.742"],
    ["printf('%e', cast('2.4505402612919503e-88' as double))", "2.450540e-88"],
    ["printf('%,.2f', cast('-0.08549078006870235' as double))", "-0.09"],
    ["printf('%.2e', cast('-14503.625' as double))", "-1.45e+04"],
    ["printf('%f', cast('4.693288373161342e-207' as double))", "0.000000"],
    ["printf('%015.3f', cast('4.443016702823714e-09' as double))", "00000000000.000"],
    ["printf('%-9.0E|', cast('18572.75' as double))", "2E+04    |"],
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
