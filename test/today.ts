/** Long lists of cases that differ in little: a run takes a part of them, another one each day. */

const day = Math.floor(Date.now() / 86_400_000);

/**
 * Returns every `parts`-th case, from another one each day, so that all have run after as many days. All of them with
 * `DAG_TEST_ALL=1`, as the nightly workflow sets it.
 *
 * @param offset the days by which it is ahead of other lists of the same length
 */
export function ofToday<Case>(cases: readonly Case[], parts: number, offset = 0): readonly Case[] {
  if (process.env["DAG_TEST_ALL"]) return cases;
  return cases.filter((_, index) => index % parts === (day + offset) % parts);
}
