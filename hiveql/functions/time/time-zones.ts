/** Conversions between UTC and time zones with Java's names. */
import { macro, sql } from "../../sql/fragment";
import type { Part } from "../../sql/fragment";
import { quoteLiteral } from "../../tree/types";
import { unknownZone, type Zone, zoneNamed } from "../../runtime/java/zones";
import type { CallSite } from "../define";

/**
 * Converts a UTC TIMESTAMP to the local time of a zone.
 * @throws HiveQLError for an unknown zone name.
 */
export function utcToLocal(value: Part, name: string, call: CallSite): Part {
  const zone = zoneOf(name, call);
  if (typeof zone === "number") return sql`(${value} + to_seconds(${zone}))`;
  return macro("hive_zone_local", value, quoteLiteral(zone));
}

/** Converts the local time of a zone to UTC; for an ambiguous local time it uses the earlier moment. */
export function localToUtc(value: Part, name: string, call: CallSite): Part {
  const zone = zoneOf(name, call);
  if (typeof zone === "number") return sql`(${value} - to_seconds(${zone}))`;
  return macro("hive_zone_to_utc", value, quoteLiteral(zone));
}

function zoneOf(name: string, call: CallSite): Zone {
  const zone = zoneNamed(name);
  if (zone === undefined) throw call.refused(unknownZone(name));
  return zone;
}
