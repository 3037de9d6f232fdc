/** Makes a disagreement small: steps to smaller statements for as long as the engines still disagree. */
import { smaller, type Term, write } from "./generate/term.mts";

export interface ShrinkLimits {
  /** How many smaller statements are tried at once. */
  readonly atOnce: number;
  /** How many steps are taken at most. */
  readonly steps: number;
}

/**
 * Finds a smaller statement of which the same is true.
 * @param holds says of each candidate whether it is.
 * @returns the statement itself where nothing smaller will do.
 */
export async function shrink(
  whole: Term,
  holds: (candidates: readonly Term[]) => Promise<readonly boolean[]>,
  { atOnce, steps }: ShrinkLimits,
): Promise<Term> {
  let smallest = whole;
  const tried = new Set([write(whole)]);
  for (let step = 0; step < steps; step += 1) {
    const candidates: Term[] = [];
    for (const candidate of smaller(smallest)) {
      const text = write(candidate);
      if (tried.has(text)) continue;
      tried.add(text);
      candidates.push(candidate);
    }
    const next = await firstThat(candidates.toSorted(bySize), holds, atOnce);
    if (!next) return smallest;
    smallest = next;
  }
  return smallest;
}

async function firstThat(
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

const bySize = (left: Term, right: Term) => write(left).length - write(right).length;
