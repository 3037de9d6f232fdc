/** Generates nested subqueries, and subqueries in unusual places: ANY and ALL, CASE, HAVING, joins, set operators. */
import fc from "fast-check";
import { expressionOfAny, type Arbitrary, maybe, where, choice } from "./clauses.mts";
import type { Sources } from "./sources.mts";
import { removable, type Term, term, raw } from "./term.mts";

const links = choice("a.k = b.k", "a.t = b.t", "a.day = b.day", "b.k = a.k AND b.q > 5", "a.p = b.c");
const not = choice("", "NOT ");
const signs = choice("=", "<>", "<", ">=");

/** Generates statements over `sales a` with nested or unusual subqueries. */
export function nestedSubqueriesOver({ left, right }: Sources): Arbitrary<Term> {
  const test = right.condition(0);
  const inIn = fc
    .tuple(
      not,
      choice("b.k", "b.q"),
      not,
      choice("c.k", "c.n", "c.id"),
      maybe(choice(" WHERE c.n > 5", " WHERE c.t = 'red'", " WHERE c.k IS NOT NULL")),
    )
    .map(
      ([no, column, nor, inner, filter]) =>
        term`SELECT a.id FROM sales a WHERE a.k ${no}IN (SELECT ${column} FROM items b WHERE b.k ${nor}IN (SELECT ${inner} FROM sales c${filter}))`,
    );
  const existsInIn = fc
    .tuple(not, not, choice("c.k = b.k", "c.t = b.t", "c.id < b.id"))
    .map(
      ([no, nor, link]) =>
        term`SELECT a.id FROM sales a WHERE a.k ${no}IN (SELECT b.k FROM items b WHERE ${nor}EXISTS (SELECT 1 FROM sales c WHERE ${link}))`,
    );
  const inExists = fc
    .tuple(not, links, not, choice("c.k", "c.id"))
    .map(
      ([no, link, nor, column]) =>
        term`SELECT a.id FROM sales a WHERE ${no}EXISTS (SELECT 1 FROM items b WHERE ${link} AND b.k ${nor}IN (SELECT ${column} FROM sales c))`,
    );
  const valueInIn = fc
    .tuple(not, choice("max(c.n)", "avg(c.n)", "count(*)"), signs)
    .map(
      ([no, result, sign]) =>
        term`SELECT a.id FROM sales a WHERE a.k ${no}IN (SELECT b.k FROM items b WHERE b.q ${sign} (SELECT ${result} FROM sales c))`,
    );
  const quantified = fc
    .tuple(
      choice("a.k", "a.n", "a.p"),
      signs,
      choice("ANY", "SOME", "ALL"),
      choice("b.k", "b.q", "b.c"),
      maybe(choice(" WHERE b.q > 5", " WHERE b.k IS NOT NULL", " WHERE b.id > 90")),
    )
    .map(
      ([operand, sign, kind, column, filter]) =>
        term`SELECT a.id FROM sales a WHERE ${operand} ${sign} ${kind} (SELECT ${column} FROM items b${filter})`,
    );
  const two = fc
    .tuple(not, not, links, choice("AND", "OR"), choice("b.k", "b.q"))
    .map(
      ([no, nor, link, both, column]) =>
        term`SELECT a.id FROM sales a WHERE ${no}EXISTS (SELECT 1 FROM items b WHERE ${link}) ${both} a.k ${nor}IN (SELECT ${column} FROM items b)`,
    );
  const selected = fc
    .tuple(
      choice("max(b.q)", "count(*)", "sum(b.c)", "min(b.day)"),
      links,
      choice("coalesce(%, 0)", "% IS NULL", "%", "CASE WHEN a.ok THEN % ELSE NULL END", "concat('n', %)", "% + 1"),
    )
    .map(([result, link, around]) => {
      const [before = "", after = ""] = around.parts.join("").split("%");
      return term`SELECT a.id, ${raw(before)}(SELECT ${result} FROM items b WHERE ${link})${raw(after)} AS v FROM sales a`;
    });
  const plainValue = fc
    .tuple(
      choice("max(b.q)", "count(*)", "sum(b.c)", "min(b.k)"),
      where(right),
      choice(
        "a.n > %",
        "a.n = % OR a.ok",
        "a.n BETWEEN 0 AND %",
        "a.k IN (%, 1)",
        "a.n + % > 20",
        "coalesce(a.n, %) > 7",
      ),
    )
    .map(([result, filter, around]) => {
      const [before = "", after = ""] = around.parts.join("").split("%");
      return term`SELECT a.id FROM sales a WHERE ${raw(before)}(SELECT ${result} FROM items b${filter})${raw(after)}`;
    });
  const compared = fc
    .tuple(
      choice("a.n", "a.p", "a.x"),
      choice(">", "<=", "="),
      choice("avg", "max", "min"),
      choice("c.k = a.k", "c.t = a.t", "c.ok = a.ok", "c.t <=> a.t"),
    )
    .map(([value, sign, result, link]) => {
      const column = value.parts.join("").slice(2);
      return term`SELECT a.id FROM sales a WHERE ${value} ${sign} (SELECT ${result}(${raw(`c.${column}`)}) FROM sales c WHERE ${link})`;
    });
  const grouped = fc
    .tuple(not, choice("b.k", "b.q"), choice("count(*)", "sum(b.q)", "max(b.c)"), choice("> 1", "IS NULL", ">= 1"))
    .map(
      ([no, column, result, limit]) =>
        term`SELECT a.id FROM sales a WHERE a.k ${no}IN (SELECT ${column} FROM items b GROUP BY ${column} HAVING ${result} ${limit})`,
    );
  const having = fc
    .tuple(choice("a.t", "a.k"), not, choice("max(a.k)", "count(*)", "min(a.k)"), where(right))
    .map(
      ([key, no, result, filter]) =>
        term`SELECT ${key}, ${result} AS c FROM sales a GROUP BY ${key} HAVING ${result} ${no}IN (SELECT b.k FROM items b${filter})`,
    );
  const joined = fc
    .tuple(not, choice("b.k", "b.q"), expressionOfAny(left, 0), test)
    .map(
      ([no, column, value, filter]) =>
        term`SELECT a.id, ${value} AS c0 FROM sales a JOIN items d ON a.k = d.k WHERE a.id ${no}IN (SELECT ${column} FROM items b WHERE ${filter})`,
    );
  const derived = fc
    .tuple(links, not, optionalTest(test))
    .map(
      ([link, no, filter]) =>
        term`SELECT q.t, count(*) AS c FROM (SELECT a.* FROM sales a WHERE ${no}EXISTS (SELECT 1 FROM items b WHERE ${link}${filter})) q GROUP BY q.t`,
    );
  const distinct = fc
    .tuple(
      not,
      choice("DISTINCT ", ""),
      choice("b.t", "b.ch", "b.vc", "upper(b.t)"),
      choice("a.t", "a.u", "lower(a.t)"),
    )
    .map(
      ([no, once, column, operand]) =>
        term`SELECT a.id FROM sales a WHERE ${operand} ${no}IN (SELECT ${once}${column} FROM items b)`,
    );
  const ofSets = fc
    .tuple(not, choice("UNION ALL", "UNION"))
    .map(
      ([no, operator]) =>
        term`SELECT a.id FROM sales a WHERE a.k ${no}IN (SELECT q.k FROM (SELECT b.k FROM items b ${operator} SELECT c.id AS k FROM sales c WHERE c.n > 20) q)`,
    );
  return fc.oneof(
    inIn,
    existsInIn,
    inExists,
    valueInIn,
    quantified,
    two,
    { arbitrary: selected, weight: 2 },
    plainValue,
    compared,
    grouped,
    having,
    joined,
    derived,
    distinct,
    ofSets,
  );
}

const optionalTest = (test: Arbitrary<Term>): Arbitrary<Term> => test.map((each) => removable(term` AND ${each}`));
