/** Parses Pulumi's customTimeouts, which use Go's duration syntax. */
import type { CustomTimeouts } from "@pulumi/pulumi";
import { runError } from "./run-error";
import type { OperationTimeouts } from "./resource-metadata";

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
 * Returns the timeouts in milliseconds; undefined if none is set.
 * @throws {RunError} that names the resource and the invalid timeout.
 */
export function parseTimeouts(
  kind: string,
  name: string,
  timeouts: CustomTimeouts | undefined,
): OperationTimeouts | undefined {
  const found: { -readonly [Key in keyof OperationTimeouts]: OperationTimeouts[Key] } = {};
  for (const operation of ["create", "update", "delete"] as const) {
    const text = timeouts?.[operation];
    if (!text) continue;
    const milliseconds = parseDuration(text);
    if (milliseconds === undefined) {
      throw runError(
        `${kind} "${name}": customTimeouts.${operation} "${text}" must be a duration such as "1h30m" or "90s"`,
      );
    }
    found[operation] = milliseconds;
  }
  return Object.keys(found).length > 0 ? found : undefined;
}

/**
 * Parses a duration such as `1h30m` into milliseconds. Returns undefined for invalid text and for durations below 1 ms.
 */
export function parseDuration(text: string): number | undefined {
  if (!/^(\d+(\.\d+)?(ns|us|µs|ms|s|m|h))+$/.test(text)) return undefined;
  let total = 0;
  for (const [, amount, unit] of text.matchAll(/(\d+(?:\.\d+)?)(ns|us|µs|ms|s|m|h)/g)) {
    total += Number(amount) * unitMilliseconds[unit!]!;
  }
  return total >= 1 ? Math.round(total) : undefined;
}
