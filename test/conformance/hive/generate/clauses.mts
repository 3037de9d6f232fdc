/** Clauses that several kinds of generated statements share. */
import fc from "fast-check";
import type { Expressions } from "./expressions.mts";
import type { Family } from "./tables.mts";
import { list, emptyTerm, removable, type Term, term, raw } from "./term.mts";

/** A FROM clause with the expressions and the key of its rows. */
export interface Source {
  readonly from: Term;
  readonly expressions: Expressions;
  /** Columns that are unique for each row. */
  readonly key: string;
  readonly numbers: readonly string[];
}

export type Arbitrary<Value> = fc.Arbitrary<Value>;
/** Generates one of these SQL texts. */
export const choice = (...texts: readonly string[]): Arbitrary<Term> =>
  fc.constantFrom(...texts.map((text) => raw(text)));
/** Generates the clause or nothing. */
export const maybe = (clause: Arbitrary<Term>): Arbitrary<Term> =>
  fc.oneof(fc.constant(emptyTerm), clause.map(removable));

const families: readonly Family[] = [
  "integer",
  "integer",
  "bigint",
  "decimal",
  "double",
  "text",
  "boolean",
  "date",
  "timestamp",
];
export const keyFamilies: readonly Family[] = ["integer", "integer", "text", "boolean", "date", "decimal"];

const condition = (expressions: Expressions) => expressions.condition(1);
/** Generates a WHERE clause or nothing. */
export const where = (expressions: Expressions) => maybe(condition(expressions).map((test) => term` WHERE ${test}`));
/** Generates an expression of one of these families. */
export const expressionOfAny = (expressions: Expressions, depth: number, of = families) =>
  fc.constantFrom(...of).chain((family) => expressions.of(family, depth));
/** Generates a list such as `x AS c0, y AS c1`, with at most `most` items. */
export const aliasedList = (value: Arbitrary<Term>, most: number, alias: string) =>
  fc
    .array(value, { minLength: 1, maxLength: most })
    .map((values) => list(values.map((each, index) => term`${each} AS ${raw(`${alias}${index}`)}`)));
