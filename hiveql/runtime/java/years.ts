/** Years as Java's date formats write them. */

/** Writes a year with four digits at least, and with a sign when it has more or is below zero. */
export function longYear(year: bigint): string {
  const digits = String(year < 0n ? -year : year).padStart(4, "0");
  return `${year < 0n ? "-" : year > 9999n ? "+" : ""}${digits}`;
}
