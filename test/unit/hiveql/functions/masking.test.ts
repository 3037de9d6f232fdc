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
    ["mask('AbC-12', '', 'll')", "XlX-nn"],
    ["mask(cast('AbC-12' as varchar(4)))", "XxX-"],
    ["mask(cast(-123 as tinyint))", "-111"],
    ["mask(cast(-128 as tinyint))", "-111"],
    ["mask(0)", "1"],
    ["mask(1.5D)", "NULL"],
    ["mask(cast(null as int))", "NULL"],
    ["mask(cast(null as string))", "NULL"],
    ["mask(date '2020-03-05')", "0000-01-01"],
    ["mask(true)", "NULL"],
    ["mask(timestamp '2020-01-01 00:00:00')", "NULL"],
    ["mask(1.50)", "NULL"],
    ["mask_hash('abc')", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"],
    ["mask_hash(cast('abc' as varchar(10)))", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"],
    ["mask_hash('')", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"],
    ["mask_hash(5)", "NULL"],
    ["mask_hash(date '2020-01-01')", "NULL"],
  ])("%s is %s", async (expression, value) => {
    expect(await answers.answer(`select ${expression}`)).toEqual([value]);
  });
});

describe("refused: what Hive refuses, and what would give another answer than Hive", () => {
  test.each([
    "mask_hash(null)",
    "mask(null)",
    "mask('a', concat('x', 'y'))",
    "mask('a', -1)",
    "mask(12, 'x', 'x', 'x', 'x', 9)",
    "mask(cast('a' as char(3)))",
    "mask(array(1))",
  ])("%s", async (expression) => {
    await expect(answers.answer(`select ${expression}`)).rejects.toThrow(HiveQLError);
  });
});
