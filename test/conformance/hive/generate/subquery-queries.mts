/** Generates subqueries: IN, EXISTS and scalar, in WHERE, the select list and HAVING, correlated and uncorrelated. */
import fc from "fast-check";
import { expressionOfAny, type Arbitrary, maybe, aliasedList, where, choice } from "./clauses.mts";
import type { Sources } from "./sources.mts";
import { emptyTerm, removable, type Term, term, raw } from "./term.mts";

const links = choice("a.k = b.k", "a.t = b.t", "a.day = b.day", "a.u = b.vc", "a.k = b.s", "a.p = b.c");
const unequal = choice("a.n > b.q", "a.k <> b.k", "a.id < b.id");
const not = choice("", "NOT ");

/** Generates statements over `sales a` with subqueries of `items b` or `nobody b`. */
export function subqueriesOver({ left, right }: Sources): Arbitrary<Term> {
  const inner = fc
    .tuple(expressionOfAny(right, 0, ["integer", "text", "date", "decimal", "double"]), where(right))
    .map(([value, filter]) => term`SELECT ${value} FROM items b${filter}`);
  const columns = fc.constantFrom(
    ...([
      ["a.k", "b.k"],
      ["a.k", "b.q"],
      ["a.n", "b.s"],
      ["a.t", "b.t"],
      ["a.t", "b.ch"],
      ["a.p", "b.c"],
      ["a.p", "b.q"],
      ["a.day", "b.day"],
      ["a.day", "b.at"],
      ["a.ok", "b.ok"],
      ["a.x", "b.f"],
    ] as const),
  );
  const asked = fc.oneof(
    fc.constant(emptyTerm),
    links.map((link) => removable(term` WHERE ${link}`)),
    right.condition(0).map((test) => removable(term` WHERE ${test}`)),
    fc.tuple(links, right.condition(0)).map(([link, test]) => term` WHERE ${link}${removable(term` AND ${test}`)}`),
  );
  const listed = fc
    .tuple(columns, not, asked)
    .map(
      ([[operand, column], no, clause]) => term`${raw(operand)} ${no}IN (SELECT ${raw(column)} FROM items b${clause})`,
    );
  const results = choice(
    "max(b.q)",
    "avg(b.c)",
    "count(*)",
    "min(b.k)",
    "sum(b.s)",
    "max(b.day)",
    "count(b.q)",
    "sum(b.e)",
  );
  const value = fc.tuple(results, asked).map(([result, clause]) => term`(SELECT ${result} FROM items b${clause})`);
  const tests = fc.oneof(
    fc
      .tuple(choice("a.k", "a.n", "a.t", "a.p"), not, inner)
      .map(([operand, no, query]) => term`${operand} ${no}IN (${query})`),
    { arbitrary: listed, weight: 2 },
    fc
      .tuple(not, fc.oneof(links, unequal), right.condition(0))
      .map(([no, link, test]) => term`${no}EXISTS (SELECT 1 FROM items b WHERE ${link} AND ${test})`),
    fc.tuple(not, links).map(([no, link]) => term`${no}EXISTS (SELECT b.k FROM items b WHERE ${link})`),
    fc
      .tuple(choice("a.n", "a.p", "a.x", "a.k"), choice(">", "=", "<=", "<>"), value)
      .map(([operand, sign, query]) => term`${operand} ${sign} ${query}`),
    fc.tuple(choice("a.k", "a.id"), not).map(([operand, no]) => term`${operand} ${no}IN (SELECT b.k FROM nobody b)`),
    not.map((no) => term`${no}EXISTS (SELECT 1 FROM nobody b WHERE a.k = b.k)`),
  );
  const filtered = fc
    .tuple(
      aliasedList(expressionOfAny(left, 0), 2, "c"),
      tests,
      maybe(left.condition(0).map((test) => term` AND ${test}`)),
    )
    .map(([select, test, more]) => term`SELECT a.id, ${select} FROM sales a WHERE ${test}${more}`);
  const selected = fc
    .tuple(value, where(left))
    .map(([query, filter]) => term`SELECT a.id, ${query} AS v FROM sales a${filter}`);
  const kept = fc
    .tuple(choice("count(*)", "max(a.n)", "sum(a.k)"), choice(">", "<=", "="), results)
    .map(
      ([result, sign, other]) =>
        term`SELECT a.t, ${result} AS c FROM sales a GROUP BY a.t HAVING ${result} ${sign} (SELECT ${other} FROM items b)`,
    );
  const grouped = fc
    .tuple(links, choice("max(b.q)", "count(*)", "sum(b.c)"))
    .map(
      ([link, result]) =>
        term`SELECT q.t, sum(q.v) AS s FROM (SELECT a.t, (SELECT ${result} FROM items b WHERE ${link}) AS v FROM sales a) q GROUP BY q.t`,
    );
  return fc.oneof({ arbitrary: filtered, weight: 5 }, { arbitrary: selected, weight: 2 }, kept, grouped);
}
