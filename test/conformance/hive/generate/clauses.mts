/** Parts that several kinds of generated statements have. */
import fc from "fast-check";
import type { Expressions } from "./expressions.mts";
import type { Family } from "./tables.mts";
import { list, nothing, optional, type Term, term, word } from "./term.mts";

/** A FROM clause and what its rows are told apart by. */
export interface Source {
  readonly from: Term;
  readonly expressions: Expressions;
  /** Columns that no two rows have alike. */
  readonly key: string;
  readonly numbers: readonly string[];
}

export type Make<Value> = fc.Arbitrary<Value>;
export const words = (...texts: readonly string[]): Make<Term> => fc.constantFrom(...texts.map((text) => word(text)));
export const maybe = (clause: Make<Term>): Make<Term> => fc.oneof(fc.constant(nothing), clause.map(optional));

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
export const anyOf = (expressions: Expressions, depth: number, of = families) =>
  fc.constantFrom(...of).chain((family) => expressions.of(family, depth));
export const several = (value: Make<Term>, most: number, alias: string) =>
  fc
    .array(value, { minLength: 1, maxLength: most })
    .map((values) => list(values.map((each, index) => term`${each} AS ${word(`${alias}${index}`)}`)));
