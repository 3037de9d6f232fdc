/** Shrinks a disagreement: replaces the statement by smaller ones while the engines still disagree. */
import { shrinkCandidates, type Term, toSql } from "./generate/term.mts";

export interface ShrinkLimits {
  /** The number of candidates in one call of the predicate. */
  readonly batchSize: number;
  /** The maximum number of shrinking steps. */
  readonly maxSteps: number;
}

/**
 * Finds a smaller statement for which the predicate holds.
 * @param holds returns, for each candidate, true when the predicate holds.
 * @returns the statement itself when no smaller one does.
 */
export async function shrink(
  whole: Term,
  holds: (candidates: readonly Term[]) => Promise<readonly boolean[]>,
  { batchSize, maxSteps }: ShrinkLimits,
): Promise<Term> {
  let smallest = whole;
  const tried = new Set([toSql(whole)]);
  for (let step = 0; step < maxSteps; step += 1) {
    const candidates: Term[] = [];
    for (const candidate of shrinkCandidates(smallest)) {
      const text = toSql(candidate);
      if (tried.has(text)) continue;
      tried.add(text);
      candidates.push(candidate);
    }
    const next = await firstHolding(candidates.toSorted(bySize), holds, batchSize);
    if (!next) return smallest;
    smallest = next;
  }
  return smallest;
}

async function firstHolding(
  candidates: readonly Term[],
  holds: (candidates: readonly Term[]) => Promise<readonly boolean[]>,
  atOnce: number,
): Promise<Term | undefined> {
  for (let start = 0; start < candidates.length; start += atOnce) {
    const some = candidates.slice(start, start + atOnce);
    const found = (await holds(some)).indexOf(true);
    if (found >= 0) return some[found];
  }
  return undefined;
}

const bySize = (left: Term, right: Term) => toSql(left).length - toSql(right).length;
