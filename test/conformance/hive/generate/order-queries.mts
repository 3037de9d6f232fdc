/** Generates statements with ORDER BY, LIMIT, SORT BY, DISTRIBUTE BY or TABLESAMPLE, and those that begin with FROM. */
import fc from "fast-check";
import { expressionOfAny, type Arbitrary, maybe, aliasedList, type Source, where, choice } from "./clauses.mts";
import type { MakeAggregate } from "./group-queries.mts";
import type { Sources } from "./sources.mts";
import { list, type Term, term, raw } from "./term.mts";

const directions = choice("", " ASC", " DESC", " NULLS FIRST", " NULLS LAST", " DESC NULLS LAST", " ASC NULLS FIRST");
const limits = choice("LIMIT 3", "LIMIT 1", "LIMIT 0", "LIMIT 2, 3", "LIMIT 3 OFFSET 1", "LIMIT 100");

/** Generates statements with ORDER BY, LIMIT, SORT BY, DISTRIBUTE BY, CLUSTER BY and TABLESAMPLE. */
export function orderedOver({ single, any, left, right }: Sources, aggregate: MakeAggregate): Arbitrary<Term> {
  const sortKeys = ({ expressions }: Source) =>
    fc.array(
      fc.tuple(expressionOfAny(expressions, 0), directions).map(([key, way]) => term`${key}${way}`),
      { minLength: 1, maxLength: 2 },
    );
  const sorted = any.chain((source) =>
    fc
      .tuple(
        aliasedList(expressionOfAny(source.expressions, 1), 2, "c"),
        sortKeys(source),
        where(source.expressions),
        maybe(limits),
      )
      .map(
        ([select, keys, filter, cut]) =>
          term`SELECT ${raw(source.key)}, ${select} FROM ${source.from}${filter} ORDER BY ${list([...keys, raw(source.key)])} ${cut}`,
      ),
  );
  const byNames = fc
    .tuple(
      aliasedList(expressionOfAny(left, 1), 2, "c"),
      where(left),
      choice("c0", "1", "2, 1", "c0 DESC", "c0 + 0", "id DESC, c0", "upper(c0)"),
      directions,
      limits,
    )
    .map(
      ([select, filter, key, way, cut]) =>
        term`SELECT a.id, ${select} FROM sales a${filter} ORDER BY ${key}${way}, a.id ${cut}`,
    );
  const ofGroups = fc
    .tuple(
      choice("a.t", "a.k", "a.ok", "a.day"),
      aggregate(left, 0),
      choice("v", "2", "count(*)", "v + 0", "max(a.id)", "k0"),
      directions,
      maybe(limits),
    )
    .map(
      ([key, value, by, way, cut]) =>
        term`SELECT ${key} AS k0, ${value} AS v FROM sales a GROUP BY ${key} ORDER BY ${by}${way}, k0 ${cut}`,
    );
  const top = fc
    .tuple(sortKeys(single), limits, choice("count(*)", "sum(q.n)", "max(q.t)", "min(q.id)"))
    .map(
      ([keys, cut, result]) =>
        term`SELECT ${result} AS c FROM (SELECT * FROM sales a ORDER BY ${list([...keys, raw("a.id")])} ${cut}) q`,
    );
  const distributed = fc
    .tuple(
      choice(
        "DISTRIBUTE BY a.k",
        "DISTRIBUTE BY a.k, a.t",
        "CLUSTER BY a.id",
        "CLUSTER BY a.k, a.id",
        "SORT BY a.n DESC, a.id",
        "DISTRIBUTE BY a.k SORT BY a.k, a.id DESC",
        "DISTRIBUTE BY a.t SORT BY a.p NULLS LAST, a.id",
      ),
      aliasedList(expressionOfAny(left, 1), 2, "c"),
      where(left),
    )
    .map(([clause, select, filter]) => term`SELECT a.id, ${select} FROM sales a${filter} ${clause}`);
  const first = fc.tuple(any, fc.boolean()).chain(([source, groups]) => {
    const select = groups
      ? aliasedList(aggregate(source.expressions), 2, "a")
      : aliasedList(expressionOfAny(source.expressions, 1), 2, "c");
    return fc
      .tuple(select, where(source.expressions))
      .map(([items, filter]) => term`FROM ${source.from} SELECT ${items}${filter}`);
  });
  const firstOfQuery = fc
    .tuple(where(left), choice("q.k", "q.t", "upper(q.t)"), choice("count(*)", "sum(q.n)", "avg(q.p)"))
    .map(
      ([filter, key, result]) =>
        term`FROM (FROM sales a SELECT a.*${filter}) q SELECT ${key} AS k0, ${result} AS c GROUP BY ${key}`,
    );
  const sampled = fc
    .tuple(
      choice("TABLESAMPLE(3 ROWS) ", "TABLESAMPLE(1 ROWS) ", "TABLESAMPLE(100 ROWS) "),
      choice("a.id, a.k", "count(*) AS c", "sum(a.n) AS s"),
    )
    .map(([sample, select]) => term`SELECT ${select} FROM sales ${sample}a`);
  const ofSets = fc
    .tuple(
      expressionOfAny(left, 0, ["integer", "text"]),
      expressionOfAny(right, 0, ["integer", "text"]),
      choice("UNION ALL", "UNION"),
      directions,
      maybe(limits),
    )
    .map(
      ([one, other, operator, way, cut]) =>
        term`SELECT ${one} AS c FROM sales a ${operator} SELECT ${other} AS c FROM items b ORDER BY c${way} ${cut}`,
    );
  return fc.oneof(
    { arbitrary: sorted, weight: 3 },
    { arbitrary: byNames, weight: 2 },
    { arbitrary: ofGroups, weight: 2 },
    top,
    { arbitrary: distributed, weight: 2 },
    first,
    firstOfQuery,
    sampled,
    ofSets,
  );
}
