/** Measures `npm run quickstart` after its set-up: the event log, the service, and `pulumi up` three times. */
import { execFile } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs, promisify } from "node:util";
import { pulumiRoot } from "./support/pulumi.mts";
import { compare, type BenchResult } from "./support/results.mts";

const script = fileURLToPath(new URL("../../scripts/quickstart.mts", import.meta.url));

/** Measures rounds of the whole quickstart, each in a new folder. */
export async function bench(options: readonly string[]): Promise<BenchResult> {
  const { values } = parseArgs({ args: [...options], options: { rounds: { type: "string", default: "3" } } });
  const seconds: number[] = [];
  for (let round = 0; round < Number(values.rounds); round += 1) seconds.push(await quickstart());
  const heading = { title: "`npm run quickstart` after set-up", unit: "s", bars: [{ atMost: 20 }] };
  return { measurements: [compare(heading, { quickstart: seconds })] };
}

async function quickstart(): Promise<number> {
  const parent = mkdtempSync(join(tmpdir(), "bench-quickstart-"));
  const PATH = [dirname(process.execPath), join(pulumiRoot(), "bin"), process.env["PATH"] ?? ""].join(delimiter);
  const started = performance.now();
  try {
    await promisify(execFile)(process.execPath, [script, "--dir", join(parent, "quickstart")], {
      env: { ...process.env, PATH },
      maxBuffer: 64 * 1024 * 1024,
    });
    return (performance.now() - started) / 1000;
  } finally {
    rmSync(parent, { recursive: true, force: true, maxRetries: 5 });
  }
}
