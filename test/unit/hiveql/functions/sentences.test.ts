import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { HiveQLError, translate } from "../../../../hiveql/index";
import { catalog, openAnswers } from "../answers";

let answers: Awaited<ReturnType<typeof openAnswers>>;
beforeAll(async () => {
  answers = await openAnswers();
});
afterAll(() => answers.close());

describe("sentences: splits texts as Java's BreakIterator", () => {
  test.each([
    [
      "'Hello there! How are you?'",
      [
        ["Hello", "there"],
        ["How", "are", "you"],
      ],
    ],
    [
      "'Hello there! I am a UDF.', 'en', 'US'",
      [
        ["Hello", "there"],
        ["I", "am", "a", "UDF"],
      ],
    ],
    ["'Hi', cast(null as string)", [["Hi"]]],
    ["''", []],
    ["'!!! a'", [[], ["a"]]],
    ["1.5", [["1.5"]]],
    ["true", [["TRUE"]]],
    [
      "'It cost 3.14, e.g. for a well-known snake_case. Then 50% off'",
      [
        ["It", "cost", "3.14", "e.g", "for", "a", "well-known", "snake_case"],
        ["Then", "50%", "off"],
      ],
    ],
    [
      "'The U.S. is big.  so it is. (See it) or 5. Élan vital'",
      [
        ["The", "U.S", "is", "big"],
        ["so", "it", "is"],
        ["See", "it", "or", "5"],
        ["Élan", "vital"],
      ],
    ],
    [
      String.raw`'He said \"yes.\" Then don\'t stop... why?'`,
      [
        ["He", "said", "yes"],
        ["Then", "don't", "stop", "why"],
      ],
    ],
    ["'a1b2 $5 #x'", [["a1b2", "x"]]],
  ])("sentences(%s)", async (arguments_, expected) => {
    expect(await answers.answer(`select sentences(${arguments_})`)).toEqual([JSON.stringify(expected)]);
  });

  test("works as input of ngrams; NULL stays NULL", async () => {
    expect(
      await answers.answer(
        "select ngrams(sentences(lower('The cat. The cat sat on the mat!')), 2, 1), sentences(null)",
      ),
    ).toEqual(['[{"ngram":["the","cat"],"estfrequency":2.0}]|NULL']);
  });
});

describe("sentences: fails for unsupported characters and punctuation", () => {
  test.each(["'日本語。'", "'wait. , what'", "'a.(b'", "'“Hi.”'"])("%s", async (text) => {
    await expect(answers.answer(`select sentences(${text})`)).rejects.toThrow("sentences of a text");
  });

  test.each(["sentences('a', 'th')", "sentences(name, name)", "sentences(array('a'))"])(
    "%s is refused",
    (expression) => {
      expect(() => translate(`select ${expression} from people`, catalog)).toThrow(HiveQLError);
    },
  );
});
