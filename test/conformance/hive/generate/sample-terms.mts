/** A generator → terms. */
import fc from "fast-check";
import { type Term, toSql } from "./term.mts";

/** Terms, each once; the same for the same seed and number of cases. */
export function sampleTerms(terms: fc.Arbitrary<Term>, cases: number, seed: number): Term[] {
  const found = fc.sample(terms, { numRuns: cases, seed });
  return [...new Map(found.map((term) => [toSql(term), term])).values()];
}
