import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { HiveQLError } from "../../../../hiveql/index";
import { openAnswers } from "../answers";

let answers: Awaited<ReturnType<typeof openAnswers>>;
beforeAll(async () => {
  answers = await openAnswers();
});
afterAll(() => answers.close());

describe("mask: as Hive answers", () => {
  test.each([
    ["mask('AbC-12 ä É 漢😀')", "XxX-nn x X 漢😀"],
    ["mask('AbC-12', 'U', 'l', '#', '.')", "UlU.##"],
    ["mask('AbC-12', -1, 'l', '#', 46)", "AlC.##"],
    ["mask('AbC-12', '', 'll', null)", "XlX-nn"],
    ["mask(cast('AbC-12' as varchar(4)))", "XxX-"],
    ["mask(cast(-123 as tinyint))", "-111"],
    ["mask(cast(-128 as tinyint))", "-111"],
    ["mask(cast(-32768 as smallint), 'x','x','x','x',9)", "31073"],
    ["mask(-2147483648, 'x','x','x','x',7)", "-7777777777"],
    ["mask(cast('-9223372036854775808' as bigint), 'x','x','x','x',7)", "-7777777777777777777"],
    ["mask(cast('-9223372036854775808' as bigint), 'x','x','x','x',11)", "-1111111111111111111"],
    ["mask(0, 'x','x','x','x',0)", "0"],
    ["mask(0)", "1"],
    ["mask(1.5D)", "NULL"],
    ["mask(cast(null as int))", "NULL"],
    ["mask(cast(null as string))", "NULL"],
    ["mask(date '2020-03-05')", "0000-01-01"],
    ["mask(date '2020-03-05', 'x','x','x','x',1, -1, 3, 1999)", "1999-04-05"],
    ["mask(date '2020-03-05', 'x','x','x','x',1, 7, -1, -1)", "2020-03-07"],
    ["mask(date '2020-03-05', 'x','x','x','x',1, 40, 12, -1)", "2020-01-01"],
    ["mask(date '2020-03-05', 'x','x','x','x','5', '40', '12', '-1')", "2020-01-01"],
    ["mask(true)", "NULL"],
    ["mask(timestamp '2020-01-01 00:00:00')", "NULL"],
    ["mask(1.50)", "NULL"],
    ["mask_hash('abc')", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"],
    ["mask_hash(cast('abc' as varchar(10)))", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"],
    ["mask_hash('')", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"],
    ["mask_hash(5)", "NULL"],
    ["mask_hash(date '2020-01-01')", "NULL"],
    ["mask_first_n('Abc-1234 xyz')", "Xxx-1234 xyz"],
    ["mask_first_n('Abc-1234 xyz', 6)", "Xxx-nn34 xyz"],
    ["mask_first_n('Abc-1234 xyz', 0)", "Abc-1234 xyz"],
    ["mask_first_n('Abc-1234 xyz', -2)", "Abc-1234 xyz"],
    ["mask_first_n('Abc-1234 xyz', 100, 'U','l','#','o')", "Ullo####olll"],
    ["mask_last_n('Abc-1234 xyz')", "Abc-1234 xxx"],
    ["mask_last_n('Abc-1234 xyz', 6)", "Abc-12nn xxx"],
    ["mask_last_n('Abc', 6)", "Xxx"],
    ["mask_last_n('Abc', '2')", "Axx"],
    ["mask_show_first_n('Abc-1234 xyz')", "Abc-nnnn xxx"],
    ["mask_show_first_n('Abc-1234 xyz', 6, 'x', 'x', 'x', -1, '1')", "Abc-12xx xxx"],
    ["mask_show_first_n('Abc', 6)", "Abc"],
    ["mask_show_last_n('Abc-1234 xyz')", "Xxx-nnnn xyz"],
    ["mask_show_last_n('Abc-1234 xyz', 6)", "Xxx-nn34 xyz"],
    ["mask_show_last_n('Abc', 0)", "Xxx"],
    ["mask_first_n(123456)", "111156"],
    ["mask_first_n(-123456, 2)", "-113456"],
    ["mask_first_n(cast(-128 as tinyint), 2)", "-102"],
    ["mask_first_n(cast(-128 as tinyint), 1)", "-72"],
    ["mask_first_n(12, 5)", "11"],
    ["mask_first_n(0, 0)", "0"],
    ["mask_first_n(0, 1)", "1"],
    ["mask_last_n(123456)", "121111"],
    ["mask_last_n(-123456, 2)", "-123411"],
    ["mask_last_n(cast(-128 as tinyint), 1)", "119"],
    ["mask_last_n(cast(-32768 as smallint), 2)", "32689"],
    ["mask_last_n(0, 0)", "0"],
    ["mask_show_first_n(123456)", "123411"],
    ["mask_show_first_n(-123456, 2)", "-121111"],
    ["mask_show_first_n(0, 0)", "1"],
    ["mask_show_first_n(0, 1)", "0"],
    ["mask_show_first_n(-2147483648, 3)", "-2141111111"],
    ["mask_show_first_n(-2147483648, 30)", "-2147483648"],
    ["mask_show_last_n(123456)", "113456"],
    ["mask_show_last_n(-123456, 2)", "-111156"],
    ["mask_show_last_n(-123456, 20)", "-123456"],
    ["mask_show_last_n(-2147483648, 3)", "-1111111648"],
    ["mask_show_last_n(cast('-9223372036854775808' as bigint), 3)", "-1111111111111110192"],
    ["mask_show_last_n(0, 0)", "1"],
    ["mask_show_last_n(0, 3)", "0"],
    ["mask_show_last_n(date '2020-03-05')", "0000-01-01"],
    ["mask_show_last_n(cast('1234-5678-8765-4321' as varchar(20)), 4)", "nnnn-nnnn-nnnn-4321"],
  ])("%s is %s", async (expression, value) => {
    expect(await answers.answer(`select ${expression}`)).toEqual([value]);
  });
});

describe("refused: what Hive refuses, and what would give another answer than Hive", () => {
  test.each([
    "mask_hash(null)",
    "mask(null)",
    "mask('a', concat('x', 'y'))",
    "mask(cast('a' as char(3)))",
    "mask(array(1))",
  ])("%s", async (expression) => {
    await expect(answers.answer(`select ${expression}`)).rejects.toThrow(HiveQLError);
  });
});
