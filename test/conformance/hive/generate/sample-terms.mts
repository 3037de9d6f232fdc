/** Draws terms from a generator. */
import fc from "fast-check";
import { type Term, toSql } from "./term.mts";

/** Returns distinct terms; the same seed and number of cases give the same terms. */
export function sampleTerms(terms: fc.Arbitrary<Term>, cases: number, seed: number): Term[] {
  const found = fc.sample(terms, { numRuns: cases, seed });
  return [...new Map(found.map((term) => [toSql(term), term])).values()];
}
