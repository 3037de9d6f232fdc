/** Kills the service at random moments while it is used, and counts what it broke. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { inspect, type Findings } from "./inspect.mts";
import { killService, startService, type Service } from "./service.mts";
import { load, type Ledger } from "./load.mts";

/** Queries that may run at a time; more are refused, which is part of the game. */
const slots = 6;
/** Rows of the table that selects read and of the object that splits cut. */
const rows = 20_000;

/** One run. */
export interface ChaosOptions {
  /** How often the service is killed. */
  readonly rounds: number;
  /** Makes the same requests as another run with this seed. */
  readonly seed: number;
}

/**
 * Kills the service in each round while requests are sent to it, starts it again on the same folder, and looks at what
 * it kept. Prints what it found.
 * @returns whether nothing was lost, duplicated or half-written
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
      const used = load(service, ledger, random, stop.signal);
      await pause(20 + random() * random() * 3000);
      await killService(service);
      stop.abort();
      await used;
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
  else console.log(`the folder is kept: ${directory}`);
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

/** Numbers from 0 to below 1 that a seed determines (mulberry32). */
function generator(start: number): () => number {
  let state = start;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}
