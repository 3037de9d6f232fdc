/**
 * Kills the service, its engine processes and its disk at random moments under load, and counts what was lost,
 * duplicated or half-written, what else was hit, and what was left running.
 */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { findCollateral, type Seen } from "./collateral.mts";
import { mountDisks, type SmallDisks } from "./disk.mts";
import { cause, completeVictims, noDamage, pickFault, type Damage } from "./faults.mts";
import { inspect, type Findings } from "./inspect.mts";
import { cancelEndless, load, newLedger, type Ledger } from "./load.mts";
import { orphansOf, processesWith, tokensOf } from "./processes.mts";
import { generator, killService, startService, type Service, type ServiceOptions } from "./service.mts";

/** The number of queries that may run at once; the load exceeds it on purpose, so that some are refused. */
const slots = 6;
/** The number of rows of the table that selects read, and of the object that splits read. */
const rows = 20_000;
/** The size of the disk of the service's state, and of the disk of the results, in megabytes. */
const diskMegabytes = 48;
/** Milliseconds that a round waits for an accepted submission; on a busy machine an engine starts slowly. */
const longestWait = 8000;

/** The options of a run. */
export interface ChaosOptions {
  /** The number of rounds; the service is killed in most of them. */
  readonly rounds: number;
  /** The seed of the requests; the same seed sends the same requests. */
  readonly seed: number;
}

/**
 * In each round, sends requests to the service, kills it or one of its engine processes, and inspects its data. Prints
 * the findings.
 * @returns true when nothing was lost, duplicated or half-written, and nothing else was hit or left running
 */
export async function runChaos({ rounds, seed }: ChaosOptions): Promise<boolean> {
  const directory = mkdtempSync(join(tmpdir(), "dag-chaos-"));
  const options: ServiceOptions = {
    directory: join(directory, "state"),
    buckets: join(directory, "buckets"),
    clusters: [{ name: "c1", slots, memory: "512MB" }],
  };
  const disks = smallDisks(options);
  const run = new Run(options, disks, generator(seed));
  process.once("SIGINT", () => process.exit(130));
  process.once("exit", () => disks?.unmount());

  try {
    prepare(options.buckets);
    for (let round = 1; round <= rounds; round += 1) {
      await run.round();
      const submitted = run.ledger.submissions.length;
      if (round % 10 === 0) console.error(`round ${round} of ${rounds}: ${submitted} submissions`);
    }
    await run.finish();
  } finally {
    await run.kill();
  }

  const { findings, ledger, faults } = run;
  for (const [kind, found] of Object.entries(findings)) for (const one of found) console.error(`${kind}: ${one}`);
  const answered = ledger.submissions.filter(({ id }) => id !== undefined).length;
  const counts = (all: ReadonlyMap<string, number>) => [...all].map(([name, count]) => `${name} ${count}`).join(", ");
  console.error(`faults: ${counts(faults)}`);
  console.error(`refusals: ${counts(ledger.refusals)}`);
  console.log(
    `seed ${seed}: ${rounds} rounds, ${ledger.submissions.length} submissions, ${answered} accepted: ` +
      `lost ${findings.lost.length}, duplicated ${findings.duplicated.length}, half-written ${findings.halfWritten.length}, ` +
      `collateral ${findings.collateral.length}, orphans ${findings.orphans.length}`,
  );
  const clean = Object.values(findings).every((found) => found.length === 0);
  if (clean) {
    disks?.unmount();
    rmSync(directory, { recursive: true, force: true });
  } else {
    disks?.keep();
    console.log(`the service's data is kept for inspection: ${directory}`);
  }
  return clean;
}

/** The rounds of a run, with what they know of each other. */
class Run {
  readonly ledger: Ledger = newLedger();
  readonly findings: Findings = { lost: [], duplicated: [], halfWritten: [], collateral: [], orphans: [] };
  /** The number of rounds of each fault. */
  readonly faults = new Map<string, number>();
  readonly #options: ServiceOptions;
  readonly #disks: SmallDisks | undefined;
  readonly #random: () => number;
  readonly #seen: Seen = new Set();
  #service: Service | undefined;
  #damage: Damage = noDamage();
  /** The tokens of the engine processes of the service that was killed last. */
  #left: readonly string[] = [];

  constructor(options: ServiceOptions, disks: SmallDisks | undefined, random: () => number) {
    this.#options = options;
    this.#disks = disks;
    this.#random = random;
  }

  async round(): Promise<void> {
    const { ledger } = this;
    const random = this.#random;
    const disks = this.#disks;
    const service = await this.#running();
    await this.#inspect(service);
    const fault = pickFault(random, disks);
    this.faults.set(fault, (this.faults.get(fault) ?? 0) + 1);
    const stop = new AbortController();
    const loading = load(service, ledger, random, stop.signal);
    try {
      if (random() < 0.8) await this.#isBusy();
      await pause(20 + random() * random() * 3000);
      await cause(fault, { service, ledger, random, damage: this.#damage, disks });
      // A stopped process is ended by the next start.
      if (fault === "service" || fault === "stop" || random() < 0.6) await this.kill(() => stop.abort());
    } finally {
      stop.abort();
      disks?.free();
    }
    await loading;
  }

  /** Lets all queries end, and inspects what they leave. */
  async finish(): Promise<void> {
    const service = await this.#running();
    await cancelEndless(service, this.ledger);
    await this.#inspect(service, { untilIdle: true });
    await this.kill();
  }

  /**
   * Kills the service, and waits for its engine processes to end by themselves, except those that are stopped.
   * @param onKilled called when the service is gone.
   */
  async kill(onKilled?: () => void): Promise<void> {
    const service = this.#service;
    if (!service) return;
    this.#service = undefined;
    const tokens = tokensOf(service.directory);
    await killService(service);
    onKilled?.();
    const struck = this.#damage.processes;
    this.#noteOrphans(await orphansOf(() => processesWith(tokens).filter((pid) => !struck.has(pid))), "their service");
    this.#left = tokens;
  }

  async #running(): Promise<Service> {
    if (this.#service) return this.#service;
    const service = await startService(this.#options);
    this.#service = service;
    this.#noteOrphans(await orphansOf(() => processesWith(this.#left)), "the next start");
    return service;
  }

  /** Resolves when another submission has been accepted: before that, a kill hits nothing. Gives up after some time. */
  async #isBusy(): Promise<void> {
    const accepted = () => this.ledger.submissions.filter(({ id }) => id !== undefined).length;
    const before = accepted();
    for (const end = Date.now() + longestWait; accepted() === before && Date.now() < end;) await pause(20);
  }

  async #inspect(service: Service, options: { readonly untilIdle?: boolean } = {}): Promise<void> {
    const { ledger, findings } = this;
    const damage = this.#damage;
    this.#damage = noDamage();
    const queries = await inspect(service, ledger, rows, findings, options);
    completeVictims(service, damage);
    findings.collateral.push(...(await findCollateral(service, queries, ledger, damage, this.#seen)));
  }

  #noteOrphans(processes: readonly string[], outlived: string): void {
    for (const process of processes) this.findings.orphans.push(`${process} has outlived ${outlived}`);
  }
}

/** Mounts small disks for the state and for the results, where this machine permits it. */
function smallDisks({ directory, buckets }: ServiceOptions): SmallDisks | undefined {
  const disks = mountDisks([directory, join(buckets, "out")], diskMegabytes);
  if (typeof disks !== "string") return disks;
  console.error(`no round has a full disk: no small file system can be mounted (${disks})`);
  return undefined;
}

function prepare(buckets: string): void {
  for (const bucket of ["data", "out", "raw"]) mkdirSync(join(buckets, bucket), { recursive: true });
  const lines = Array.from({ length: rows }, (_, id) => `${id},row ${id}\n`).join("");
  mkdirSync(join(buckets, "data/events"));
  writeFileSync(join(buckets, "data/events/a.csv"), lines);
  writeFileSync(join(buckets, "raw/in.csv"), lines);
}

function pause(milliseconds: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, milliseconds));
}
