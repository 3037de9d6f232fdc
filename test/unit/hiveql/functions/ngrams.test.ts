import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { HiveQLError, translate } from "../../../../hiveql/index";
import { catalog, openAnswers } from "../answers";

let answers: Awaited<ReturnType<typeof openAnswers>>;
beforeAll(async () => {
  answers = await openAnswers();
});
afterAll(() => answers.close());

/** Returns words with their counts as Hive prints them. */
const counted = (...pairs: readonly (readonly [words: string, count: number])[]) =>
  `[${pairs.map(([words, count]) => `{"ngram":${JSON.stringify(words.split(" "))},"estfrequency":${count}.0}`).join(",")}]`;

describe("ngrams, context_ngrams: count sequences of words, the most frequent first, ties by the words", () => {
  test.each([
    ["ngrams(array('a','b','a'), 1, 5)", counted(["a", 2], ["b", 1])],
    ["ngrams(array('a'), 1L, 5Y)", counted(["a", 1])],
    ["ngrams(array('a'), 2, 5)", "NULL"],
    ["ngrams(array(array('a','b'), array('b','a')), 2, 5)", counted(["a b", 1], ["b a", 1])],
    [
      "ngrams(split('the cat and the cat and the dog', ' '), 2, 10)",
      counted(["and the", 2], ["cat and", 2], ["the cat", 2], ["the dog", 1]),
    ],
    ["ngrams(split('the cat and the cat and the dog', ' '), 1, 1)", counted(["the", 3])],
    ["ngrams(array('a','','a',''), 2, 10)", counted(["a ", 2], [" a", 1])],
    [
      "ngrams(array('b','é','z','Z','😀','￮'), 1, 9)",
      counted(["Z", 1], ["b", 1], ["z", 1], ["é", 1], ["😀", 1], ["￮", 1]),
    ],
    ["ngrams(array('a'), 1, 5) over ()", counted(["a", 1])],
    [
      "context_ngrams(array(array('i','love','you','i','love','cake')), array('i','love',null), 10)",
      counted(["cake", 1], ["you", 1]),
    ],
    [
      "context_ngrams(array(array('i','love','you','i','love','cake')), array(null,'love',null), 10, 5)",
      counted(["i cake", 1], ["i you", 1]),
    ],
    ["context_ngrams(array('i','love','you'), array('i',cast(null as string)), 10)", counted(["love", 1])],
  ])("%s is %s", async (expression, expected) => {
    expect(await answers.answer(`select ${expression}`)).toEqual([expected]);
  });

  test("over groups, and NULL for a group without words", async () => {
    const rows = "(select stack(5, 1, 'a', 1, 'b', 1, 'a', 2, 'x', 3, cast(null as string)) as (g, s)) t";
    const words = "case when s is not null then array(s) end";
    expect(await answers.answer(`select g, ngrams(${words}, 1, 2) from ${rows} group by g order by g`)).toEqual([
      `1|${counted(["a", 2], ["b", 1])}`,
      `2|${counted(["x", 1])}`,
      "3|NULL",
    ]);
    expect(await answers.answer("select ngrams(array(name), 1, 2) from people where id > 9")).toEqual(["NULL"]);
  });
});

describe("ngrams, context_ngrams: fail where Hive does, where it estimates, and where it keeps any of several ties", () => {
  test.each([
    ["ngrams(array('a',cast(null as string)), 1, 5)", "NULL word"],
    ["context_ngrams(array('i','love'), array('i'), 10)", "needs a NULL"],
    ["context_ngrams(array('i','love'), array('',cast(null as string)), 10)", "empty string"],
    ["ngrams(array('a','b','c'), 1, 2)", "as frequent as the last one"],
  ])("%s: %s", async (expression, message) => {
    await expect(answers.answer(`select ${expression}`)).rejects.toThrow(message);
  });

  test("more n-grams than Hive counts without estimating", async () => {
    const words = Array.from({ length: 1001 }, (_unused, index) => `w${index}`).join(" ");
    await expect(answers.answer(`select ngrams(split('${words}', ' '), 1, 10)`)).rejects.toThrow(
      "estimates the counts",
    );
  });
});

describe("ngrams, context_ngrams: refuse what Hive refuses", () => {
  test.each([
    "ngrams('a', 1, 5)",
    "ngrams(array(1), 1, 5)",
    "ngrams(array(cast('a' as varchar(3))), 1, 5)",
    "ngrams(array('a'), '1', 5)",
    "ngrams(array('a'), null, 5)",
    "ngrams(array('a'), 1.0, 5)",
    "ngrams(array('a'), 0, 5)",
    "ngrams(array('a'), 1, 0)",
    "ngrams(array('a'), 1, 5, 0)",
    "context_ngrams(array('a'), 'a', 5)",
  ])("%s", (expression) => {
    expect(() => translate(`select ${expression}`, catalog)).toThrow(HiveQLError);
  });
});
