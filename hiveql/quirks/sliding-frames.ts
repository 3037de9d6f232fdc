/** Sums and averages over frames that slide. */
import { type Position, unsupported } from "../syntax";
import type { Frame } from "../tree/windows";
import type { Quirk } from "./quirk";

export const quirk: Quirk = {
  id: "sliding-frames",
  hive: "4.0.1",
  title: "Sums and averages over frames that slide",
  why: "Hive 4.0.1 updates them from one frame to the next. When only NULLs are left in a frame, a sum over RANGE is 0 or NULL, and an average of doubles over ROWS is NaN or NULL, depending on vectorized execution; rows with a NULL key have frames of their own when a frame begins after the row, or ends before it.",
  example:
    "`sum(x) OVER (ORDER BY k RANGE BETWEEN CURRENT ROW AND 1 FOLLOWING)` answers 0 or NULL when all `x` are NULL.",
  refuses:
    "The translation fails the query when a frame has only NULLs, or a key is NULL in such a frame, and refuses lag and lead inside of a function whose frame ends at UNBOUNDED FOLLOWING.",
};

export const sumOfNulls =
  "HiveQL: sum over a RANGE frame in which only NULLs are left, which is 0 or NULL in Hive: remove NULLs in a subquery";

export const meanOfNulls =
  "HiveQL: avg over ROWS in which only NULLs are left, which is NaN or NULL in Hive depending on vectorization: divide sum by count, or remove NULLs in a subquery";

/** Returns the failure for a NULL key where Hive gives it a frame of its own. */
export const nullKeys = (name: string): string =>
  `HiveQL: ${name} over a RANGE frame with NULL keys, for which Hive has frames of its own: remove them`;

/** @throws HiveQLError for lag or lead inside of a function whose frame is open at its end. */
export function refuseLagInOpenFrame(frame: Pick<Frame, "end"> | undefined, position: Position, name: string): void {
  if (frame?.end.kind === "unbounded following")
    throw unsupported(
      position,
      `function ${name}`,
      "is used inside of a function whose frame ends at UNBOUNDED FOLLOWING: compute it in a subquery",
    );
}
