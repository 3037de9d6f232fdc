/** Generated statements with groups: aggregates, HAVING, grouping sets, and windows over the groups. */
import fc from "fast-check";
import { anyOf, keyFamilies, type Make, maybe, several, type Source, where, words } from "./clauses.mts";
import { names, unordered } from "../deviations.mts";
import type { Expressions } from "./expressions.mts";
import { list, nothing, optional, type Term, term, word } from "./term.mts";
import { type Callable, writeCall } from "./vocabulary.mts";

export type MakeAggregate = (expressions: Expressions, depth?: number) => Make<Term>;

/** Makes the generator of calls of aggregates. */
export function aggregatesOf(functions: readonly Callable[]): MakeAggregate {
  const aggregates = functions.filter(({ kind }) => kind === "aggregate");
  return (expressions, depth = 1) =>
    fc.constantFrom(...aggregates).chain((callable) =>
      fc.tuple(expressions.argumentsOf(callable, depth), fc.boolean()).map(([values, isDistinct]) => {
        if (values.length === 0) return word(`${callable.name}(*)`);
        const distinct = word(callable.distinct && isDistinct ? "DISTINCT " : "");
        const call = callable.distinct
          ? term`${word(callable.name)}(${distinct}${list(values)})`
          : writeCall(callable.name, values);
        return names(unordered, callable.name) ? term`sort_array(${call})` : call;
      }),
    );
}

/** `SELECT aggregates FROM …`. */
export function wholeOver(source: Make<Source>, aggregate: MakeAggregate): Make<Term> {
  return source.chain(({ from, expressions }) =>
    fc
      .tuple(several(aggregate(expressions), 4, "a"), where(expressions))
      .map(([select, filter]) => term`SELECT ${select} FROM ${from}${filter}`),
  );
}

/** `SELECT keys, aggregates FROM … GROUP BY keys`, with grouping sets and HAVING. */
export function groupedOver(source: Make<Source>, aggregate: MakeAggregate): Make<Term> {
  return source.chain(({ from, expressions }) =>
    fc
      .tuple(
        fc.array(anyOf(expressions, 1, keyFamilies), { minLength: 1, maxLength: 3 }),
        several(aggregate(expressions), 3, "a"),
        where(expressions),
        fc.constantFrom(...forms),
      )
      .chain(([keys, select, filter, form]) =>
        maybe(having(keys, aggregate(expressions, 0), form !== undefined)).map((test) => {
          const selected = list(keys.map((key, index) => term`${key} AS ${word(`k${index}`)}`));
          const id = form ? optional(word(", grouping__id")) : nothing;
          const told = form ? optional(term`, grouping(${keys[0] as Term}) AS g`) : nothing;
          const by = form ? form(keys) : list(keys);
          return term`SELECT ${selected}, ${select}${id}${told} FROM ${from}${filter} GROUP BY ${by}${test}`;
        }),
      ),
  );
}

/** `SELECT key, aggregate, f() OVER (…) FROM … GROUP BY key`. */
export function windowsOverGroups(source: Make<Source>, aggregate: MakeAggregate): Make<Term> {
  return source.chain(({ from, expressions }) => {
    const partition = fc.array(anyOf(expressions, 0, keyFamilies), { minLength: 1, maxLength: 2 });
    return partition.chain((keys) => {
      const [first] = keys as [Term, ...Term[]];
      const sorted = list(keys);
      const call = fc.oneof(
        words("rank()", "row_number()", "dense_rank()", "count(*)", "ntile(2)"),
        words("sum(count(*))", "max(count(*))", "avg(count(*))", "lag(count(*))", "first_value(count(*))"),
      );
      const over = fc.constantFrom(
        term`ORDER BY ${sorted}`,
        term`PARTITION BY ${first} ORDER BY ${sorted}`,
        term`ORDER BY count(*), ${sorted}`,
        term`ORDER BY ${sorted} ROWS BETWEEN 1 PRECEDING AND CURRENT ROW`,
        term`PARTITION BY count(*) ORDER BY ${sorted} DESC`,
      );
      return fc
        .tuple(aggregate(expressions, 0), call, over, where(expressions))
        .map(
          ([value, ranked, window, filter]) =>
            term`SELECT ${list(keys.map((key, index) => term`${key} AS ${word(`k${index}`)}`))}, ${value} AS a0, ${ranked} OVER (${window}) AS w0 FROM ${from}${filter} GROUP BY ${sorted}`,
        );
    });
  });
}

/** What stands behind GROUP BY; undefined for the keys alone. */
const forms: readonly (((keys: readonly Term[]) => Term) | undefined)[] = [
  undefined,
  undefined,
  undefined,
  (keys) => term`${list(keys)} WITH ROLLUP`,
  (keys) => term`${list(keys)} WITH CUBE`,
  (keys) => term`ROLLUP(${list(keys)})`,
  (keys) => term`CUBE(${list(keys)})`,
  (keys) => term`${list(keys)} GROUPING SETS ((${list(keys)}), (${keys[0] as Term}), ())`,
  (keys) => term`${list(keys)} GROUPING SETS (${list(keys.map((key) => term`(${key})`))})`,
];

function having(keys: readonly Term[], value: Make<Term>, hasSets: boolean): Make<Term> {
  const [first] = keys as [Term, ...Term[]];
  const of = fc
    .tuple(value, words("> 1", "IS NOT NULL", "= 2", "< 30"))
    .map(([result, test]) => term` HAVING ${result} ${test}`);
  const plain = fc.oneof(of, fc.constant(term` HAVING ${first} IS NOT NULL`), words(" HAVING a0 IS NOT NULL"));
  if (!hasSets) return plain;
  return fc.oneof(plain, words(" HAVING grouping__id > 0"), fc.constant(term` HAVING grouping(${first}) = 0`));
}
