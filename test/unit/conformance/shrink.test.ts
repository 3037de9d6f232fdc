import { describe, expect, test } from "vitest";
import { shrink } from "../../conformance/hive/shrink.mts";
import { list, optional, type Term, term, word, write } from "../../conformance/hive/generate/term.mts";

const limits = { atOnce: 4, steps: 20 };
const add = (left: Term, right: Term) => term`(${left} + ${right})`;
const contains = (text: string) => async (terms: readonly Term[]) => terms.map((each) => write(each).includes(text));

describe("shrink", () => {
  test("shrink: comes to the smallest statement that still holds", async () => {
    const query = term`SELECT ${list([word("a"), add(word("b"), term`bad(${word("c", ["1"])})`)])} FROM t${optional(term` WHERE ${word("d")}`)}`;
    expect(write(await shrink(query, contains("bad("), limits))).toBe("bad(1)");
    const isQuery = async (terms: readonly Term[]) => terms.map((each) => /^SELECT .*bad\(.* FROM t/.test(write(each)));
    expect(write(await shrink(query, isQuery, limits))).toBe("SELECT bad(1) FROM t");
  });

  test("shrink: gives the statement itself where nothing smaller holds", async () => {
    const whole = add(word("a"), word("b"));
    expect(await shrink(whole, contains("+"), limits)).toBe(whole);
  });

  test("shrink: asks for no candidate twice, for at most so many at once, and ends after so many steps", async () => {
    const asked: string[][] = [];
    const whole = add(add(word("a"), word("a")), add(word("a"), word("a")));
    await shrink(
      whole,
      async (terms) => {
        asked.push(terms.map(write));
        return terms.map(() => true);
      },
      { atOnce: 2, steps: 1 },
    );
    expect(asked).toHaveLength(1);
    expect(asked.every((terms) => terms.length <= 2)).toBe(true);

    const all: string[] = [];
    await shrink(
      whole,
      async (terms) => {
        all.push(...terms.map(write));
        return terms.map(() => false);
      },
      limits,
    );
    expect(new Set(all).size).toBe(all.length);
  });
});
