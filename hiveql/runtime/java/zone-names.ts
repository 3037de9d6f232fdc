/** Names of time zones with the same meaning in Java and DuckDB. */

/** Regions in the case in which they are written, because Java reads `europe/paris` as GMT. */
const region = /^(?:[A-Z][A-Za-z]+(?:\/[A-Z][a-z]+(?:[-_](?:[A-Z][a-z]*|of|es|au))*)+|Etc\/GMT[+-]\d{1,2})$/;

/** Regions of which Java 17 and DuckDB know different offsets. */
const uncertain: ReadonlySet<string> = new Set(["America/Coyhaique", "America/Tijuana"]);

/** Names without a region, and the regions that have been looked up. */
const known: Set<string> = new Set(
  `ACT AET AGT ART AST BET BST CAT CET CNT CST CST6CDT CTT Cuba EAT ECT EET EST EST5EDT Egypt Eire Etc/GMT Etc/UTC GB GMT GMT0
   Greenwich HST Hongkong IET IST Iceland Iran Israel JST Jamaica Japan Libya MET MIT MST MST7MDT NET NST NZ Navajo PLT
   PNT PRC PRT PST PST8PDT Poland Portugal ROK SST Singapore Turkey UCT UTC Universal VST WET Zulu`.split(/\s+/),
);

/** Returns true for the name of a time zone. */
export function isZoneName(name: string): boolean {
  if (known.has(name)) return true;
  if (!region.test(name) || uncertain.has(name)) return false;
  try {
    Intl.DateTimeFormat("en", { timeZone: name });
    known.add(name);
    return true;
  } catch (error) {
    if (error instanceof RangeError) return false;
    throw error;
  }
}
