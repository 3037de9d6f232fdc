/** Generates typical window queries: every frame, the WINDOW clause, QUALIFY, and the first rows of each group. */
import fc from "fast-check";
import { expressionOfAny, keyFamilies, type Arbitrary, maybe, aliasedList, where, choice } from "./clauses.mts";
import type { Sources } from "./sources.mts";
import { list, type Term, term } from "./term.mts";

const sums = choice(
  "sum(a.n)",
  "count(*)",
  "count(a.p)",
  "min(a.p)",
  "max(a.t)",
  "avg(a.n)",
  "avg(a.p)",
  "sum(a.p)",
  "sum(a.k)",
  "max(a.day)",
);
/** Functions that depend on the order of the window's rows. */
const ends = choice(
  "first_value(a.t)",
  "last_value(a.n)",
  "last_value(a.t, true)",
  "first_value(a.n, true)",
  "first_value(a.k) IGNORE NULLS",
);
const ranks = choice(
  "row_number()",
  "rank()",
  "dense_rank()",
  "ntile(3)",
  "percent_rank()",
  "cume_dist()",
  "lag(a.n)",
  "lead(a.t, 2)",
  "lag(a.p, 1, 0.5)",
  "lead(a.id, 1, -1)",
  "lag(a.day, 2)",
);
const partitions = choice(
  "",
  "PARTITION BY a.k ",
  "PARTITION BY a.t ",
  "PARTITION BY a.ok, a.k ",
  "PARTITION BY a.day ",
  "PARTITION BY length(a.t) ",
);
const total = choice(
  "a.id",
  "a.n, a.id",
  "a.n DESC, a.id",
  "a.t DESC NULLS LAST, a.id",
  "a.p NULLS LAST, a.id DESC",
  "a.day, a.at, a.id",
);

const rows = choice(
  "ROWS UNBOUNDED PRECEDING",
  "ROWS 1 PRECEDING",
  "ROWS CURRENT ROW",
  "ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING",
  "ROWS BETWEEN 2 PRECEDING AND 1 PRECEDING",
  "ROWS BETWEEN 1 FOLLOWING AND 2 FOLLOWING",
  "ROWS BETWEEN 1 FOLLOWING AND UNBOUNDED FOLLOWING",
  "ROWS BETWEEN CURRENT ROW AND UNBOUNDED FOLLOWING",
  "ROWS BETWEEN 1 PRECEDING AND 1 FOLLOWING",
  "ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING",
  "ROWS BETWEEN CURRENT ROW AND CURRENT ROW",
);
const ranges = choice(
  "RANGE UNBOUNDED PRECEDING",
  "RANGE BETWEEN CURRENT ROW AND UNBOUNDED FOLLOWING",
  "RANGE BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING",
  "RANGE BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW",
  "RANGE BETWEEN CURRENT ROW AND CURRENT ROW",
  "RANGE BETWEEN 10 PRECEDING AND CURRENT ROW",
  "RANGE BETWEEN 1 PRECEDING AND 1 FOLLOWING",
  "RANGE BETWEEN CURRENT ROW AND 10 FOLLOWING",
  "RANGE BETWEEN UNBOUNDED PRECEDING AND 5 FOLLOWING",
  "RANGE 5 PRECEDING",
);

/** Generates window queries over `sales a`. */
export function framesOver({ left }: Sources): Arbitrary<Term> {
  const keys = choice("a.n", "a.k", "a.n DESC", "a.day", "a.p", "a.day DESC", "a.k NULLS LAST", "a.id");
  const window = fc.oneof(
    fc
      .tuple(fc.oneof(sums, ends), partitions, total, rows)
      .map(([call, by, order, frame]) => term`${call} OVER (${by}ORDER BY ${order} ${frame})`),
    fc
      .tuple(sums, partitions, keys, ranges)
      .map(([call, by, order, frame]) => term`${call} OVER (${by}ORDER BY ${order} ${frame})`),
    fc.tuple(ranks, partitions, total).map(([call, by, order]) => term`${call} OVER (${by}ORDER BY ${order})`),
    fc.tuple(sums, partitions).map(([call, by]) => term`${call} OVER (${by})`),
  );
  const plain = fc
    .tuple(aliasedList(window, 3, "w"), where(left))
    .map(([select, filter]) => term`SELECT a.id, ${select} FROM sales a${filter}`);
  const within = fc
    .tuple(window, choice("+ 1", "= 3", "IS NULL", "> 10", "|| 'x'", "* 2"), expressionOfAny(left, 1))
    .map(([value, rest, other]) => term`SELECT a.id, ${value} ${rest} AS w0, ${other} AS c0 FROM sales a`);
  const share = fc
    .tuple(choice("a.n", "a.p", "a.k"), partitions)
    .map(
      ([value, by]) =>
        term`SELECT a.id, ${value} / sum(${value}) OVER (${by}) AS share, ${value} - avg(${value}) OVER (${by}) AS rest FROM sales a`,
    );
  const named = fc
    .tuple(fc.oneof(sums, ends), ranks, partitions, total, choice("w", "w ROWS 1 PRECEDING"))
    .map(
      ([sum, rank, by, order, inner]) =>
        term`SELECT a.id, ${sum} OVER (${inner}) AS s, ${rank} OVER w AS r FROM sales a WINDOW w AS (${by}ORDER BY ${order})`,
    );
  const best = fc
    .tuple(
      choice("row_number()", "rank()", "dense_rank()"),
      partitions,
      total,
      choice("= 1", "<= 2", "> 1"),
      where(left),
    )
    .map(
      ([rank, by, order, test, filter]) =>
        term`SELECT q.id, q.r FROM (SELECT a.*, ${rank} OVER (${by}ORDER BY ${order}) AS r FROM sales a${filter}) q WHERE q.r ${test}`,
    );
  const qualified = fc
    .tuple(choice("row_number()", "rank()", "sum(a.n)", "count(*)"), partitions, total, choice("= 1", "<= 2", "> 1"))
    .map(
      ([call, by, order, test]) =>
        term`SELECT a.id, a.t FROM sales a QUALIFY ${call} OVER (${by}ORDER BY ${order}) ${test}`,
    );
  const distinct = fc
    .tuple(sums, choice("a.k", "a.t", "a.ok"))
    .map(([call, key]) => term`SELECT DISTINCT ${key}, ${call} OVER (PARTITION BY ${key}) AS w FROM sales a`);
  const joined = fc
    .tuple(ranks, choice("PARTITION BY b.k ", "PARTITION BY a.t ", ""), maybe(choice(" WHERE b.q > 5")))
    .map(
      ([rank, by, filter]) =>
        term`SELECT a.id, b.id, ${rank} OVER (${by}ORDER BY b.q, a.id, b.id) AS w FROM sales a LEFT JOIN items b ON a.k = b.k${filter}`,
    );
  const outer = fc
    .tuple(sums, partitions, total, choice("sum(q.w)", "max(q.w)", "count(DISTINCT q.w)"), choice("q.k", "q.t"))
    .map(
      ([call, by, order, result, key]) =>
        term`SELECT ${key}, ${result} AS c FROM (SELECT a.k, a.t, ${call} OVER (${by}ORDER BY ${order}) AS w FROM sales a) q GROUP BY ${key}`,
    );
  const any = fc
    .tuple(sums, fc.array(expressionOfAny(left, 1, keyFamilies), { minLength: 1, maxLength: 2 }))
    .map(([call, by]) => term`SELECT a.id, ${call} OVER (PARTITION BY ${list(by)}) AS w FROM sales a`);
  return fc.oneof({ arbitrary: plain, weight: 4 }, within, share, named, best, qualified, distinct, joined, outer, any);
}
