/** Tells a schedule: who did what when. */
import type { ScheduleResult } from "./schedule";

/** Returns the lines of the story. */
export function storyOf({ seed, violation, events, faults }: ScheduleResult): string[] {
  const lines = events.map(({ at, actor, text }) => `${(at / 1000).toFixed(3).padStart(10)} s  ${actor}: ${text}`);
  return [
    `schedule ${seed}, with ${faults.length} faults: ${violation?.message ?? "no guarantee is violated"}`,
    ...lines,
    `the same again: npm run simulate -- --schedules 1 --seed ${seed}`,
  ];
}
