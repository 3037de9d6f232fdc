/**
 * Generates statements whose rows, or the elements of whose lists, have a certain order in Hive: one task reads the one
 * file of a table, and nothing sorts or joins its rows.
 */
import fc from "fast-check";
import { aliasedList, type Arbitrary, choice, expressionOfAny, maybe, where } from "./clauses.mts";
import type { Sources } from "./sources.mts";
import { type Term, term } from "./term.mts";

const views = choice(
  "explode(a.tags) v AS x",
  "explode(a.m) v AS x, y",
  "posexplode(a.tags) v AS p, x",
  "explode(split('c,b,a', ',')) v AS x",
  "explode(split(concat(a.t, '-', a.u, '-z'), '-')) v AS x",
  "posexplode(split(concat(a.id, ',', a.k), ',')) v AS p, x",
  "explode(array(a.k, a.id, a.k)) v AS x",
  "explode(map('b', a.n, 'a', a.k)) v AS x, y",
  "stack(2, a.id, a.t, a.k, a.u) v AS x, y",
  "inline(array(struct(a.k, a.t), struct(a.id, a.u))) v AS x, y",
  `json_tuple(concat('{"t":"', a.t, '","x":', a.id, '}'), 't', 'x') v AS x, y`,
  "explode(sort_array(a.tags)) v AS x",
);
const limits = choice(" LIMIT 1", " LIMIT 3", " LIMIT 7", " LIMIT 2, 4");

/** Generates statements over `sales a`; the rows of those with GROUP BY have no certain order, but their lists have. */
export function rowOrderOver({ left }: Sources): Arbitrary<Term> {
  const value = expressionOfAny(left, 1);
  const plain = fc
    .tuple(aliasedList(value, 2, "c"), where(left), maybe(limits))
    .map(([select, filter, cut]) => term`SELECT a.id, ${select} FROM sales a${filter}${cut}`);
  const viewed = fc
    .tuple(choice("", "OUTER "), views, where(left), maybe(limits))
    .map(([side, view, filter, cut]) => term`SELECT a.id, v.* FROM sales a LATERAL VIEW ${side}${view}${filter}${cut}`);
  const twice = fc
    .tuple(views, choice("explode(split('z,y', ',')) w AS z", "posexplode(array(3, 1, 2)) w AS q, z"), maybe(limits))
    .map(
      ([view, inner, cut]) => term`SELECT a.id, v.x, w.z FROM sales a LATERAL VIEW ${view} LATERAL VIEW ${inner}${cut}`,
    );
  const collected = fc
    .tuple(views, where(left), choice("", " GROUP BY a.k", " GROUP BY a.ok", " GROUP BY a.t"))
    .map(
      ([view, filter, groups]) =>
        term`SELECT collect_list(v.x) AS c, collect_set(a.id) AS s FROM sales a LATERAL VIEW ${view}${filter}${groups}`,
    );
  const below = fc
    .tuple(views, where(left), limits)
    .map(
      ([view, filter, cut]) =>
        term`SELECT collect_list(q.x) AS c FROM (SELECT v.x FROM sales a LATERAL VIEW ${view}${filter}${cut}) q`,
    );
  const alone = fc
    .tuple(
      choice(
        "explode(a.tags) AS x",
        "posexplode(split(a.t, '')) AS (p, x)",
        "explode(a.m) AS (x, y)",
        "stack(2, a.id, a.k) AS x",
      ),
      where(left),
      maybe(limits),
    )
    .map(([call, filter, cut]) => term`SELECT ${call} FROM sales a${filter}${cut}`);
  return fc.oneof(plain, { arbitrary: viewed, weight: 2 }, twice, { arbitrary: collected, weight: 2 }, below, alone);
}
