/** Pulumi's customTimeouts, which are durations as Go writes them. */
import { RunError, type CustomTimeouts } from "@pulumi/pulumi";
import type { Timeouts } from "./hidden";

const unitMilliseconds: Readonly<Record<string, number>> = {
  ns: 1e-6,
  us: 1e-3,
  µs: 1e-3,
  ms: 1,
  s: 1_000,
  m: 60_000,
  h: 3_600_000,
};

/**
 * The timeouts in milliseconds; undefined where none is set.
 * @throws {RunError} naming the resource and the timeout that cannot be read.
 */
export function parseTimeouts(kind: string, name: string, timeouts: CustomTimeouts | undefined): Timeouts | undefined {
  const found: { -readonly [Key in keyof Timeouts]: Timeouts[Key] } = {};
  for (const operation of ["create", "update", "delete"] as const) {
    const text = timeouts?.[operation];
    if (!text) continue;
    const milliseconds = parseDuration(text);
    if (milliseconds === undefined) {
      throw new RunError(
        `${kind} "${name}": customTimeouts.${operation} "${text}" must be a duration such as "1h30m" or "90s"`,
      );
    }
    found[operation] = milliseconds;
  }
  return Object.keys(found).length > 0 ? found : undefined;
}

/** Milliseconds of a duration such as `1h30m`; undefined where the text is none, or is not above 0. */
export function parseDuration(text: string): number | undefined {
  if (!/^(\d+(\.\d+)?(ns|us|µs|ms|s|m|h))+$/.test(text)) return undefined;
  let total = 0;
  for (const [, amount, unit] of text.matchAll(/(\d+(?:\.\d+)?)(ns|us|µs|ms|s|m|h)/g)) {
    total += Number(amount) * unitMilliseconds[unit!]!;
  }
  return total >= 1 ? Math.round(total) : undefined;
}
