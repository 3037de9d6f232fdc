/**
 * `npm run conformance -- DIR [--out FILE]`: runs the golden HiveQL cases of a folder through the embedded engine and
 * prints how many answers equal Hive's. `--out` writes one line of JSON for each case. With `--cluster hive` or
 * `--cluster spark` they run on such a cluster, over files or, with `--s3`, over objects of an S3 server.
 *
 * `npm run conformance -- --prices [DIR …]`: prints what each peculiarity of Hive costs, over our own cases, those of the
 * folders (by default ../shared/golden, if there is one) and the statements of docs/.
 */
import { existsSync, writeFileSync } from "node:fs";
import { parseArgs } from "node:util";
import {
  countResults,
  type GoldenResult,
  reviewResults,
  runGoldenCases,
} from "../test/conformance/golden/golden-cases.mts";
import { runOnServers } from "../test/conformance/golden/on-servers.mts";

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    out: { type: "string" },
    cluster: { type: "string" },
    s3: { type: "boolean", default: false },
    prices: { type: "boolean", default: false },
  },
});
const { out, cluster, s3, prices } = values;
if (prices) {
  await printPrices(positionals);
  process.exit();
}
const [directory] = positionals;
const isCluster = cluster === "hive" || cluster === "spark";
if (directory === undefined || positionals.length > 1 || (cluster !== undefined && !isCluster) || (s3 && !isCluster)) {
  console.error("usage: npm run conformance -- DIR [--cluster hive|spark [--s3]] [--out FILE]");
  process.exit(2);
}

if (isCluster) await onCluster(directory, cluster);
else await onEmbeddedEngine(directory);

async function onEmbeddedEngine(folder: string): Promise<void> {
  const { all, hive4 } = await runGoldenCases(folder);
  write(all);
  console.log(`all: ${summary(all)}`);
  for (const line of reviewResults(all)) console.log(line);
  console.log(`hive4 same: ${summary(hive4)}`);
}

/** Prints the prices, those that the fewest statements need first. */
async function printPrices(given: readonly string[]): Promise<void> {
  const { linesOfAll, pricesOver } = await import("../test/conformance/golden/prices.mts");
  const others = given.length > 0 ? given : ["../shared/golden"].filter((folder) => existsSync(folder));
  const found = await pricesOver(["test/conformance/golden/cases", ...others]);
  write(found);
  for (const { kind, name, lines, statements } of found) {
    const size = lines === 0 ? "" : `, ${lines} lines`;
    console.log(`${kind} ${name}: ${statements} statements${size}`);
  }
  console.log(`hiveql/ has ${linesOfAll()} lines without comments and blank lines`);
}

/** Prints each case whose answer is not Hive's, and the counts. */
async function onCluster(folder: string, name: "hive" | "spark"): Promise<void> {
  const results = await runOnServers({ directory: folder, cluster: name, place: s3 ? "s3" : "files" });
  if (!results) process.exit(1);
  write(results);
  for (const { id, outcome, message, got, set, embedded } of results) {
    if (outcome === "same") continue;
    const settings = set ? ` (without ${set.join("; ")})` : "";
    console.log(`${id}: ${outcome}, embedded ${embedded}${settings}: ${message ?? got?.slice(0, 3).join(" | ")}`);
  }
  const counts = Object.entries(Object.groupBy(results, ({ outcome }) => outcome));
  const list = counts.map(([outcome, found]) => `${outcome} ${found.length}`).join(", ");
  console.log(`${name}, ${s3 ? "S3" : "files"}: ${list} of ${results.length}`);
}

function write(results: readonly object[]): void {
  if (out !== undefined) writeFileSync(out, results.map((result) => `${JSON.stringify(result)}\n`).join(""));
}

function summary(results: readonly GoldenResult[]): string {
  const { same, refused, different, total } = countResults(results);
  return `same ${same}, refused ${refused}, different ${different} of ${total}`;
}
