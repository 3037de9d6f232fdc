/** Finds the fewest faults with which a schedule still violates the same guarantee. */
import { runSchedule, type ScheduleResult } from "./schedule";

/** Returns the schedule with as few faults as possible, told. */
export function shrunk({ seed, violation }: ScheduleResult): ScheduleResult {
  const omitted = new Set<number>();
  const isSame = (without: ReadonlySet<number>) =>
    runSchedule(seed, { omitted: without }).violation?.invariant === violation!.invariant;
  let candidates = runSchedule(seed).faults;
  for (let hasShrunk = true; hasShrunk;) {
    hasShrunk = false;
    for (const fault of candidates.toReversed()) {
      if (omitted.has(fault) || !isSame(new Set([...omitted, fault]))) continue;
      omitted.add(fault);
      hasShrunk = true;
    }
    candidates = runSchedule(seed, { omitted }).faults;
  }
  return runSchedule(seed, { omitted, isTold: true });
}
