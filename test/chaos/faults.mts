/** What happens to the service and its engine processes while requests are sent. */
import { setTimeout as sleep } from "node:timers/promises";
import type { SmallDisks } from "./disk.mts";
import { cancel, type Ledger } from "./load.mts";
import { kill, lastQueryOf, processesWith, queriesByProcess, tokensOf } from "./processes.mts";
import type { Service } from "./service.mts";

/** A fault of a round. `service` is none but the end of the service. */
export type Fault = "service" | "process" | "cancel" | "stop" | "disk";

/** What a round did to the engine processes. */
export interface Damage {
  /** Queries whose process was killed or stopped; they may end with an error. */
  readonly victims: Set<number>;
  /** Processes that were killed or stopped; what they ran at that moment is read from the log later. */
  readonly processes: Set<number>;
  /** True when the disk was full, so that queries may end with that reason, and submissions may be refused. */
  diskWasFull: boolean;
}

export const noDamage = (): Damage => ({ victims: new Set(), processes: new Set(), diskWasFull: false });

/** Picks the fault of a round. */
export function pickFault(random: () => number, disks: SmallDisks | undefined): Fault {
  const choice = random();
  if (choice < 0.3) return "service";
  if (choice < 0.5) return "process";
  if (choice < 0.7) return "cancel";
  if (choice < 0.87 || disks === undefined) return "stop";
  return "disk";
}

/** The parts of a round that a fault needs. */
export interface FaultContext {
  readonly service: Service;
  readonly ledger: Ledger;
  readonly random: () => number;
  readonly damage: Damage;
  readonly disks: SmallDisks | undefined;
}

/** Causes the fault under load. Returns when the service may be killed. */
export async function cause(fault: Fault, context: FaultContext): Promise<void> {
  const { service, ledger, random, disks, damage } = context;
  switch (fault) {
    case "service":
      return;
    case "process":
      for (let left = 1 + Math.floor(random() * 3); left > 0; left -= 1) {
        const victim = await strike(context, "SIGKILL");
        if (victim) await sleep(random() * 300);
      }
      return;
    case "cancel": {
      const victim = await nextVictim(context);
      if (!victim) return;
      const cancelled = cancel(service, ledger, victim.queryId);
      await sleep(random() * 20);
      // Otherwise the service itself is killed now, while the query is being cancelled.
      if (random() < 0.5) return;
      strikeNow(context, victim, "SIGKILL");
      return cancelled;
    }
    case "stop": {
      const victim = await strike(context, "SIGSTOP");
      // Otherwise the service is killed while the process is stopped: the next start ends it.
      if (!victim || random() < 0.5) return;
      await cancel(service, ledger, victim.queryId);
      // It may have begun another query before it was stopped.
      return kill(victim.pid, "SIGKILL");
    }
    case "disk":
      damage.diskWasFull = true;
      disks!.fill(Math.floor(random() * 2));
      await sleep(300 + random() * 1000);
      return random() < 0.5 ? disks!.free() : undefined;
  }
}

/** Adds the queries that the struck processes ran at the end. */
export function completeVictims({ directory }: Service, { victims, processes }: Damage): void {
  for (const pid of processes) {
    const queryId = lastQueryOf(directory, pid);
    if (queryId !== undefined) victims.add(queryId);
  }
}

interface Victim {
  readonly pid: number;
  readonly queryId: number;
}

async function strike(context: FaultContext, signal: "SIGKILL" | "SIGSTOP"): Promise<Victim | undefined> {
  const victim = await nextVictim(context);
  if (victim) strikeNow(context, victim, signal);
  return victim;
}

function strikeNow({ damage }: FaultContext, { pid, queryId }: Victim, signal: "SIGKILL" | "SIGSTOP"): void {
  damage.victims.add(queryId);
  damage.processes.add(pid);
  kill(pid, signal);
}

/** Waits for a process that runs a query; undefined when there is none for two seconds. */
async function nextVictim({ service, random }: FaultContext): Promise<Victim | undefined> {
  for (const end = Date.now() + 2000; Date.now() < end; await sleep(20)) {
    const alive = new Set(processesWith(tokensOf(service.directory)));
    const running = [...queriesByProcess(service.directory)].filter(([pid]) => alive.has(pid));
    const found = running[Math.floor(random() * running.length)];
    if (found) return { pid: found[0], queryId: found[1] };
  }
  return undefined;
}
