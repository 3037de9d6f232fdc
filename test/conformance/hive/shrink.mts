/** Makes a disagreement small: steps to smaller statements for as long as the engines still disagree. */
import { shrinkCandidates, type Term, toSql } from "./generate/term.mts";

export interface ShrinkLimits {
  /** How many smaller statements are tried at once. */
  readonly batchSize: number;
  /** How many steps are taken at most. */
  readonly maxSteps: number;
}

/**
 * Finds a smaller statement of which the same is true.
 * @param holds says of each candidate whether it is.
 * @returns the statement itself where nothing smaller will do.
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
