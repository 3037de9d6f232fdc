/** Keys of map columns. */
import { type Position, unsupported } from "../syntax";
import type { Typed } from "../tree/nodes";
import { sameType } from "../tree/types";
import type { Quirk } from "./quirk";

export const quirk: Quirk = {
  id: "map-keys",
  hive: "4.0.1",
  title: "Columns as keys of map columns",
  why: "Hive 4.0.1 looks a column, or an element of one, up in a map column of a text table by its unread bytes, and finds nothing.",
  example: "`SELECT m[k] FROM t` answers NULL for a map that contains `k`, and `m[concat(k)]` its value.",
  refuses:
    "The translation refuses a column, also one of LATERAL VIEW, and an element or field of one as the key of a map column.",
};

/** Returns true for a column, and for an element or a field of one. */
const isRead = ({ node }: Typed): boolean =>
  node.kind === "column"
    ? node.of === "rows" || node.of === "view"
    : (node.kind === "element" || node.kind === "field") && isRead(node.operands[0]);

/** @throws HiveQLError when a map and its key are both read and not computed. */
export function refuseColumnAsKey(map: Typed, key: Typed, position: Position): void {
  if (map.type.kind === "map" && isRead(map) && isRead(key) && sameType(map.type.key, key.type))
    throw unsupported(
      position,
      "key",
      "is a column or an element of one, which Hive does not find in a map column of a text table: write an expression, such as m[concat(k)] or m[k + 0]",
    );
}
