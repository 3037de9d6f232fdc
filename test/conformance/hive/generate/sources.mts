/** The FROM clauses of generated statements: single tables, subqueries, and joins of two or three tables. */
import fc from "fast-check";
import { type Arbitrary, type Source, where, choice } from "./clauses.mts";
import { type Expressions, expressionsOver, type Scope } from "./expressions.mts";
import { itemsTable, emptyTable, limitsTable, salesTable } from "./tables.mts";
import { type Term, term, raw } from "./term.mts";
import type { Callable } from "./callables.mts";

export interface Sources {
  /** `sales a`. */
  readonly single: Source;
  /** The generator of any FROM clause. */
  readonly any: Arbitrary<Source>;
  /** Expressions over `sales a` (left), over `items b` (right), and over both. */
  readonly left: Expressions;
  readonly right: Expressions;
  readonly both: Expressions;
}

const a = { prefix: "a.", table: salesTable };
const b = { prefix: "b.", table: itemsTable };
const numbers = { a: ["a.k", "a.n", "a.p", "a.x"], b: ["b.k", "b.q", "b.c", "b.s"] };
const joins = ["JOIN", "LEFT JOIN", "RIGHT JOIN", "FULL OUTER JOIN"];

/** Returns the FROM clauses, with generators of expressions over the functions. */
export function sourcesOver(functions: readonly Callable[]): Sources {
  const over = (tables: Scope["tables"]) => expressionsOver(functions, { tables });
  const [left, right, both] = [over([a]), over([b]), over([a, b])];
  const single: Source = { from: raw("sales a"), expressions: left, key: "a.id", numbers: numbers.a };
  const limits: Source = {
    from: raw("pool a"),
    expressions: over([{ prefix: "a.", table: limitsTable }]),
    key: "a.id",
    numbers: ["a.ti", "a.i", "a.dc"],
  };
  const empty: Source = {
    from: raw("nobody a"),
    expressions: over([{ prefix: "a.", table: emptyTable }]),
    key: "a.id",
    numbers: ["a.k", "a.c", "a.x"],
  };
  const pair = { expressions: both, key: "a.id, b.id", numbers: [...numbers.a, ...numbers.b] };
  const on = joinConditions(both);
  const joined = fc
    .tuple(choice(...joins), on)
    .map(([join, test]): Source => ({ ...pair, from: term`sales a ${join} items b ON ${test}` }));
  const semi = on.map((test): Source => ({ ...single, from: term`sales a LEFT SEMI JOIN items b ON ${test}` }));
  const c = { prefix: "c.", table: salesTable };
  const three = fc
    .tuple(choice(...joins), on, choice(...joins), choice("b.k = c.k", "a.id = c.id", "c.n > b.q", "c.day = a.day"))
    .map(([first, test, second, link]): Source => ({
      from: term`sales a ${first} items b ON ${test} ${second} sales c ON ${link}`,
      expressions: over([a, b, c]),
      key: "a.id, b.id, c.id",
      numbers: [...numbers.a, "c.n"],
    }));
  const withEmpty = fc
    .tuple(choice(...joins), choice("a.k = b.k", "a.t = b.t", "a.id < b.id"))
    .map(([join, test]): Source => ({
      from: term`sales a ${join} nobody b ON ${test}`,
      expressions: over([a, { prefix: "b.", table: emptyTable }]),
      key: "a.id, b.id",
      numbers: numbers.a,
    }));
  const filtered = where(left).map((filter): Source => ({ ...single, from: term`(SELECT * FROM sales a${filter}) a` }));
  const any = fc.oneof(
    { arbitrary: fc.constant(single), weight: 4 },
    { arbitrary: fc.constant(limits), weight: 2 },
    { arbitrary: fc.constant(empty), weight: 1 },
    { arbitrary: joined, weight: 5 },
    { arbitrary: semi, weight: 1 },
    { arbitrary: three, weight: 1 },
    { arbitrary: withEmpty, weight: 1 },
    { arbitrary: fc.constant({ ...pair, from: raw("sales a CROSS JOIN items b") }), weight: 1 },
    { arbitrary: filtered, weight: 1 },
  );
  return { single, any, left, right, both };
}

/** Generates join conditions: equalities of columns of the same or different types, other comparisons, and both. */
function joinConditions(both: Expressions): Arbitrary<Term> {
  const equal = choice(
    "a.k = b.k",
    "a.id = b.id",
    "a.t = b.t",
    "a.day = b.day",
    "a.p = b.c",
    "a.n = b.q",
    "a.t <=> b.t",
    "a.k = b.q",
    "a.u = b.t",
    "a.k = b.s",
    "a.x = b.f",
    "a.p = b.e",
    "a.t = b.ch",
    "a.u = b.vc",
    "a.day = b.at",
    "a.at = b.at",
    "a.ok = b.ok",
    "a.n = b.c",
    "a.k <=> b.k",
  );
  const other = choice("a.k < b.k", "a.n >= b.q", "a.day <> b.day", "a.id + b.id = 5", "a.p BETWEEN b.c AND b.q");
  return fc.oneof(
    equal,
    fc.tuple(equal, other).map(([first, second]) => term`${first} AND ${second}`),
    fc.tuple(equal, both.condition(0)).map(([first, test]) => term`${first} AND ${test}`),
    fc.tuple(equal, other).map(([first, second]) => term`${first} OR ${second}`),
    other,
    both.condition(0),
  );
}
