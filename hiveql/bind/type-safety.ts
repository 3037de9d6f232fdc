/**
 * Comparisons that Hive refuses: joins of booleans with other types, and comparisons that may lose digits unless
 * `hive.strict.checks.type.safety` is false.
 */
import { type Expression, type Position, semantic } from "../syntax";
import { relationsOf } from "../tree/facts";
import type { Typed } from "../tree/nodes";
import type { Settings } from "../settings";
import type { JoinKeys } from "./scope";
import { type HiveType, isText, typeName } from "../tree/types";
import { mixesBooleans } from "./comparison";

/**
 * Checks the operands of a comparison operator. Hive does not check BETWEEN, IN and CASE.
 * @throws HiveQLError when Hive would have to convert an operand to double.
 */
export function checkTypeSafety(left: Typed, right: Typed, operator: string, position: Position, settings: Settings) {
  if (["=", "<=>", "USING"].includes(operator) && mixesBooleans(left, right) && isJoinCondition(left, right)) {
    const reason = `joins ${typeName(left.type)} with ${typeName(right.type)}, which Hive refuses: cast one of them to the other's type`;
    throw semantic(position, operator, reason);
  }
  if (!settings.typeSafety || (!losesPrecision(left.type, right.type) && !losesPrecision(right.type, left.type)))
    return;
  const reason = `compares ${typeName(left.type)} with ${typeName(right.type)}, which Hive refuses unless hive.strict.checks.type.safety is false: cast one of them to the other's type`;
  throw semantic(position, operator, reason);
}

/**
 * Returns true for an equality of ON whose operands each read one side of the join. Hive makes keys of both, compares
 * them in their common type, and does not check whether digits may be lost.
 */
export function isJoinKey(node: Expression, left: Typed, right: Typed, keys: JoinKeys | undefined): boolean {
  if (!keys?.equalities.has(node) || mixesBooleans(left, right)) return false;
  const reads = (value: Typed, side: ReadonlySet<string>) => {
    const read = relationsOf(value);
    return read.length > 0 && read.every((relation) => side.has(relation));
  };
  return (reads(left, keys.left) && reads(right, keys.right)) || (reads(left, keys.right) && reads(right, keys.left));
}

function losesPrecision(exact: HiveType, other: HiveType): boolean {
  if (exact.kind === "bigint") return other.kind === "double" || isText(other);
  return exact.kind === "decimal" && isText(other);
}

/** Returns true when the operands read columns of different relations. */
function isJoinCondition(left: Typed, right: Typed): boolean {
  const [first, second] = [joinedRelations(left), joinedRelations(right)];
  return first.size > 0 && second.size > 0 && ![...first].some((name) => second.has(name));
}

const joinedRelations = (value: Typed) => new Set(relationsOf(value));
