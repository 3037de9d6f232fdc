/** Parts that several kinds of generated statements have. */
import fc from "fast-check";
import type { Expressions } from "./expressions.mts";
import type { Family } from "./tables.mts";
import { list, emptyTerm, removable, type Term, term, raw } from "./term.mts";

/** A FROM clause and what its rows are told apart by. */
export interface Source {
  readonly from: Term;
  readonly expressions: Expressions;
  /** Columns that no two rows have alike. */
  readonly key: string;
  readonly numbers: readonly string[];
}

export type Arbitrary<Value> = fc.Arbitrary<Value>;
export const choice = (...texts: readonly string[]): Arbitrary<Term> => fc.constantFrom(...texts.map((text) => raw(text)));
export const maybe = (clause: Arbitrary<Term>): Arbitrary<Term> => fc.oneof(fc.constant(emptyTerm), clause.map(removable));

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
export const where = (expressions: Expressions) => maybe(condition(expressions).map((test) => term` WHERE ${test}`));
export const expressionOfAny = (expressions: Expressions, depth: number, of = families) =>
  fc.constantFrom(...of).chain((family) => expressions.of(family, depth));
export const aliasedList = (value: Arbitrary<Term>, most: number, alias: string) =>
  fc
    .array(value, { minLength: 1, maxLength: most })
    .map((values) => list(values.map((each, index) => term`${each} AS ${raw(`${alias}${index}`)}`)));
