/** Keys of map columns. */
import { type Position, unsupported } from "../syntax";
import { isColumn } from "../tree/facts";
import type { Typed } from "../tree/nodes";
import { sameType } from "../tree/types";
import type { Quirk } from "./quirk";

export const quirk: Quirk = {
  id: "map-keys",
  hive: "4.0.1",
  title: "Columns as keys of map columns",
  why: "Hive 4.0.1 looks a column up in a map column of a text table by its unread bytes, and finds nothing.",
  example: "`SELECT m[k] FROM t` answers NULL for a map that contains `k`, and `m[concat(k)]` its value.",
  refuses: "The translation refuses a column as the key of a map column.",
};

/** @throws HiveQLError when a map and its key are both columns. */
export function refuseColumnAsKey(map: Typed, key: Typed, position: Position): void {
  if (map.type.kind === "map" && isColumn(map) && isColumn(key) && sameType(map.type.key, key.type))
    throw unsupported(
      position,
      "key",
      "is a plain column, which Hive does not find in a map column of a text table: write an expression, such as m[concat(k)] or m[k + 0]",
    );
}
