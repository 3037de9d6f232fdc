/** Time zones as java.util.TimeZone names them. */
import { zoneNames } from "./zone-names";

/** Seconds east of UTC, or the name of a zone whose offset changes. */
export type Zone = number | string;

/** Names that stand for one offset, in seconds. */
const fixed: Readonly<Record<string, number>> = { UTC: 0, GMT: 0, Z: 0, EST: -18_000, MST: -25_200, HST: -36_000 };

/** The zone of a name; undefined where it is not known to be the same in Java and here. */
export function zoneNamed(name: string): Zone | undefined {
  if (Object.hasOwn(fixed, name)) return fixed[name];
  const custom = /^GMT([+-])(\d{1,2})(?::?(\d\d))?$/.exec(name);
  if (custom && Number(custom[2]) < 24 && Number(custom[3] ?? 0) < 60) {
    return (custom[1] === "-" ? -60 : 60) * (Number(custom[2]) * 60 + Number(custom[3] ?? 0));
  }
  return zoneNames.has(name) ? name : undefined;
}

/** The offset of a zone that has one, NULL for others. @throws Error for a name that is not known. */
export function zoneSeconds(name: string): number | null {
  const zone = zoneNamed(name);
  if (zone === undefined) throw new Error(`HiveQL: ${name} is no time zone that the embedded engine knows`);
  return typeof zone === "number" ? zone : null;
}
