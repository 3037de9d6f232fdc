import { describe, expect, test } from "vitest";
import { shrink } from "../../conformance/hive/shrink.mts";
import { list, removable, type Term, term, raw, toSql } from "../../conformance/hive/generate/term.mts";

const limits = { batchSize: 4, maxSteps: 20 };
const add = (left: Term, right: Term) => term`(${left} + ${right})`;
const contains = (text: string) => async (terms: readonly Term[]) => terms.map((each) => toSql(each).includes(text));

describe("shrink", () => {
  test("shrink: finds the smallest statement for which the predicate holds", async () => {
    const query = term`SELECT ${list([raw("a"), add(raw("b"), term`bad(${raw("c", ["1"])})`)])} FROM t${removable(term` WHERE ${raw("d")}`)}`;
    expect(toSql(await shrink(query, contains("bad("), limits))).toBe("bad(1)");
    const isQuery = async (terms: readonly Term[]) => terms.map((each) => /^SELECT .*bad\(.* FROM t/.test(toSql(each)));
    expect(toSql(await shrink(query, isQuery, limits))).toBe("SELECT bad(1) FROM t");
  });

  test("shrink: returns the statement itself when the predicate holds for no smaller one", async () => {
    const whole = add(raw("a"), raw("b"));
    expect(await shrink(whole, contains("+"), limits)).toBe(whole);
  });

  test("shrink: tries no candidate twice, at most a batch at once, and stops after the maximum number of steps", async () => {
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
