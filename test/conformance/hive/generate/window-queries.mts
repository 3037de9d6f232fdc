/** Generated statements with windows: ranks, neighbours and aggregates over partitions, orders and frames. */
import fc from "fast-check";
import { anyOf, keyFamilies, type Make, maybe, several, type Source, where, words } from "./clauses.mts";
import type { Expressions } from "./expressions.mts";
import { nothing, type Term, term, word } from "./term.mts";
import { type Callable, writeCall } from "./vocabulary.mts";

/** Makes the generator of `SELECT key, f() OVER (…) FROM …`. */
export function windowedOver(
  source: Make<Source>,
  functions: readonly Callable[],
  aggregate: (expressions: Expressions) => Make<Term>,
): Make<Term> {
  const windows = functions.filter(({ kind }) => kind === "window");
  return source.chain(({ from, expressions, key, numbers }) => {
    const partition = maybe(anyOf(expressions, 0, keyFamilies).map((value) => term`PARTITION BY ${value} `));
    const direction = words("", " DESC", " NULLS FIRST", " DESC NULLS LAST");
    const unique = fc
      .tuple(anyOf(expressions, 0, keyFamilies), direction)
      .map(([value, way]) => term`ORDER BY ${value}${way}, ${word(key)}`);
    const ties = fc
      .tuple(anyOf(expressions, 0, keyFamilies), direction)
      .map(([value, way]) => term`ORDER BY ${value}${way}`);
    const bound = (side: "PRECEDING" | "FOLLOWING") =>
      words(`UNBOUNDED ${side}`, "CURRENT ROW", `1 ${side}`, `2 ${side}`);
    const rows = fc
      .tuple(bound("PRECEDING"), bound("FOLLOWING"))
      .map(([start, end]) => term` ROWS BETWEEN ${start} AND ${end}`);
    const range = fc
      .tuple(words(...numbers), bound("PRECEDING"), bound("FOLLOWING"))
      .map(([by, start, end]) => term`ORDER BY ${by} RANGE BETWEEN ${start} AND ${end}`);
    const frame = fc.oneof(
      ties,
      fc.tuple(unique, maybe(rows)).map(([order, extent]) => term`${order}${extent}`),
      range,
      fc.constant(nothing),
    );
    const ranking = fc
      .constantFrom(...windows.filter(({ parameters }) => parameters.length === 0))
      .chain(({ name }) => (name === "row_number" ? unique : ties).map((order) => [word(`${name}()`), order] as const));
    const moving = fc
      .constantFrom(...windows.filter(({ parameters }) => parameters.length > 0))
      .chain((callable) =>
        fc
          .tuple(expressions.argumentsOf(callable, 0), unique)
          .map(([values, order]) => [writeCall(callable.name, values), order] as const),
      );
    const summing = fc.tuple(aggregate(expressions), frame);
    const call = fc.tuple(fc.oneof(ranking, moving, summing), partition).map(([[value, order], by]) => {
      // What sorts the elements must stand around the window.
      const inner = value.parts[0] === "sort_array(" ? value.parts[1] : undefined;
      if (inner !== undefined && typeof inner !== "string") return term`sort_array(${inner} OVER (${by}${order}))`;
      return term`${value} OVER (${by}${order})`;
    });
    return fc
      .tuple(several(call, 2, "w"), where(expressions))
      .map(([select, filter]) => term`SELECT ${word(key)}, ${select} FROM ${from}${filter}`);
  });
}
