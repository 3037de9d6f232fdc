/** Output of a stage that groups or sorts rows. */
import { macro } from "../tree/fragment";
import type { Part } from "../tree/nodes";
import type { HiveType } from "../tree/types";
import type { Quirk } from "./quirk";

export const quirk: Quirk = {
  id: "stage-boundary",
  hive: "4.0.1",
  title: "Output of a stage that groups or sorts rows",
  why: "Hive 4.0.1 writes dates and timestamps as text between the stages of a query, and reads NULL or another year for years that the text cannot hold.",
  example: "`SELECT max(d) FROM t` of the date +10000-01-01 answers NULL or another date.",
  refuses: "The translation fails the query for such dates and timestamps.",
};

/** Returns a value as the next stage reads it: dates and timestamps of unreadable years fail the query. */
export function stageBoundary(value: Part, type: HiveType): Part {
  if (type.kind === "date") return macro("hive_date_handed_on", value);
  return type.kind === "timestamp" ? macro("hive_timestamp_handed_on", value) : value;
}
