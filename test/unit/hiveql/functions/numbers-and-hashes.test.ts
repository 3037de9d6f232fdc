import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { HiveQLError } from "../../../../hiveql/index";
import { openAnswers } from "../answers";

let answers: Awaited<ReturnType<typeof openAnswers>>;
beforeAll(async () => {
  answers = await openAnswers();
});
afterAll(() => answers.close());

test("sha2: NULL for a number of bits that the manual does not name", async () => {
  expect(await answers.answer("select sha2('ABC', 1), sha2('ABC', 128), sha2('', 0) = sha2('', 256)")).toEqual([
    "NULL|NULL|true",
  ]);
});

describe("lookups and buckets: as Hive answers", () => {
  test.each([
    ["udftoboolean('x')", "true"],
    ["udftoboolean('')", "false"],
    ["udftoboolean(0)", "false"],
    ["udftobyte(300)", "44"],
    ["udftobyte('12')", "12"],
    ["udftoshort('5')", "5"],
    ["udftointeger(1.9)", "1"],
    ["udftointeger(true)", "1"],
    ["udftointeger('a')", "NULL"],
    ["udftointeger(null)", "NULL"],
    ["udftolong('12')", "12"],
    ["udftolong(2.5D)", "2"],
    ["udftofloat('1.5')", "1.5"],
    ["udftodouble(2)", "2.0"],
    ["udftodouble('x')", "NULL"],
    ["udftodouble(cast(1.10 as decimal(5,2)))", "1.1"],
    ["current_catalog()", "hive"],
    ["field('a','b','a')", "2"],
    ["field(1, 1L)", "0"],
    ["field(1, 3, 2, 1)", "3"],
    ["field(cast('a' as varchar(3)),'a')", "0"],
    ["field(cast('a' as varchar(3)),cast('a' as varchar(9)))", "1"],
    ["field(0.0, -0.0)", "1"],
    ["field(0.0D, cast('-0.0' as double))", "1"],
    ["field(null, null)", "0"],
    ["field('x', null, 'x')", "2"],
    ["field(1.5, 1.50, 1.5)", "1"],
    ["field(1.50, 2, 1.500)", "2"],
    ["field(date '2020-01-01', '2020-01-01', date '2020-01-01')", "2"],
    ["field(true, false, true)", "2"],
    ["field(cast(null as int), cast(null as int))", "0"],
    ["version()", "4.0.1 r3af4517eb8cfd9407ad34ed78a0b48b57dfaa264"],
    ["position('a','bca')", "3"],
    ["position('a','bca', 1)", "3"],
  ])("%s is %s", async (expression, value) => {
    expect(await answers.answer(`select ${expression}`)).toEqual([value]);
  });
});

describe("numbers: as Hive answers", () => {
  test.each([
    ["mod(7,3)", "1"],
    ["mod(-7,3)", "-1"],
    ["mod(7.5,2)", "1.5"],
    ["mod('7',2)", "1.0"],
    ["mod(7,0)", "NULL"],
    ["sinh(1.5)", "2.1292794550948173"],
    ["cosh(-1.5)", "2.352409615243247"],
    ["tanh(0.3)", "0.2913126124515909"],
    ["sinh(1e-10)", "1.0E-10"],
    ["sinh(800)", "Infinity"],
    ["cosh(800)", "Infinity"],
    ["tanh(800)", "1.0"],
    ["sinh(cast('NaN' as double))", "NaN"],
    ["sinh('1')", "1.1752011936438014"],
    ["sinh(22.5)", "2.9552610315116453E9"],
    ["cosh(0.1)", "1.0050041680558035"],
    ["tanh(1e-5)", "9.999999999666668E-6"],
    ["tanh(21.9)", "1.0"],
    ["sinh(2)", "3.626860407847019"],
    ["sinh(1.23D)", "1.564468479304407"],
  ])("%s is %s", async (expression, value) => {
    expect(await answers.answer(`select ${expression}`)).toEqual([value]);
  });
});

describe("refused: what Hive refuses, and what would give another answer than Hive", () => {
  test.each([
    "aes_encrypt(null, '1234567890123456')",
    "aes_encrypt('a', null)",
    "aes_encrypt(1, '1234567890123456')",
    "aes_decrypt('abc', '1234567890123457')",
    "murmur_hash(1)",
    "unbase64(timestamp '2020-01-01 00:00:00')",
  ])("%s", async (expression) => {
    await expect(answers.answer(`select ${expression}`)).rejects.toThrow(HiveQLError);
  });
});
