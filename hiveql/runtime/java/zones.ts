/** Time zones as java.util.TimeZone names them. */
import { isZoneName } from "./zone-names";

/** Seconds east of UTC, or the name of a zone whose offset changes. */
export type Zone = number | string;

/** Names of zones with a fixed offset, in seconds. */
const fixed: Readonly<Record<string, number>> = { UTC: 0, GMT: 0, Z: 0, EST: -18_000, MST: -25_200, HST: -36_000 };

/** Returns the zone with a name; undefined when Java and DuckDB may disagree about the name. */
export function zoneNamed(name: string): Zone | undefined {
  if (Object.hasOwn(fixed, name)) return fixed[name];
  const custom = /^GMT([+-])(\d{1,2})(?::?(\d\d))?$/.exec(name);
  if (custom && Number(custom[2]) < 24 && Number(custom[3] ?? 0) < 60) {
    return (custom[1] === "-" ? -60 : 60) * (Number(custom[2]) * 60 + Number(custom[3] ?? 0));
  }
  return isZoneName(name) ? name : undefined;
}

/** Returns why a name is refused. Java reads unknown names as GMT, even misspelt ones and offsets without GMT. */
export function unknownZone(name: string): string {
  const [, offset] = /^(?:UTC?)?([+-]\d{1,2}(?::?\d\d)?)$/.exec(name) ?? [];
  return offset === undefined
    ? `has the unknown time zone ${name}: use a region such as Europe/Paris, or an offset such as GMT+8`
    : `has the time zone ${name}, which Hive reads as UTC: write GMT${offset}`;
}

/**
 * Returns the offset of a zone with a fixed offset, and NULL for other zones.
 * @throws Error for an unknown name.
 */
export function zoneSeconds(name: string): number | null {
  const zone = zoneNamed(name);
  if (zone === undefined) throw new Error(`HiveQL: a time zone function ${unknownZone(name)}`);
  return typeof zone === "number" ? zone : null;
}
