import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  list,
  nothing,
  optional,
  smaller,
  type Term,
  term,
  word,
  write,
} from "../../conformance/hive/generate/term.mts";

const texts = (terms: Iterable<Term>) => [...terms].map((each) => write(each));
const call = (...values: Term[]) => term`f(${list(values)})`;

describe("write", () => {
  test("write: joins parts as they stand and items by their separator", () => {
    expect(write(term`SELECT ${list([word("a"), word("b")])} FROM t${optional(term` WHERE ${word("c")}`)}`)).toBe(
      "SELECT a, b FROM t WHERE c",
    );
    expect(write(list([word("a"), word("b")], " AND "))).toBe("a AND b");
  });
});

describe("smaller", () => {
  test("smaller: gives what is within a term, and each term with one part made smaller", () => {
    expect(texts(smaller(call(call(word("x")), word("y"))))).toEqual(
      expect.arrayContaining(["f(x)", "x", "y", "f(f(x))", "f(y)", "f(x, y)"]),
    );
  });

  test("smaller: keeps as many items of a list as must stay", () => {
    expect(texts(smaller(list([word("a")])))).not.toContain("");
    expect(texts(smaller(list([word("a"), word("b")])))).toEqual(expect.arrayContaining(["a", "b"]));
    expect(texts(smaller(list([word("a"), word("b")], ", ", 2)))).not.toContain("");
  });

  test("smaller: leaves an optional clause out and puts a column's values in its place", () => {
    expect(texts(smaller(term`SELECT 1${optional(word(" WHERE x"))}`))).toContain("SELECT 1");
    expect(texts(smaller(term`abs(${word("i", ["1", "-1"])})`))).toEqual(expect.arrayContaining(["abs(1)", "abs(-1)"]));
  });

  test("smaller: comes to an end however a term is made", () => {
    const terms = fc.letrec<{ term: Term }>((tie) => ({
      term: fc.oneof(
        { maxDepth: 4 },
        fc.constantFrom(word("x"), word("i", ["1"]), nothing),
        fc.array(tie("term"), { minLength: 1, maxLength: 3 }).map((values) => call(...values)),
        tie("term").map(optional),
      ),
    })).term;
    fc.assert(
      fc.property(terms, fc.infiniteStream(fc.nat()), (whole, choices) => {
        let current = whole;
        for (let step = 0; step < 1000; step += 1) {
          const all = [...smaller(current)];
          if (all.length === 0) return;
          current = all[(choices.next().value as number) % all.length] as Term;
        }
        throw new Error(`still ${write(current)}`);
      }),
    );
  });
});
