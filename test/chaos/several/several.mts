/**
 * Kills, stops and shuts down service processes that share one PostgreSQL database, their engines and the database itself,
 * under load, and counts what was lost, ended or published twice, half-written or taken over late.
 */
import { setTimeout as sleep } from "node:timers/promises";
import { join } from "node:path";
import type { ChaosOptions } from "../chaos.mts";
import { generator } from "../service.mts";
import { Faults } from "./faults.mts";
import { Findings } from "./findings.mts";
import { judge, type Totals } from "./judge.mts";
import { load, manage, newLedger, targets } from "./load.mts";
import { Outputs } from "./outputs.mts";
import { Processes } from "./processes.mts";

/** Milliseconds between two faults, at least and at most. */
const pause = { shortest: 500, longest: 5000 } as const;

export interface SeveralOptions extends ChaosOptions {
  /** True for buckets on S3, where the processes share no folder. */
  readonly onS3: boolean;
}

/** Runs some rounds, each with one fault. Returns true when nothing was lost, twice, half-written or late. */
export async function runSeveral({ rounds, seed, onS3 }: SeveralOptions): Promise<boolean> {
  const random = generator(seed);
  const findings = new Findings();
  const processes = await Processes.start(onS3, findings);
  const { records } = processes;
  const ledger = newLedger(findings);
  const outputs = new Outputs(join(processes.buckets, "out"), targets, findings);
  const faults = new Faults(processes, random);
  let isClean = false;
  const interrupted = new AbortController();
  process.once("SIGINT", () => {
    interrupted.abort();
    console.error("the run ends after this round");
    process.once("SIGINT", () => process.exit(130));
  });
  process.once("SIGTERM", () => process.exit(143));
  try {
    const stop = new AbortController();
    const loading = load(processes, ledger, random, stop.signal);
    for (let round = 1; round <= rounds && !interrupted.signal.aborted; round += 1) {
      await sleep(pause.shortest + random() * (pause.longest - pause.shortest));
      const managing = manage(processes, ledger, random);
      const fault = faults.pick();
      await faults.cause(fault);
      if (round % 10 === 0) {
        const counts = [`${ledger.accepted.size} accepted`, `${records.takeovers.length} takeovers`];
        console.error(`round ${round} of ${rounds}: ${counts.join(", ")}, ${findings.count} findings`);
      }
      await managing;
    }
    stop.abort();
    await loading;
    await faults.settle();
    const totals = await judge({ processes, ledger, outputs, faults }, findings);
    report(totals);
    isClean = findings.count === 0;
  } finally {
    await outputs.close();
    await processes.end(!isClean);
    if (!isClean) console.log(`the services' data is kept for inspection: ${processes.directory}`);
  }
  return isClean;

  function report({ byStatus, queries, attempts, executions, publications }: Totals): void {
    const list = (counts: ReadonlyMap<string, number>) =>
      [...counts].map(([name, count]) => `${name} ${count}`).join(", ");
    const seconds = records.takeovers.map((time) => time / 1000).toSorted((a, b) => a - b);
    const at = (part: number) => (seconds[Math.floor(part * (seconds.length - 1))] ?? 0).toFixed(1);
    const idle = faults.inFlight.filter((count) => count === 0).length;
    console.log(
      [
        `seed ${seed}, buckets ${onS3 ? "on S3" : "in a folder"}: ${faults.inFlight.length} faults: ${list(faults.counts)}`,
        `in ${faults.inFlight.length - idle} of them the process ran queries, ${faults.inFlight.reduce((sum, one) => sum + one, 0)} in all`,
        `answers: ${list(ledger.answers)}`,
        `${queries} queries: ${list(byStatus)}; at most ${list(records.most)} at a time`,
        `${attempts} attempts, ${executions} executions, ${publications} publications in the logs, ${outputs.count} results of selects seen`,
        `${seconds.length} takeovers: median ${at(0.5)} s, 95 % ${at(0.95)} s, longest ${at(1)} s; ` +
          `${records.endedInstead} ended before one, ${records.takenFromLiving} taken from a process with an expired lease`,
        `${findings.count} findings`,
      ].join("\n"),
    );
  }
}
