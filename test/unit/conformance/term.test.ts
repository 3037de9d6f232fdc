import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  list,
  emptyTerm,
  removable,
  shrinkCandidates,
  type Term,
  term,
  raw,
  toSql,
} from "../../conformance/hive/generate/term.mts";

const texts = (terms: Iterable<Term>) => [...terms].map((each) => toSql(each));
const call = (...values: Term[]) => term`f(${list(values)})`;

describe("write", () => {
  test("write: joins parts as they stand and items by their separator", () => {
    expect(toSql(term`SELECT ${list([raw("a"), raw("b")])} FROM t${removable(term` WHERE ${raw("c")}`)}`)).toBe(
      "SELECT a, b FROM t WHERE c",
    );
    expect(toSql(list([raw("a"), raw("b")], " AND "))).toBe("a AND b");
  });
});

describe("smaller", () => {
  test("smaller: gives what is within a term, and each term with one part made smaller", () => {
    expect(texts(shrinkCandidates(call(call(raw("x")), raw("y"))))).toEqual(
      expect.arrayContaining(["f(x)", "x", "y", "f(f(x))", "f(y)", "f(x, y)"]),
    );
  });

  test("smaller: keeps as many items of a list as must stay", () => {
    expect(texts(shrinkCandidates(list([raw("a")])))).not.toContain("");
    expect(texts(shrinkCandidates(list([raw("a"), raw("b")])))).toEqual(expect.arrayContaining(["a", "b"]));
    expect(texts(shrinkCandidates(list([raw("a"), raw("b")], ", ", 2)))).not.toContain("");
  });

  test("smaller: leaves an optional clause out and puts a column's values in its place", () => {
    expect(texts(shrinkCandidates(term`SELECT 1${removable(raw(" WHERE x"))}`))).toContain("SELECT 1");
    expect(texts(shrinkCandidates(term`abs(${raw("i", ["1", "-1"])})`))).toEqual(expect.arrayContaining(["abs(1)", "abs(-1)"]));
  });

  test("smaller: comes to an end however a term is made", () => {
    const terms = fc.letrec<{ term: Term }>((tie) => ({
      term: fc.oneof(
        { maxDepth: 4 },
        fc.constantFrom(raw("x"), raw("i", ["1"]), emptyTerm),
        fc.array(tie("term"), { minLength: 1, maxLength: 3 }).map((values) => call(...values)),
        tie("term").map(removable),
      ),
    })).term;
    fc.assert(
      fc.property(terms, fc.infiniteStream(fc.nat()), (whole, choices) => {
        let current = whole;
        for (let step = 0; step < 1000; step += 1) {
          const all = [...shrinkCandidates(current)];
          if (all.length === 0) return;
          current = all[(choices.next().value as number) % all.length] as Term;
        }
        throw new Error(`still ${toSql(current)}`);
      }),
    );
  });
});
