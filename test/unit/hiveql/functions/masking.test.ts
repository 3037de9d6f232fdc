import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { HiveQLError } from "../../../../hiveql/index";
import { openAnswers } from "../answers";

let answers: Awaited<ReturnType<typeof openAnswers>>;
beforeAll(async () => {
  answers = await openAnswers();
});
afterAll(() => answers.close());

describe("mask_hash: as Hive answers", () => {
  test.each([
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
  test.each(["mask_hash(null)", "mask('a')"])("%s", async (expression) => {
    await expect(answers.answer(`select ${expression}`)).rejects.toThrow(HiveQLError);
  });
});
