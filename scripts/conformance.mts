/**
 * `npm run conformance -- DIR [--out FILE]`: runs the golden HiveQL cases of a folder through the embedded engine and
 * prints how many answers equal Hive's. `--out` writes one line of JSON for each case.
 */
import { writeFileSync } from "node:fs";
import { parseArgs } from "node:util";
import {
  countResults,
  type GoldenResult,
  reviewResults,
  runGoldenCases,
} from "../test/conformance/golden/golden-cases.mts";

const { values, positionals } = parseArgs({ allowPositionals: true, options: { out: { type: "string" } } });
const [directory] = positionals;
if (directory === undefined || positionals.length > 1) {
  console.error("usage: npm run conformance -- DIR [--out FILE]");
  process.exit(2);
}

const { all, hive4 } = await runGoldenCases(directory);
if (values.out !== undefined) writeFileSync(values.out, all.map((result) => `${JSON.stringify(result)}\n`).join(""));
console.log(`all: ${summary(all)}`);
for (const line of reviewResults(all)) console.log(line);
console.log(`hive4 same: ${summary(hive4)}`);

function summary(results: readonly GoldenResult[]): string {
  const { same, refused, different, total } = countResults(results);
  return `same ${same}, refused ${refused}, different ${different} of ${total}`;
}
