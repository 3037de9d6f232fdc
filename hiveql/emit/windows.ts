/** SQL of windows: OVER, and the tests of frames in which Hive's result is uncertain. */
import type { FrameBound } from "../syntax";
import { join, over, raw, sql } from "../tree/fragment";
import type { Fragment, Part, Typed, Window, WindowCheck } from "../tree/nodes";
import type { Frame } from "../tree/windows";
import { quoteLiteral } from "../tree/types";
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

/** Returns the SQL of a value that fails the query when a test of its window does. */
export const checkedWindowSql = (value: Typed, check: WindowCheck, failure: string): Fragment =>
  sql`CASE WHEN ${checkSql(check)} THEN error(${quoteLiteral(failure)}) ELSE ${value} END`;

function checkSql(check: WindowCheck): Part {
  if (check.kind === "null keys") return sql`bool_or(${check.key} IS NULL)${over(check.window)}`;
  const { counted, key, window, before } = check;
  const known = key ? sql`${key} IS NOT NULL AND ` : "";
  const count = (rows: Window) => sql`count(${counted})${over(rows)}`;
  return sql`${known}${count(window)} = 0 AND count(*)${over(window)} > 0 AND ${count(before)} > 0`;
}
