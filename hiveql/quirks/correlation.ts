/**
 * Conditions by which a subquery reads the query around it. Hive joins the two by equality of the columns that the
 * condition reads: where such a column is NULL it finds no row, also for conditions that would be true then.
 */
import { type Expression, unsupported } from "../syntax";
import type { Environment } from "../bind/scope";
import { expression } from "../bind/expression";
import { columnPattern, relationsOf } from "../emit/fragment";

/** How the query around uses a subquery. */
export type Use = "exists" | "not exists" | "in" | "not in" | "value";

/** @throws HiveQLError where a condition of the subquery may be true though a column of the query around it is NULL. */
export function checkLinks(node: Expression, environment: Environment, use: Use): void {
  if (node.kind === "logical" && node.operator === "and") {
    for (const operand of node.operands) checkLinks(operand, environment, use);
    return;
  }
  const { outer, reads } = columnsAround(node, environment);
  if (outer.size === 0) return;
  const isAlone = !reads && (use === "not exists" || use === "not in") && !isNameOrField(node);
  if (isAlone || !isStrict(node, environment, use))
    throw unsupported(
      node.position,
      "correlated condition",
      isAlone
        ? "reads the query around it alone, which Hive then filters: move it there"
        : "may be true where a column of the query around it is NULL, which Hive does not find: join the two instead",
    );
}

/** Whether a condition is not true where any of the outer columns that it reads is NULL. */
function isStrict(node: Expression, environment: Environment, use: Use): boolean {
  switch (node.kind) {
    case "name":
    case "field":
    case "like":
      return true;
    case "unary":
      return (
        node.operator === "not" &&
        (isNameOrField(node.operand) || (isComparison(node.operand) && node.operand.operator !== "<=>"))
      );
    case "binary":
      return node.operator === "<=>" ? use !== "value" && use !== "not in" : isComparison(node);
    case "between":
      return !node.not || columnsAround(node, environment).outer.size < 2;
    case "in":
      return node.not || columnsAround(node, environment).outer.size < 2;
    case "logical":
      return node.operator === "and" ? hasStrictPart(node, environment, use) : areStrict(node, environment, use);
    default:
      return false;
  }
}

type Logical = Extract<Expression, { kind: "logical" }>;

/** What AND joins is not true where one part is not: each outer column is read by a strict one. */
function hasStrictPart(node: Logical, environment: Environment, use: Use): boolean {
  const strict = node.operands.filter((operand) => isStrict(operand, environment, use));
  const covered = new Set(strict.flatMap((operand) => [...columnsAround(operand, environment).outer]));
  return [...columnsAround(node, environment).outer].every((column) => covered.has(column));
}

/** What OR joins is not true where no part is: each reads all outer columns, and is strict. */
function areStrict(node: Logical, environment: Environment, use: Use): boolean {
  const all = columnsAround(node, environment).outer.size;
  return node.operands.every(
    (operand) => isStrict(operand, environment, use) && columnsAround(operand, environment).outer.size === all,
  );
}

const isNameOrField = (node: Expression) => node.kind === "name" || node.kind === "field";

const comparisons: ReadonlySet<string> = new Set(["=", "<>", "<", "<=", ">", ">=", "<=>"]);

const isComparison = (node: Expression): node is Extract<Expression, { kind: "binary" }> =>
  node.kind === "binary" && comparisons.has(node.operator);

/** The columns of the query around that a condition reads, and whether it reads others too. */
function columnsAround(node: Expression, environment: Environment) {
  const value = expression(node, environment);
  const own = new Set(
    environment.sources.flatMap(({ columns }) => columns.flatMap((column) => relationsOf(column.value))),
  );
  const around = new Set<string>();
  for (let parent = environment.parent; parent; parent = parent.parent)
    for (const { columns } of parent.sources) for (const column of columns) around.add(column.value.sql);
  const names = [...value.sql.matchAll(columnPattern)].map(([name]) => name);
  return {
    outer: new Set(names.filter((name) => around.has(name))),
    reads: relationsOf(value).some((name) => own.has(name)),
  };
}
