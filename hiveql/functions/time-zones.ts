/** Conversions between UTC and time zones with Java's names. */
import { type Fragment, macro, raw, sql } from "../emit/fragment";
import { quoteLiteral } from "../bind/types";
import { type Zone, zoneNamed } from "../runtime/java/zones";
import type { CallSite } from "./define";

/**
 * Converts a UTC TIMESTAMP to the local time of a zone.
 * @throws HiveQLError for an unknown zone name.
 */
export function utcToLocal(value: Fragment, name: string, call: CallSite): Fragment {
  const zone = zoneOf(name, call);
  if (typeof zone === "number") return sql`(${value} + to_seconds(${zone}))`;
  return macro("hive_zone_local", value, raw(quoteLiteral(zone)));
}

/** Converts the local time of a zone to UTC; for an ambiguous local time it uses the earlier moment. */
export function localToUtc(value: Fragment, name: string, call: CallSite): Fragment {
  const zone = zoneOf(name, call);
  if (typeof zone === "number") return sql`(${value} - to_seconds(${zone}))`;
  return macro("hive_zone_to_utc", value, raw(quoteLiteral(zone)));
}

function zoneOf(name: string, call: CallSite): Zone {
  const zone = zoneNamed(name);
  // Java treats unknown names, even misspelt ones, as GMT; that is refused.
  if (zone === undefined) throw call.refused(`has the unknown time zone ${name}: use a region such as Europe/Paris`);
  return zone;
}
