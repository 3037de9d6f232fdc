/** Kills the service at random moments under load and counts lost, duplicated and half-written results. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { inspect, type Findings } from "./inspect.mts";
import { killService, startService, type Service } from "./service.mts";
import { load, type Ledger } from "./load.mts";

/** The number of queries that may run at once; the load exceeds it on purpose, so that some are refused. */
const slots = 6;
/** The number of rows of the table that selects read, and of the object that splits read. */
const rows = 20_000;

/** The options of a run. */
export interface ChaosOptions {
  /** The number of times that the service is killed. */
  readonly rounds: number;
  /** The seed of the requests; the same seed sends the same requests. */
  readonly seed: number;
}

/**
 * In each round, sends requests to the service, kills it, restarts it on the same folder, and inspects its data. Prints
 * the findings.
 * @returns true when nothing was lost, duplicated or half-written
 */
export async function runChaos({ rounds, seed }: ChaosOptions): Promise<boolean> {
  const directory = mkdtempSync(join(tmpdir(), "dag-chaos-"));
  const random = generator(seed);
  const ledger: Ledger = { submissions: [], cancelled: new Set() };
  const findings: Findings = { lost: [], duplicated: [], halfWritten: [] };
  let service: Service | undefined;
  process.once("SIGINT", () => process.exit(130));

  try {
    prepare(directory);
    for (let round = 1; round <= rounds; round += 1) {
      service = await startService(directory, slots);
      await inspect(service, ledger, rows, findings);
      const stop = new AbortController();
      const loading = load(service, ledger, random, stop.signal);
      await pause(20 + random() * random() * 3000);
      await killService(service);
      stop.abort();
      await loading;
      if (round % 10 === 0) console.error(`round ${round} of ${rounds}: ${ledger.submissions.length} submissions`);
    }
    service = await startService(directory, slots);
    await inspect(service, ledger, rows, findings, { untilIdle: true });
    await killService(service);
  } finally {
    if (service) await killService(service);
  }

  for (const [kind, found] of Object.entries(findings)) for (const one of found) console.error(`${kind}: ${one}`);
  const answered = ledger.submissions.filter(({ id }) => id !== undefined).length;
  console.log(
    `seed ${seed}: ${rounds} rounds, ${ledger.submissions.length} submissions, ${answered} accepted: ` +
      `lost ${findings.lost.length}, duplicated ${findings.duplicated.length}, half-written ${findings.halfWritten.length}`,
  );
  const clean = Object.values(findings).every((found) => found.length === 0);
  if (clean) rmSync(directory, { recursive: true, force: true });
  else console.log(`the service's data is kept for inspection: ${directory}`);
  return clean;
}

function prepare(directory: string): void {
  for (const bucket of ["data", "out", "raw"]) mkdirSync(join(directory, "buckets", bucket), { recursive: true });
  const lines = Array.from({ length: rows }, (_, id) => `${id},row ${id}\n`).join("");
  mkdirSync(join(directory, "buckets/data/events"));
  writeFileSync(join(directory, "buckets/data/events/a.csv"), lines);
  writeFileSync(join(directory, "buckets/raw/in.csv"), lines);
}

function pause(milliseconds: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, milliseconds));
}

/** Returns a seeded pseudo-random generator (mulberry32) of numbers from 0 (inclusive) to 1 (exclusive). */
function generator(start: number): () => number {
  let state = start;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}
