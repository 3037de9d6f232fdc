/** Generates statements over nested values: lateral views, also over each other, and members by index, key and name. */
import fc from "fast-check";
import { expressionOfAny, type Arbitrary, maybe, aliasedList, where, choice } from "./clauses.mts";
import { expressionsOver } from "./expressions.mts";
import type { Sources } from "./sources.mts";
import { nestedTable } from "./tables.mts";
import { type Term, term } from "./term.mts";
import { type Callable, writeCall } from "./callables.mts";

/** Generates statements over nested values, with LATERAL VIEW or member access. */
export function nestedValuesOver({ left }: Sources, functions: readonly Callable[]): Arbitrary<Term> {
  const tableFunctions = functions.filter(({ kind }) => kind === "table");
  const outer = choice("", "OUTER ");
  const any = fc
    .tuple(outer, fc.constantFrom(...tableFunctions), where(left))
    .chain(([side, callable, filter]) =>
      left
        .argumentsOf(callable, 0)
        .map(
          (values) =>
            term`SELECT a.id, v.* FROM sales a LATERAL VIEW ${side}${writeCall(callable.name, values)} v${filter}`,
        ),
    );
  const over = expressionsOver(functions, { tables: [{ prefix: "d.", table: nestedTable }] });
  const view = choice(
    "explode(d.aa) v AS x",
    "posexplode(d.aa) v AS p, x",
    "inline(d.st) v AS x, y",
    "explode(d.ma) v AS y, x",
    "explode(d.mi) v AS x, y",
    "explode(d.s.c.e) v AS x",
    "posexplode(d.ai) v AS p, x",
    "explode(array(d.id, 1)) v AS x",
    "explode(array_distinct(d.ai)) v AS x",
    "explode(d.ma[d.t]) v AS x",
    "explode(map_keys(d.mi)) v AS x",
  );
  const one = fc
    .tuple(outer, view, maybe(over.condition(0).map((test) => term` WHERE ${test}`)))
    .map(([side, call, filter]) => term`SELECT d.id, v.* FROM deep d LATERAL VIEW ${side}${call}${filter}`);
  const two = fc
    .tuple(
      outer,
      outer,
      choice("explode(d.aa)", "explode(map_values(d.ma))"),
      choice("explode(v.x)", "posexplode(v.x)"),
    )
    .map(
      ([first, second, call, inner]) =>
        term`SELECT d.id, v.x, w.* FROM deep d LATERAL VIEW ${first}${call} v AS x LATERAL VIEW ${second}${inner} w`,
    );
  const counted = fc
    .tuple(
      outer,
      choice("count(*)", "sum(v.x)", "count(v.x)", "max(v.x)", "count(DISTINCT v.x)"),
      choice("d.t", "v.x", "d.id"),
    )
    .map(
      ([side, result, key]) =>
        term`SELECT ${key} AS k, ${result} AS c FROM deep d LATERAL VIEW ${side}explode(d.ai) v AS x GROUP BY ${key}`,
    );
  const members = fc
    .tuple(
      choice(
        "d.aa[0][1]",
        "d.aa[d.id]",
        "d.st[0].b",
        "d.ma['k'][0]",
        "d.ma[d.t]",
        "d.s.c.d",
        "d.s.c.e[0]",
        "d.mi[1]",
        "d.mi[d.id]",
        "d.s.c",
        "size(d.aa[0])",
        "size(d.ma)",
        "d.st.a",
        "d.aa[-1]",
      ),
      aliasedList(expressionOfAny(over, 1, ["array", "map", "struct", "integer", "text"]), 2, "c"),
      maybe(over.condition(0).map((test) => term` WHERE ${test}`)),
    )
    .map(([member, select, filter]) => term`SELECT d.id, ${member} AS m, ${select} FROM deep d${filter}`);
  return fc.oneof({ arbitrary: any, weight: 2 }, { arbitrary: one, weight: 2 }, two, counted, {
    arbitrary: members,
    weight: 2,
  });
}
