/** Time zones by the names that Java knows. */
import { type Fragment, macro, raw, sql } from "../fragment";
import { quoteString } from "../types";
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

/** Names of Java that stand for one offset, in seconds. */
const fixed: Readonly<Record<string, number>> = { UTC: 0, GMT: 0, Z: 0, EST: -18_000, MST: -25_200, HST: -36_000 };
const short: Readonly<Record<string, string>> = {
  PST: "America/Los_Angeles",
  CST: "America/Chicago",
  JST: "Asia/Tokyo",
};

/** Seconds east of UTC, or the name of a region. */
function zoneOf(name: string, call: CallSite): number | string {
  if (Object.hasOwn(fixed, name)) return fixed[name] ?? 0;
  if (Object.hasOwn(short, name)) return short[name] ?? "";
  const custom = /^GMT([+-])(\d{1,2})(?::?(\d\d))?$/.exec(name);
  if (custom && Number(custom[2]) < 24 && Number(custom[3] ?? 0) < 60) {
    return (custom[1] === "-" ? -60 : 60) * (Number(custom[2]) * 60 + Number(custom[3] ?? 0));
  }
  // Java takes any other name for GMT, a misspelt one too: better refuse it.
  if (!/^[A-Z][A-Za-z]+(?:\/[A-Z][A-Za-z]+(?:[_-][A-Za-z]+)*)+$/.test(name) || !isRegion(name)) {
    throw call.refused(
      `has ${name}, which is no time zone that the embedded engine knows; write a region such as Europe/Paris`,
    );
  }
  return name;
}

function isRegion(name: string): boolean {
  try {
    return new Intl.DateTimeFormat("en", { timeZone: name }).resolvedOptions().timeZone !== "";
  } catch {
    return false;
  }
}
