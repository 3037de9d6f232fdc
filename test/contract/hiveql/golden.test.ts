/**
 * Golden cases: statements with the rows that Hive answers. Our own, with the answers of Hive 4.0.1, are in
 * test/conformance/golden/cases. Those of Hive's test suite are data of another project: they run when they are in
 * ../shared/golden beside the repository, or in the folder that DAG_GOLDEN names.
 */
import { existsSync } from "node:fs";
import { join, resolve } from "node:path";
import { expect, test } from "vitest";
import { countResults, reviewResults, runGoldenCases } from "../../conformance/golden/golden-cases.mts";

const golden = process.env["DAG_GOLDEN"] ?? resolve(__dirname, "../../../../shared/golden");
const isThere = existsSync(join(golden, "cases.jsonl"));
if (!isThere)
  console.warn(`conformance: skipped, there are no golden cases in ${golden} (DAG_GOLDEN names another folder)`);

test("conformance: every case of ours is answered as Hive 4.0.1 answers it", async () => {
  const all = countResults((await runGoldenCases(resolve(__dirname, "../../conformance/golden/cases"))).all);
  expect(all.total).toBeGreaterThanOrEqual(50);
  expect(all.same).toBe(all.total);
});

test.skipIf(!isThere)(
  "conformance: no answer that Hive 4 confirms is different, and few cases are refused",
  async () => {
    const run = await runGoldenCases(golden);
    const gate = countResults(run.hive4);
    expect(gate.different).toBe(0);
    expect(gate.same / gate.total).toBeGreaterThanOrEqual(0.95);
    const all = countResults(run.all);
    expect(all.different / all.total).toBeLessThanOrEqual(0.02);
    expect(all.same / all.total).toBeGreaterThanOrEqual(0.85);
    expect(reviewResults(run.all)).toEqual([]);
  },
);
