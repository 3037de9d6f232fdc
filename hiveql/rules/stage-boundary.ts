/**
 * Output of a stage that groups or sorts rows. Hive 4.0.1 writes dates and timestamps as text between the stages of a
 * query, and reads NULL or another year for years that the text cannot hold.
 * Example: `SELECT max(d) FROM t` of the date +10000-01-01 answers NULL or another date.
 * The translation fails the query for such dates and timestamps.
 */
import { macro } from "../tree/fragment";
import type { Part } from "../tree/nodes";
import type { HiveType } from "../tree/types";

/** Returns a value as the next stage reads it: dates and timestamps of unreadable years fail the query. */
export function stageBoundary(value: Part, type: HiveType): Part {
  if (type.kind === "date") return macro("hive_date_handed_on", value);
  return type.kind === "timestamp" ? macro("hive_timestamp_handed_on", value) : value;
}
