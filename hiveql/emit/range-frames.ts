/**
 * SQL of RANGE frames with offsets. Rows at exactly the offset are in the frame for an outer bound (`n PRECEDING` as the
 * start, `n FOLLOWING` as the end), and outside of it for an inner bound (`n FOLLOWING` as the start, `n PRECEDING` as
 * the end). Hive measures the distance of decimals by its integer part, and of dates in days.
 */
import type { FrameBound } from "../syntax";
import { macro, raw, sql } from "../sql/fragment";
import type { Part } from "../sql/fragment";
import type { SortKey, Typed } from "../tree/nodes";
import type { HiveType } from "../tree/types";

const nullFailure =
  "error('HiveQL: a RANGE frame with an offset beside rows whose key is NULL, for which Hive has frames of its own: write NULLS LAST behind the key, and where that does not help, leave these rows out')";

/** Returns the number by which a frame measures the distances of a key. @param takesNull false to fail for NULL */
export const rangeKeySql = (value: Typed, takesNull: boolean): Part =>
  takesNull ? measureSql(value) : sql`coalesce(${measureSql(value)}, ${nullFailure})`;

function measureSql(value: Typed): Part {
  const { type } = value;
  switch (type.kind) {
    case "bigint":
      return macro("hive_range_bigint", value);
    case "date":
      return sql`CAST(${value} - DATE '1970-01-01' AS BIGINT)`;
    case "decimal":
      return sql`CAST(${macro("hive_range_decimal", value)} AS ${heldAs(type)})`;
    default:
      return sql`CAST(${value} AS BIGINT)`;
  }
}

/** Returns the offset of a bound in the number of the key. */
export function rangeOffset(
  { kind, offset }: Extract<FrameBound, { offset: string }>,
  side: "start" | "end",
  { value: { type } }: SortKey,
): Part {
  const isOutside = kind === (side === "start" ? "following" : "preceding");
  const amount = Number(offset);
  if (type.kind !== "decimal") return raw(`CAST(${amount + (isOutside ? 1 : 0)} AS BIGINT)`);
  const fraction = type.scale > 0 ? `.${"9".repeat(type.scale)}` : "";
  return raw(`CAST('${isOutside ? amount + 1 : `${amount}${fraction}`}' AS ${heldAs(type)})`);
}

const heldAs = (type: Extract<HiveType, { kind: "decimal" }>) => `DECIMAL(38,${type.scale})`;
