/**
 * Golden cases: statements with the rows that Hive answers. Ours lie in the folder cases, with the answers of Hive
 * 4.0.1. Those of Hive's own are another project's data and not part of this one: they are run where they lie beside the
 * repository, or in the folder that DAG_GOLDEN names.
 */
import { execFileSync } from "node:child_process";
import { existsSync } from "node:fs";
import { join, resolve } from "node:path";
import { expect, test } from "vitest";

const root = resolve(__dirname, "../../..");
const golden = process.env["DAG_GOLDEN"] ?? join(root, "../shared/golden");
const isThere = existsSync(join(golden, "cases.jsonl"));
if (!isThere)
  console.warn(`conformance: skipped, there are no golden cases in ${golden} (DAG_GOLDEN names another folder)`);

interface Counts {
  readonly same: number;
  readonly different: number;
  readonly total: number;
}

function countsOf(output: string, group: string): Counts {
  const match = new RegExp(`^${group}: same (\\d+), refused \\d+, different (\\d+) of (\\d+)$`, "m").exec(output);
  if (!match) throw new Error(`no line "${group}: …" in ${output}`);
  const [same = 0, different = 0, total = 0] = match.slice(1).map(Number);
  return { same, different, total };
}

function outputOf(cases: string): string {
  return execFileSync(process.execPath, ["scripts/conformance.mts", cases], { cwd: root, encoding: "utf8" });
}

test("conformance: every case of ours is answered as Hive 4.0.1 answers it", () => {
  const all = countsOf(outputOf(join(__dirname, "cases")), "all");
  expect(all.total).toBeGreaterThanOrEqual(50);
  expect(all.same).toBe(all.total);
});

test.skipIf(!isThere)("conformance: no answer that Hive 4 confirms is different, and few cases are refused", () => {
  const output = outputOf(golden);
  const gate = countsOf(output, "hive4 same");
  expect(gate.different).toBe(0);
  expect(gate.same / gate.total).toBeGreaterThanOrEqual(0.95);
  const all = countsOf(output, "all");
  expect(all.different / all.total).toBeLessThanOrEqual(0.02);
  expect(all.same / all.total).toBeGreaterThanOrEqual(0.85);
});
