/** Generates GROUPING SETS, CUBE and ROLLUP over columns, with grouping() or grouping__id. */
import fc from "fast-check";
import { type Arbitrary, maybe, where, choice } from "./clauses.mts";
import type { MakeAggregate } from "./group-queries.mts";
import type { Sources } from "./sources.mts";
import { list, type Term, term, raw } from "./term.mts";

const columns = ["a.k", "a.t", "a.ok", "a.day", "a.u"];

/** Generates statements with several groupings of `sales a`. */
export function rollupsOver({ left, both }: Sources, aggregate: MakeAggregate): Arbitrary<Term> {
  const keys = fc.shuffledSubarray(columns, { minLength: 2, maxLength: 3 });
  const groupingIds = choice(
    "grouping__id",
    "grouping(@1)",
    "grouping(@1, @2)",
    "grouping__id + 1",
    "CASE WHEN grouping(@1) = 1 THEN 'all' ELSE 'one' END",
    "if(grouping(@2) = 0, 'x', 'y')",
    "cast(grouping__id as string)",
  );
  const having = maybe(
    choice(
      " HAVING grouping(@1) = 0",
      " HAVING grouping__id < 3",
      " HAVING count(*) > 1",
      " HAVING @1 IS NOT NULL",
      " HAVING grouping(@1) + grouping(@2) = 1",
    ),
  );
  const results = choice(
    "count(*)",
    "sum(a.n)",
    "count(DISTINCT a.u)",
    "max(a.p)",
    "avg(a.p)",
    "min(a.day)",
    "sum(DISTINCT a.k)",
    "count(a.t)",
  );

  const plain = keys.chain((names) =>
    fc
      .tuple(clauseOf(names), results, groupingIds, having, where(left))
      .map(([clause, result, groupingId, test, filter]) =>
        withKeys(
          names,
          term`SELECT ${list(names.map((name, index) => raw(`${name} AS k${index}`)))}, ${result} AS v, ${groupingId} AS g FROM sales a${filter} GROUP BY ${clause}${test}`,
        ),
      ),
  );
  const any = keys.chain((names) =>
    fc
      .tuple(clauseOf(names), aggregate(left, 0), where(left))
      .map(
        ([clause, result, filter]) =>
          term`SELECT ${list(names.map((name, index) => raw(`${name} AS k${index}`)))}, ${result} AS v, grouping__id FROM sales a${filter} GROUP BY ${clause}`,
      ),
  );
  const around = keys.chain((names) =>
    fc
      .tuple(clauseOf(names), results, choice("q.k0 IS NULL", "q.g = 1", "q.v > 1", "q.k1 IS NOT NULL AND q.g < 2"))
      .map(
        ([clause, result, test]) =>
          term`SELECT q.* FROM (SELECT ${list(
            names.map((name, index) => raw(`${name} AS k${index}`)),
            ", ",
            names.length,
          )}, ${result} AS v, grouping__id AS g FROM sales a GROUP BY ${clause}) q WHERE ${test}`,
      ),
  );
  const computed = fc
    .tuple(
      choice("upper(a.t)", "a.k + 1", "year(a.day)", "a.k IS NULL", "coalesce(a.t, 'none')"),
      choice("a.ok", "a.k"),
      results,
      choice("ROLLUP(@1, @2)", "CUBE(@1, @2)", "@1, @2 WITH ROLLUP", "@1, @2 GROUPING SETS ((@1, @2), @1, ())"),
    )
    .map(([first, second, result, clause]) => {
      const names = [first, second].map((each) => each.parts.join(""));
      return withKeys(
        names,
        term`SELECT ${first} AS k0, ${second} AS k1, ${result} AS v, grouping__id AS g FROM sales a GROUP BY ${clause}`,
      );
    });
  const joined = fc
    .tuple(
      choice("ROLLUP(a.t, b.ok)", "CUBE(a.t, b.ok)", "a.t, b.ok GROUPING SETS ((a.t, b.ok), (b.ok))"),
      choice("count(*)", "sum(b.q)", "max(a.n)", "count(DISTINCT b.id)"),
      both.condition(0),
    )
    .map(
      ([clause, result, test]) =>
        term`SELECT a.t, b.ok, ${result} AS v, grouping__id AS g FROM sales a JOIN items b ON a.k = b.k WHERE ${test} GROUP BY ${clause}`,
    );
  const ranked = keys.chain((names) =>
    fc
      .tuple(
        clauseOf(names),
        choice("rank()", "dense_rank()"),
        choice("count(*)", "sum(a.n)"),
        choice("grouping__id", "grouping(@1)"),
      )
      .map(([clause, rank, result, by]) =>
        withKeys(
          names,
          term`SELECT ${list(names.map((name, index) => raw(`${name} AS k${index}`)))}, ${result} AS v, ${rank} OVER (PARTITION BY ${by} ORDER BY ${result}) AS r FROM sales a GROUP BY ${clause}`,
        ),
      ),
  );
  return fc.oneof({ arbitrary: plain, weight: 4 }, any, around, computed, joined, ranked);
}

/** Generates the GROUP BY list for two or three keys. */
function clauseOf(names: readonly string[]): Arbitrary<Term> {
  const [first, second] = names as readonly [string, string];
  const all = names.join(", ");
  return choice(
    `${all} WITH ROLLUP`,
    `${all} WITH CUBE`,
    `ROLLUP(${all})`,
    `CUBE(${all})`,
    `${all} GROUPING SETS ((${all}), ${first}, ())`,
    `${all} GROUPING SETS ((${first}, ${second}), ${second})`,
    `${all} GROUPING SETS (${names.join(", ")})`,
    `${all} GROUPING SETS ((${all}))`,
    `${all} GROUPING SETS ((), (${second}))`,
  );
}

/** Replaces `@1` by the first key and `@2` by the second. */
function withKeys(names: readonly string[], statement: Term): Term {
  const [first = "", second = ""] = names;
  const fill = (text: string) => text.replaceAll("@1", first).replaceAll("@2", second);
  const into = ({ parts, simpler, ...rest }: Term): Term => ({
    ...rest,
    parts: parts.map((part) => (typeof part === "string" ? fill(part) : into(part))),
    ...(simpler ? { simpler: simpler.map(into) } : {}),
  });
  return into(statement);
}
