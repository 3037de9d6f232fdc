/** What happens to the processes, to their engines and to the database. */
import { setTimeout as sleep } from "node:timers/promises";
import { descendantsOf } from "../../../tools/quickstart/process-tree.mts";
import { kill, lastQueriesOf } from "../processes.mts";
import { killService } from "../service.mts";
import { processCount, type Member, type Processes } from "./processes.mts";

/** Kinds of faults, with how often each is chosen. */
const kinds = {
  "kill -9 of a service": 8,
  "kill -9 of an engine": 5,
  "kill -9 of the database": 3,
  "SIGSTOP past the lease": 3,
  "SIGTERM of a service": 1,
} as const;

export type Fault = keyof typeof kinds;

/** Milliseconds for which a process is stopped: longer than its lease of ten seconds. */
const stopped = 13_000;
/** Milliseconds that a fault waits for a process that runs queries. */
const patience = 15_000;

export class Faults {
  /** How often each fault happened, and how many queries its process ran then. */
  readonly counts = new Map<Fault, number>();
  readonly inFlight: number[] = [];
  /** Queries whose engine process was killed: they may end with an error. */
  readonly #struck = new Set<number>();
  /** What goes on beside the next rounds: processes that start again. */
  readonly #pending = new Set<Promise<void>>();

  readonly #processes: Processes;
  readonly #random: () => number;

  constructor(processes: Processes, random: () => number) {
    this.#processes = processes;
    this.#random = random;
  }

  pick(): Fault {
    const all = Object.entries(kinds).flatMap(([kind, weight]) => Array<Fault>(weight).fill(kind as Fault));
    return all[Math.floor(this.#random() * all.length)]!;
  }

  /** Waits until there is work, and causes the fault. */
  async cause(fault: Fault): Promise<void> {
    const victim = await this.#busy();
    const { service, runner } = victim;
    const { records, database } = this.#processes;
    this.counts.set(fault, (this.counts.get(fault) ?? 0) + 1);
    this.inFlight.push(records.runBy(runner).length);
    switch (fault) {
      case "kill -9 of a service":
        return this.#endAndStart(
          victim,
          () => killService(service),
          this.#random() < 0.3 ? 0 : this.#random() * 12_000,
        );
      case "SIGTERM of a service":
        return this.#endAndStart(victim, () => terminate(victim), this.#random() * 4000);
      case "kill -9 of an engine": {
        const engines = descendantsOf(service.process.pid!);
        const engine = engines[Math.floor(this.#random() * engines.length)];
        if (engine === undefined) return;
        kill(engine, "SIGKILL");
        // Its log is written by the service, and says which query it ran.
        await sleep(300);
        for (const id of lastQueriesOf(service.directory, engine)) this.#struck.add(id);
        return;
      }
      case "kill -9 of the database":
        await database.kill();
        await sleep(this.#random() * 3000);
        return database.start();
      case "SIGSTOP past the lease":
        this.#processes.remove(victim);
        service.process.kill("SIGSTOP");
        records.hasGone(runner);
        return this.#beside(async () => {
          await sleep(stopped);
          service.process.kill("SIGCONT");
          records.isBack(runner);
          this.#processes.members.push(victim);
        });
    }
  }

  /** Returns true when an engine process of the query was killed. */
  hasStruck(id: number): boolean {
    return this.#struck.has(id);
  }

  /** Waits until all processes are there again. */
  async settle(): Promise<void> {
    while (this.#pending.size > 0) await Promise.all(this.#pending);
  }

  /** Ends a process, and starts it again later, beside what happens then. */
  async #endAndStart(victim: Member, end: () => Promise<void>, pause: number): Promise<void> {
    this.#processes.remove(victim);
    this.#processes.records.hasGone(victim.runner);
    await end();
    this.#beside(async () => {
      await sleep(pause);
      await this.#processes.begin(victim.index);
    });
  }

  #beside(work: () => Promise<void>): void {
    const pending = work().finally(() => this.#pending.delete(pending));
    this.#pending.add(pending);
  }

  /** Waits for a process that runs queries and is not the last one. */
  async #busy(): Promise<Member> {
    const { members, records } = this.#processes;
    for (const end = Date.now() + patience; ; await sleep(50)) {
      const busy = members.filter(({ runner }) => records.runBy(runner).length > 0);
      const found = busy[Math.floor(this.#random() * busy.length)];
      if (found && members.length >= processCount - 1) return found;
      const last = members[Math.floor(this.#random() * members.length)];
      if (Date.now() > end && members.length >= processCount - 1 && last) return last;
    }
  }
}

async function terminate({ service: { process: child } }: Member): Promise<void> {
  const ended = new Promise((resolve) => child.once("exit", resolve));
  child.kill("SIGTERM");
  await ended;
}
