/** Generates typical lateral views, and select lists that are a single table-generating function. */
import fc from "fast-check";
import { expressionOfAny, type Arbitrary, maybe, aliasedList, where, choice } from "./clauses.mts";
import type { Sources } from "./sources.mts";
import { type Term, term } from "./term.mts";

const json = `'{"a":1,"b":[1,2],"c":{"d":"x"},"e":null}'`;
const views = choice(
  "explode(a.tags) v AS x",
  "explode(a.m) v AS x, y",
  "posexplode(a.tags) v AS p, x",
  "explode(split(a.u, ',')) v AS x",
  "explode(array(a.id, a.k)) v AS x",
  "explode(map('a', a.n, 'b', a.k)) v AS x, y",
  "stack(2, a.id, a.t, a.k, a.u) v AS x, y",
  "stack(3, 'a', a.n, 'b', a.n + 1, 'c', null) v AS x, y",
  "inline(array(struct(a.id, a.t), struct(a.k, a.u))) v AS x, y",
  `json_tuple(${json}, 'a', 'b', 'c') v AS x, y, z`,
  `json_tuple(concat('{"t":"', a.t, '"}'), 't', 'x') v AS x, y`,
  "parse_url_tuple(concat('http://h/p?k=', a.u), 'HOST', 'QUERY:k', 'PATH') v AS x, y, z",
  "explode(sort_array(a.tags)) v AS x",
  "explode(if(a.ok, a.tags, array('none'))) v AS x",
);

/** Generates lateral views over `sales a`. */
export function lateralViewsOver({ left }: Sources): Arbitrary<Term> {
  const outer = choice("", "OUTER ");
  const value = expressionOfAny(left, 0);
  const one = fc
    .tuple(
      outer,
      views,
      aliasedList(value, 2, "c"),
      fc.oneof(where(left), choice(" WHERE v.x IS NOT NULL", " WHERE v.x = 'a' OR a.ok")),
    )
    .map(
      ([side, view, select, filter]) =>
        term`SELECT a.id, v.*, ${select} FROM sales a LATERAL VIEW ${side}${view}${filter}`,
    );
  const grouped = fc
    .tuple(
      outer,
      views,
      choice("count(*)", "count(v.x)", "max(v.x)", "count(DISTINCT v.x)", "sum(a.n)", "sort_array(collect_set(v.x))"),
      choice("a.t", "a.k", "v.x", "a.ok"),
      where(left),
    )
    .map(
      ([side, view, result, key, filter]) =>
        term`SELECT ${key} AS k0, ${result} AS c FROM sales a LATERAL VIEW ${side}${view}${filter} GROUP BY ${key}`,
    );
  const pair = fc
    .tuple(
      outer,
      outer,
      choice("explode(a.tags) v AS x", "explode(map_keys(a.m)) v AS x"),
      choice(
        "explode(array(1, 2)) w AS y",
        "explode(split(v.x, '')) w AS y",
        "posexplode(array(v.x, 'z')) w AS p, y",
        "explode(a.m) w AS k2, y",
      ),
    )
    .map(
      ([first, second, view, inner]) =>
        term`SELECT a.id, v.x, w.* FROM sales a LATERAL VIEW ${first}${view} LATERAL VIEW ${second}${inner}`,
    );
  const joined = fc
    .tuple(
      outer,
      choice("explode(a.tags) v AS x", "explode(array(a.k, a.id)) v AS x"),
      choice("JOIN", "LEFT JOIN"),
      maybe(choice(" WHERE b.q > 5", " WHERE v.x IS NOT NULL")),
    )
    .map(
      ([side, view, join, filter]) =>
        term`SELECT a.id, b.id, v.x FROM sales a LATERAL VIEW ${side}${view} ${join} items b ON a.k = b.k${filter}`,
    );
  const joinedAfter = fc
    .tuple(outer, choice("JOIN", "LEFT JOIN"), choice("q.x = b.t", "q.x = b.vc", "q.id = b.id"))
    .map(
      ([side, join, link]) =>
        term`SELECT q.id, q.x, b.id FROM (SELECT a.id, v.x FROM sales a LATERAL VIEW ${side}explode(a.tags) v AS x) q ${join} items b ON ${link}`,
    );
  const alone = fc
    .tuple(
      choice(
        "explode(a.tags) AS x",
        "explode(a.m) AS (x, y)",
        "posexplode(a.tags) AS (p, x)",
        "stack(2, a.id, a.k) AS x",
        "stack(2, 'a', a.p, 'b', a.p * 2) AS (x, y)",
        "inline(array(struct(a.id, a.t))) AS (x, y)",
        "explode(array(a.n, a.k, null)) AS x",
        `json_tuple(${json}, 'a', 'e') AS (x, y)`,
        "parse_url_tuple('http://h:80/p?k=1', 'PORT', 'QUERY', 'HOST') AS (x, y, z)",
      ),
      where(left),
    )
    .map(([call, filter]) => term`SELECT ${call} FROM sales a${filter}`);
  const around = fc
    .tuple(
      choice("explode(a.tags) AS x", "explode(map_values(a.m)) AS x", "stack(2, a.id, a.k) AS x"),
      choice("count(*)", "max(q.x)", "min(q.x)"),
      where(left),
    )
    .map(([call, result, filter]) => term`SELECT ${result} AS c FROM (SELECT ${call} FROM sales a${filter}) q`);
  return fc.oneof(
    { arbitrary: one, weight: 3 },
    { arbitrary: grouped, weight: 2 },
    pair,
    joined,
    joinedAfter,
    { arbitrary: alone, weight: 2 },
    around,
  );
}
