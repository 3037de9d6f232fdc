/** Time zones by the names that Java knows. */
import { type Fragment, macro, raw, sql } from "../emit/fragment";
import { quoteString } from "../bind/types";
import { type Zone, zoneNamed } from "../runtime/java/zones";
import type { CallSite } from "./define";

/** A TIMESTAMP of UTC as the local time of a zone. @throws HiveQLError for a name that the engine does not know. */
export function fromUtc(value: Fragment, name: string, call: CallSite): Fragment {
  const zone = zoneOf(name, call);
  if (typeof zone === "number") return sql`(${value} + to_seconds(${zone}))`;
  return macro("hive_zone_local", value, raw(quoteString(zone)));
}

/** The reverse: where clocks went back the earlier of two moments counts. */
export function toUtc(value: Fragment, name: string, call: CallSite): Fragment {
  const zone = zoneOf(name, call);
  if (typeof zone === "number") return sql`(${value} - to_seconds(${zone}))`;
  return macro("hive_zone_to_utc", value, raw(quoteString(zone)));
}

function zoneOf(name: string, call: CallSite): Zone {
  const zone = zoneNamed(name);
  // Java takes any other name for GMT, a misspelt one too: better refuse it.
  if (zone === undefined)
    throw call.refused(
      `has ${name}, which is no time zone that the embedded engine knows; write a region such as Europe/Paris`,
    );
  return zone;
}
