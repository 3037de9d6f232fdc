/** Comparisons that Hive refuses: joins of booleans with other types, and, unless `hive.strict.checks.type.safety` is false, those that may lose digits. */
import { type Position, semantic } from "../syntax";
import type { SqlExpression } from "../emit/fragment";
import type { Settings } from "./settings";
import { type HiveType, isText, isVoid, typeName } from "./types";

/**
 * Checks the operands of one of Hive's comparing operators; BETWEEN, IN and CASE are none of them.
 * @throws HiveQLError where Hive would have to turn one of them into a double.
 */
export function checkTypeSafety(left: SqlExpression, right: SqlExpression, operator: string, position: Position, settings: Settings) {
  if (/^(=|<=>|USING)$/.test(operator) && mixesBooleans(left, right) && joins(left, right)) {
    const reason = `joins ${typeName(left.type)} with ${typeName(right.type)}, which Hive refuses: cast one of them to the other's type`;
    throw semantic(position, operator, reason);
  }
  if (!settings.typeSafety || (!losesDigits(left.type, right.type) && !losesDigits(right.type, left.type))) return;
  const reason = `compares ${typeName(left.type)} with ${typeName(right.type)}, which Hive refuses unless hive.strict.checks.type.safety is false: cast one of them to the other's type`;
  throw semantic(position, operator, reason);
}

function losesDigits(exact: HiveType, other: HiveType): boolean {
  if (exact.kind === "bigint") return other.kind === "double" || isText(other);
  return exact.kind === "decimal" && isText(other);
}

const mixesBooleans = ({ type: left }: SqlExpression, { type: right }: SqlExpression) =>
  (left.kind === "boolean") !== (right.kind === "boolean") && !isVoid(left) && !isVoid(right);

/** Whether the operands read columns of different relations. */
function joins(left: SqlExpression, right: SqlExpression): boolean {
  const [first, second] = [joinedRelations(left), joinedRelations(right)];
  return first.size > 0 && second.size > 0 && ![...first].some((name) => second.has(name));
}

const joinedRelations = ({ sql }: SqlExpression) => new Set([...sql.matchAll(/\b([a-z]+\d+)\.["\w]/g)].map(([, name]) => name));
