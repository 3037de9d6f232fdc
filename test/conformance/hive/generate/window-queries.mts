/** Generates statements with windows: ranks, lead and lag, and aggregates over partitions, orders and frames. */
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
import type { Expressions } from "./expressions.mts";
import { emptyTerm, type Term, term, raw } from "./term.mts";
import { type Callable, writeCall } from "./callables.mts";

/** Generates `SELECT key, f() OVER (…) FROM …`. */
export function windowedOver(
  source: Arbitrary<Source>,
  functions: readonly Callable[],
  aggregate: (expressions: Expressions) => Arbitrary<Term>,
): Arbitrary<Term> {
  const windows = functions.filter(({ kind }) => kind === "window");
  return source.chain(({ from, expressions, key, numbers }) => {
    const partition = maybe(expressionOfAny(expressions, 0, keyFamilies).map((value) => term`PARTITION BY ${value} `));
    const direction = choice("", " DESC", " NULLS FIRST", " DESC NULLS LAST");
    const unique = fc
      .tuple(expressionOfAny(expressions, 0, keyFamilies), direction)
      .map(([value, way]) => term`ORDER BY ${value}${way}, ${raw(key)}`);
    const ties = fc
      .tuple(expressionOfAny(expressions, 0, keyFamilies), direction)
      .map(([value, way]) => term`ORDER BY ${value}${way}`);
    const bound = (side: "PRECEDING" | "FOLLOWING") =>
      choice(`UNBOUNDED ${side}`, "CURRENT ROW", `1 ${side}`, `2 ${side}`);
    const rows = fc
      .tuple(bound("PRECEDING"), bound("FOLLOWING"))
      .map(([start, end]) => term` ROWS BETWEEN ${start} AND ${end}`);
    const range = fc
      .tuple(choice(...numbers), bound("PRECEDING"), bound("FOLLOWING"))
      .map(([by, start, end]) => term`ORDER BY ${by} RANGE BETWEEN ${start} AND ${end}`);
    const frame = fc.oneof(
      ties,
      fc.tuple(unique, maybe(rows)).map(([order, extent]) => term`${order}${extent}`),
      range,
      fc.constant(emptyTerm),
    );
    const ranking = fc
      .constantFrom(...windows.filter(({ parameters }) => parameters.length === 0))
      .chain(({ name }) => (name === "row_number" ? unique : ties).map((order) => [raw(`${name}()`), order] as const));
    const moving = fc
      .constantFrom(...windows.filter(({ parameters }) => parameters.length > 0))
      .chain((callable) =>
        fc
          .tuple(expressions.argumentsOf(callable, 0), unique)
          .map(([values, order]) => [writeCall(callable.name, values), order] as const),
      );
    const summing = fc.tuple(aggregate(expressions), frame);
    const call = fc.tuple(fc.oneof(ranking, moving, summing), partition).map(([[value, order], by]) => {
      // sort_array must enclose the window, not the aggregate.
      const inner = value.parts[0] === "sort_array(" ? value.parts[1] : undefined;
      if (inner !== undefined && typeof inner !== "string") return term`sort_array(${inner} OVER (${by}${order}))`;
      return term`${value} OVER (${by}${order})`;
    });
    return fc
      .tuple(aliasedList(call, 2, "w"), where(expressions))
      .map(([select, filter]) => term`SELECT ${raw(key)}, ${select} FROM ${from}${filter}`);
  });
}
