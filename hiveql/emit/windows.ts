/** SQL of windows: OVER. */
import type { FrameBound } from "../syntax";
import { join, raw, sql } from "../sql/fragment";
import type { Fragment, Part } from "../sql/fragment";
import type { Window } from "../tree/nodes";
import type { Frame } from "../tree/windows";
import { windowOrder } from "./order";
import { rangeOffset } from "./range-frames";

/** Returns ` OVER (…)`. */
export function overSql(window: Window): Fragment {
  const { partitionBy, orderBy, frame } = window;
  const parts: Part[] = [];
  if (partitionBy.length > 0) parts.push(sql`PARTITION BY ${join(partitionBy)}`);
  if (orderBy.length > 0) parts.push(sql`ORDER BY ${windowOrder(orderBy)}`);
  if (frame) parts.push(frameSql(frame, window));
  return sql` OVER (${join(parts, " ")})`;
}

function frameSql({ unit, start, end }: Frame, { orderBy: [key] }: Window): Fragment {
  const bound = (each: FrameBound, side: "start" | "end"): Part => {
    if (!("offset" in each)) return raw(each.kind.toUpperCase());
    const offset = unit === "range" && key ? rangeOffset(each, side, key) : raw(each.offset);
    return sql`${offset} ${each.kind.toUpperCase()}`;
  };
  return sql`${unit.toUpperCase()} BETWEEN ${bound(start, "start")} AND ${bound(end, "end")}`;
}
