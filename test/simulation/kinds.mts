/**
 * A long schedule has one service, and up to two deployments with all their resources or three callers. A short one has
 * one small program or two callers, and more faults a step: many of them meet more orders in the same time. In a shared
 * one, several services share a state in PostgreSQL.
 */
export type Kind = "short" | "long" | "shared";

/** Every so many seeds one schedule is of this kind, and the others are short. */
const every = { long: 20, shared: 200 } as const;

/** The first seed of each kind. */
const first = { long: 0, shared: 10 } as const;

/** Returns the kind of a schedule. */
export function kindOf(seed: number): Kind {
  if (seed % every.shared === first.shared) return "shared";
  return seed % every.long === first.long ? "long" : "short";
}

/** Returns the seeds of one kind, from a number on: the first, and the step to the next. */
export function seedsOf(kind: "long" | "shared", from: number): { readonly seed: number; readonly step: number } {
  const step = every[kind];
  return { seed: Math.ceil(from / step) * step + first[kind], step };
}
