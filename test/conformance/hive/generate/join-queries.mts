/** Generates typical joins: comma joins, USING, hints, subqueries on either side, and self joins. */
import fc from "fast-check";
import { expressionOfAny, type Arbitrary, maybe, aliasedList, where, choice } from "./clauses.mts";
import type { MakeAggregate } from "./group-queries.mts";
import type { Sources } from "./sources.mts";
import { list, type Term, term, raw } from "./term.mts";

const links = choice("a.k = b.k", "a.t = b.t", "a.day = b.day", "a.p = b.c", "a.u = b.vc", "a.x = b.f", "a.at = b.at");
const others = choice("a.n > b.q", "a.id <> b.id", "b.q IS NULL", "a.k IS NOT NULL", "a.p >= b.c", "b.k IN (1, 3)");
const sides = choice("JOIN", "INNER JOIN", "LEFT OUTER JOIN", "RIGHT OUTER JOIN", "FULL OUTER JOIN");
const outer = choice("JOIN", "LEFT JOIN", "RIGHT JOIN", "FULL JOIN");

/** Generates joins of `sales a`, `items b` and subqueries of them. */
export function joinsOver({ left, right, both }: Sources, aggregate: MakeAggregate): Arbitrary<Term> {
  const columns = aliasedList(expressionOfAny(both, 0), 2, "c");
  const test = both.condition(0);
  const commas = fc
    .tuple(
      columns,
      links,
      maybe(others.map((other) => term` AND ${other}`)),
      maybe(test.map((each) => term` AND ${each}`)),
    )
    .map(
      ([select, link, more, last]) =>
        term`SELECT a.id, b.id, ${select} FROM sales a, items b WHERE ${link}${more}${last}`,
    );
  const threeCommas = fc
    .tuple(choice("a.k = b.k", "a.t = b.t"), choice("a.id = c.id", "c.day = b.day", "c.k = a.k AND c.n > 5"), others)
    .map(
      ([first, second, other]) =>
        term`SELECT a.id, b.id, c.id FROM sales a, items b, sales c WHERE ${first} AND ${second} AND ${other}`,
    );
  const using = fc
    .tuple(
      choice("JOIN", "LEFT JOIN", "RIGHT JOIN"),
      choice("k", "t", "day", "k, t", "ok", "at", "id"),
      maybe(choice(" WHERE a.id > 1", " WHERE b.q IS NOT NULL")),
    )
    .map(
      ([join, shared, filter]) =>
        term`SELECT a.id, b.id, a.n, b.q FROM sales a ${join} items b USING (${shared})${filter}`,
    );
  const all = fc
    .tuple(choice("JOIN", "LEFT JOIN", "RIGHT JOIN"), choice("k", "day", "t, k"), choice("*", "a.*", "b.*, a.id"))
    .map(
      ([join, shared, select]) =>
        term`SELECT ${select} FROM sales a ${join} (SELECT k, t, day, q FROM items) b USING (${shared})`,
    );
  const hinted = fc
    .tuple(choice("MAPJOIN(b)", "STREAMTABLE(a)", "MAPJOIN(a)"), sides, links, columns)
    .map(
      ([hint, join, link, select]) =>
        term`SELECT /*+ ${hint} */ a.id, b.id, ${select} FROM sales a ${join} items b ON ${link}`,
    );
  const itself = fc
    .tuple(
      outer,
      choice("a.k = b.k", "a.k = b.k AND a.id < b.id", "a.day = b.day", "a.n > b.n", "a.t <=> b.t"),
      maybe(choice(" WHERE a.ok", " WHERE b.n > 5")),
    )
    .map(
      ([join, on, filter]) => term`SELECT a.id, b.id, a.n - b.n AS d FROM sales a ${join} sales b ON ${on}${filter}`,
    );
  const summed = fc
    .tuple(
      outer,
      aggregate(right, 0),
      where(right),
      maybe(choice(" WHERE g.v IS NOT NULL", " WHERE g.k IS NULL", " WHERE a.n > 5")),
    )
    .map(
      ([join, value, inner, filter]) =>
        term`SELECT a.id, g.* FROM sales a ${join} (SELECT b.k, ${value} AS v FROM items b${inner} GROUP BY b.k) g ON a.k = g.k${filter}`,
    );
  const filtered = fc
    .tuple(outer, where(left), where(right), links, columns)
    .map(
      ([join, one, two, link, select]) =>
        term`SELECT a.id, b.id, ${select} FROM (SELECT * FROM sales a${one}) a ${join} (SELECT * FROM items b${two}) b ON ${link}`,
    );
  const kept = fc
    .tuple(outer, links, test, maybe(others.map((other) => term` AND ${other}`)))
    .map(
      ([join, link, filter, more]) =>
        term`SELECT a.id, b.id FROM sales a ${join} items b ON ${link}${more} WHERE ${filter}`,
    );
  const semi = fc
    .tuple(links, choice("count(*)", "sum(a.n)", "max(a.t)"), choice("a.t", "a.ok", "a.k"))
    .map(
      ([link, result, key]) =>
        term`SELECT ${key}, ${result} AS c FROM sales a LEFT SEMI JOIN (SELECT * FROM items WHERE q > 5) b ON ${link} GROUP BY ${key}`,
    );
  const chained = fc
    .tuple(fc.array(outer, { minLength: 2, maxLength: 3 }), choice("a.k", "a.id"))
    .map(([joins, key]) => {
      const tables = joins.map((join, index) => {
        const name = ["b", "c", "d"][index] as string;
        return term`${join} ${chain[index] as Term} ON ${key} = ${raw(`${name}.k`)}`;
      });
      return term`SELECT a.id, count(*) AS c FROM sales a ${list(tables, " ")} GROUP BY a.id`;
    });
  return fc.oneof(commas, threeCommas, using, all, hinted, itself, summed, filtered, kept, semi, chained);
}

const chain = ["items b", "sales c", "nobody d"].map((table) => raw(table));
