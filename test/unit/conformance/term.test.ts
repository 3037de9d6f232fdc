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

describe("toSql", () => {
  test("toSql: joins parts without a separator and items with their separator", () => {
    expect(toSql(term`SELECT ${list([raw("a"), raw("b")])} FROM t${removable(term` WHERE ${raw("c")}`)}`)).toBe(
      "SELECT a, b FROM t WHERE c",
    );
    expect(toSql(list([raw("a"), raw("b")], " AND "))).toBe("a AND b");
  });
});

describe("shrinkCandidates", () => {
  test("shrinkCandidates: yields the subterms, and the term with one part replaced by a smaller one", () => {
    expect(texts(shrinkCandidates(call(call(raw("x")), raw("y"))))).toEqual(
      expect.arrayContaining(["f(x)", "x", "y", "f(f(x))", "f(y)", "f(x, y)"]),
    );
  });

  test("shrinkCandidates: keeps the minimum number of items of a list", () => {
    expect(texts(shrinkCandidates(list([raw("a")])))).not.toContain("");
    expect(texts(shrinkCandidates(list([raw("a"), raw("b")])))).toEqual(expect.arrayContaining(["a", "b"]));
    expect(texts(shrinkCandidates(list([raw("a"), raw("b")], ", ", 2)))).not.toContain("");
  });

  test("shrinkCandidates: removes a removable clause and replaces a column by its values", () => {
    expect(texts(shrinkCandidates(term`SELECT 1${removable(raw(" WHERE x"))}`))).toContain("SELECT 1");
    expect(texts(shrinkCandidates(term`abs(${raw("i", ["1", "-1"])})`))).toEqual(
      expect.arrayContaining(["abs(1)", "abs(-1)"]),
    );
  });

  test("shrinkCandidates: repeated shrinking of any term ends", () => {
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
