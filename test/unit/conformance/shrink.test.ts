import { describe, expect, test } from "vitest";
import { shrink } from "../../conformance/hive/shrink.mts";
import { list, removable, type Term, term, raw, toSql } from "../../conformance/hive/generate/term.mts";

const limits = { batchSize: 4, maxSteps: 20 };
const add = (left: Term, right: Term) => term`(${left} + ${right})`;
const contains = (text: string) => async (terms: readonly Term[]) => terms.map((each) => toSql(each).includes(text));

describe("shrink", () => {
  test("shrink: comes to the smallest statement that still holds", async () => {
    const query = term`SELECT ${list([raw("a"), add(raw("b"), term`bad(${raw("c", ["1"])})`)])} FROM t${removable(term` WHERE ${raw("d")}`)}`;
    expect(toSql(await shrink(query, contains("bad("), limits))).toBe("bad(1)");
    const isQuery = async (terms: readonly Term[]) => terms.map((each) => /^SELECT .*bad\(.* FROM t/.test(toSql(each)));
    expect(toSql(await shrink(query, isQuery, limits))).toBe("SELECT bad(1) FROM t");
  });

  test("shrink: gives the statement itself where nothing smaller holds", async () => {
    const whole = add(raw("a"), raw("b"));
    expect(await shrink(whole, contains("+"), limits)).toBe(whole);
  });

  test("shrink: asks for no candidate twice, for at most so many at once, and ends after so many steps", async () => {
    const asked: string[][] = [];
    const whole = add(add(raw("a"), raw("a")), add(raw("a"), raw("a")));
    await shrink(
      whole,
      async (terms) => {
        asked.push(terms.map(toSql));
        return terms.map(() => true);
      },
      { batchSize: 2, maxSteps: 1 },
    );
    expect(asked).toHaveLength(1);
    expect(asked.every((terms) => terms.length <= 2)).toBe(true);

    const all: string[] = [];
    await shrink(
      whole,
      async (terms) => {
        all.push(...terms.map(toSql));
        return terms.map(() => false);
      },
      limits,
    );
    expect(new Set(all).size).toBe(all.length);
  });
});
