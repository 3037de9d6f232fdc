/** Generates statements with groups: aggregates, HAVING, grouping sets, and windows over the groups. */
import fc from "fast-check";
import {
  expressionOfAny,
  keyFamilies,
  type Arbitrary,
  maybe,
  aliasedList,
  type Source,
  where,
  choice,
} from "./clauses.mts";
import { includesFunction, unordered } from "../deviations.mts";
import type { Expressions } from "./expressions.mts";
import { list, emptyTerm, removable, type Term, term, raw } from "./term.mts";
import { type Callable, writeCall } from "./callables.mts";

export type MakeAggregate = (expressions: Expressions, depth?: number) => Arbitrary<Term>;

/** Returns the generator of aggregate calls. */
export function aggregatesOf(functions: readonly Callable[]): MakeAggregate {
  const aggregates = functions.filter(({ kind }) => kind === "aggregate");
  return (expressions, depth = 1) =>
    fc.constantFrom(...aggregates).chain((callable) =>
      fc.tuple(expressions.argumentsOf(callable, depth), fc.boolean()).map(([values, isDistinct]) => {
        if (values.length === 0) return raw(`${callable.name}(*)`);
        const distinct = raw(callable.distinct && isDistinct ? "DISTINCT " : "");
        const call = callable.distinct
          ? term`${raw(callable.name)}(${distinct}${list(values)})`
          : writeCall(callable.name, values);
        return includesFunction(unordered, callable.name) ? term`sort_array(${call})` : call;
      }),
    );
}

/** Generates `SELECT aggregates FROM …`. */
export function aggregatesOver(source: Arbitrary<Source>, aggregate: MakeAggregate): Arbitrary<Term> {
  return source.chain(({ from, expressions }) =>
    fc
      .tuple(aliasedList(aggregate(expressions), 4, "a"), where(expressions))
      .map(([select, filter]) => term`SELECT ${select} FROM ${from}${filter}`),
  );
}

/** Generates `SELECT keys, aggregates FROM … GROUP BY keys`, with grouping sets and HAVING. */
export function groupedOver(source: Arbitrary<Source>, aggregate: MakeAggregate): Arbitrary<Term> {
  return source.chain(({ from, expressions }) =>
    fc
      .tuple(
        fc.array(expressionOfAny(expressions, 1, keyFamilies), { minLength: 1, maxLength: 3 }),
        aliasedList(aggregate(expressions), 3, "a"),
        where(expressions),
        fc.constantFrom(...groupingForms),
      )
      .chain(([keys, select, filter, form]) =>
        maybe(having(keys, aggregate(expressions, 0), form !== undefined)).map((test) => {
          const selected = list(keys.map((key, index) => term`${key} AS ${raw(`k${index}`)}`));
          const id = form ? removable(raw(", grouping__id")) : emptyTerm;
          const grouping = form ? removable(term`, grouping(${keys[0] as Term}) AS g`) : emptyTerm;
          const by = form ? form(keys) : list(keys);
          return term`SELECT ${selected}, ${select}${id}${grouping} FROM ${from}${filter} GROUP BY ${by}${test}`;
        }),
      ),
  );
}

/** Generates `SELECT key, aggregate, f() OVER (…) FROM … GROUP BY key`. */
export function windowsOverGroups(source: Arbitrary<Source>, aggregate: MakeAggregate): Arbitrary<Term> {
  return source.chain(({ from, expressions }) => {
    const partition = fc.array(expressionOfAny(expressions, 0, keyFamilies), { minLength: 1, maxLength: 2 });
    return partition.chain((keys) => {
      const [first] = keys as [Term, ...Term[]];
      const sorted = list(keys);
      const call = fc.oneof(
        choice("rank()", "row_number()", "dense_rank()", "count(*)", "ntile(2)"),
        choice("sum(count(*))", "max(count(*))", "avg(count(*))", "lag(count(*))", "first_value(count(*))"),
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
            term`SELECT ${list(keys.map((key, index) => term`${key} AS ${raw(`k${index}`)}`))}, ${value} AS a0, ${ranked} OVER (${window}) AS w0 FROM ${from}${filter} GROUP BY ${sorted}`,
        );
    });
  });
}

/** The forms of the GROUP BY list with grouping sets; undefined for the plain keys. */
const groupingForms: readonly (((keys: readonly Term[]) => Term) | undefined)[] = [
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

function having(keys: readonly Term[], value: Arbitrary<Term>, hasSets: boolean): Arbitrary<Term> {
  const [first] = keys as [Term, ...Term[]];
  const of = fc
    .tuple(value, choice("> 1", "IS NOT NULL", "= 2", "< 30"))
    .map(([result, test]) => term` HAVING ${result} ${test}`);
  const plain = fc.oneof(of, fc.constant(term` HAVING ${first} IS NOT NULL`), choice(" HAVING a0 IS NOT NULL"));
  if (!hasSets) return plain;
  return fc.oneof(plain, choice(" HAVING grouping__id > 0"), fc.constant(term` HAVING grouping(${first}) = 0`));
}
