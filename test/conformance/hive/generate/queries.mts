/** Generates SELECT statements: joins, groups and grouping sets, windows, subqueries, set operators, lateral views. */
import fc from "fast-check";
import { expressionOfAny, type Arbitrary, maybe, aliasedList, where, choice } from "./clauses.mts";
import { aggregatesOf, groupedOver, aggregatesOver, windowsOverGroups } from "./group-queries.mts";
import { framesOver } from "./frame-queries.mts";
import { joinsOver } from "./join-queries.mts";
import { nestedValuesOver } from "./nested-value-queries.mts";
import { nestedSubqueriesOver } from "./nested-subquery-queries.mts";
import { orderedOver } from "./order-queries.mts";
import { rollupsOver } from "./rollup-queries.mts";
import { setOperatorsOver } from "./set-operator-queries.mts";
import { sourcesOver } from "./sources.mts";
import { subqueriesOver } from "./subquery-queries.mts";
import { type Term, term } from "./term.mts";
import { lateralViewsOver } from "./lateral-view-queries.mts";
import type { Callable } from "./callables.mts";
import { windowedOver } from "./window-queries.mts";

/** Returns the generator of whole statements. */
export function queriesOver(functions: readonly Callable[]): Arbitrary<Term> {
  const sources = sourcesOver(functions);
  const aggregate = aggregatesOf(functions);
  const plain = sources.any.chain(({ from, expressions }) =>
    fc
      .tuple(
        maybe(choice("DISTINCT ")),
        aliasedList(expressionOfAny(expressions, 1), 3, "c"),
        where(expressions),
        maybe(choice(" ORDER BY c0", " ORDER BY c0 DESC", " ORDER BY c0 NULLS FIRST", " ORDER BY 1 DESC NULLS LAST")),
      )
      .map(([distinct, select, filter, order]) => term`SELECT ${distinct}${select} FROM ${from}${filter}${order}`),
  );
  const grouped = groupedOver(sources.any, aggregate);
  const cte = fc
    .tuple(
      grouped,
      choice(
        "SELECT * FROM q",
        "SELECT count(*) AS c FROM q",
        "SELECT q.*, r.a0 AS z FROM q JOIN q r ON q.k0 = r.k0",
        "SELECT max(a0) AS c FROM q GROUP BY k0",
        "SELECT k0 FROM q UNION ALL SELECT k0 FROM q WHERE k0 IS NOT NULL",
      ),
    )
    .map(([query, outer]) => term`WITH q AS (${query}) ${outer}`);
  const nestedCte = fc
    .tuple(
      grouped,
      choice(
        "SELECT k0, count(*) AS n FROM q GROUP BY k0",
        "SELECT DISTINCT k0 FROM q",
        "SELECT k0 FROM q WHERE k0 IS NULL",
      ),
      choice(
        "SELECT r.* FROM r",
        "SELECT count(*) AS c FROM q LEFT JOIN r ON q.k0 = r.k0",
        "SELECT q.k0, q.a0 FROM q WHERE q.k0 IN (SELECT k0 FROM r)",
        "SELECT s.k0 FROM (SELECT k0 FROM r) s UNION SELECT k0 FROM q",
      ),
    )
    .map(([query, middle, outer]) => term`WITH q AS (${query}), r AS (${middle}) ${outer}`);

  return fc.oneof(
    { arbitrary: plain, weight: 3 },
    { arbitrary: grouped, weight: 3 },
    { arbitrary: aggregatesOver(sources.any, aggregate), weight: 1 },
    { arbitrary: windowedOver(sources.any, functions, aggregate), weight: 2 },
    { arbitrary: windowsOverGroups(sources.any, aggregate), weight: 1 },
    { arbitrary: framesOver(sources), weight: 3 },
    { arbitrary: rollupsOver(sources, aggregate), weight: 3 },
    { arbitrary: joinsOver(sources, aggregate), weight: 3 },
    { arbitrary: orderedOver(sources, aggregate), weight: 3 },
    { arbitrary: subqueriesOver(sources), weight: 2 },
    { arbitrary: nestedSubqueriesOver(sources), weight: 3 },
    { arbitrary: setOperatorsOver(sources), weight: 2 },
    { arbitrary: nestedValuesOver(sources, functions), weight: 2 },
    { arbitrary: lateralViewsOver(sources), weight: 2 },
    { arbitrary: cte, weight: 1 },
    { arbitrary: nestedCte, weight: 1 },
  );
}
