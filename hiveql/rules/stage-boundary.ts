/** What comes out of a stage of Hive's that groups or sorts rows. */
import { type Fragment, macro } from "../emit/fragment";
import type { HiveType } from "../bind/types";

/** A value as the next stage reads it: dates and times of years that it cannot read fail the query. */
export function stageBoundary(value: Fragment, type: HiveType): Fragment {
  if (type.kind === "date") return macro("hive_date_handed_on", value);
  return type.kind === "timestamp" ? macro("hive_timestamp_handed_on", value) : value;
}
