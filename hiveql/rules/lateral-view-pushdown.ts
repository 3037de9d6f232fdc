/** Predicate pushdown below LATERAL VIEW. The optimizer of Hive 4.0.1 drops a condition that reads both columns of the view and columns of its input, in the same query and in queries around it. */
import type { ViewOrigins } from "../tree/row-facts";
import { columnsOf, contains } from "../tree/facts";
import { keyOf } from "../tree/same";
import { type Expression, unsupported } from "../syntax";
import { expression, type Grouping, type Scope, type TranslationContext } from "../bind/scope";
import type { Part } from "../tree/nodes";
import type { Quirk } from "../quirks/quirk";

export const rule: Quirk = {
  id: "lateral-view-pushdown",
  hive: "4.0.1",
  title:
    "Predicate pushdown below LATERAL VIEW. The optimizer of Hive 4.0.1 drops a condition that reads both columns of the view and columns of its input, in the same query and in queries around it",
  why: "LATERAL VIEW OUTER is not affected.",
  example: "`SELECT p.id FROM p LATERAL VIEW explode(p.a) v AS x WHERE v.x > p.id` answers all rows.",
  refuses: "The translation tracks which lateral view each column comes from and refuses such conditions.",
};

const noOrigins: ViewOrigins = new Set();

/** Records the origins of a LATERAL VIEW's columns. With OUTER in any of its views, Hive does not use its optimizer. */
export function recordViewOrigins(
  context: TranslationContext,
  input: readonly Part[],
  generated: readonly Part[],
  isOuter: boolean,
) {
  const { viewOrigins, settings } = context;
  if (!settings.dropsLateralViewFilters) return;
  const view = context.uniqueName("");
  const before = input.map((column) => viewOrigins.get(keyOf(column)) ?? noOrigins);
  const wasOuter = before.some((known) => known.has(outer));
  for (const [index, column] of input.entries())
    viewOrigins.set(
      keyOf(column),
      isOuter || wasOuter ? new Set([outer]) : new Set([...(before[index] ?? []), `${view}<`]),
    );
  for (const column of generated) viewOrigins.set(keyOf(column), new Set([isOuter || wasOuter ? outer : `${view}>`]));
}

const outer = "outer";

/** Returns the origins of all columns that a value reads; none for window functions. */
export function viewOriginsOf(value: Part, { viewOrigins }: TranslationContext, grouping?: Grouping): ViewOrigins {
  if (viewOrigins.size === 0 || contains(value, "window")) return noOrigins;
  return new Set(
    [...columnsOf(value).keys()].flatMap((column) => [...viewOriginsOfColumn(column, viewOrigins, grouping)]),
  );
}

/**
 * Refuses conditions that Hive drops.
 * @param only checks only conditions on these columns: the side of a join that Hive pushes conditions to.
 * @throws HiveQLError when Hive drops the condition or an operand of its AND.
 */
export function refuseDroppedFilters(node: Expression, scope: Scope, only?: ReadonlySet<string>): void {
  const { viewOrigins } = scope.context;
  if (viewOrigins.size === 0) return;
  if (node.kind === "logical" && node.operator === "and") {
    for (const operand of node.operands) refuseDroppedFilters(operand, scope, only);
    return;
  }
  const columns = [...columnsOf(expression(node, scope)).keys()];
  if (only && columns.some((column) => !only.has(column))) return;
  const each = columns.map((column) => viewOriginsOfColumn(column, viewOrigins, scope.grouping));
  const views = new Set(
    each.flatMap((known) => [...known].filter((mark) => mark !== outer).map((mark) => mark.slice(0, -1))),
  );
  for (const view of views) {
    const [input, generated] = [`${view}<`, `${view}>`];
    const readsBoth = each.some((known) => known.has(input)) && each.some((known) => known.has(generated));
    if (readsBoth && each.every((known) => known.has(input) || known.has(generated)))
      throw unsupported(
        node.position,
        `${scope.clause} on LATERAL VIEW`,
        "reads both columns of the view and columns of its input, and Hive 4 drops such a condition: write LATERAL VIEW OUTER, or set hive.optimize.ppd=false",
      );
  }
}

function viewOriginsOfColumn(
  column: string,
  origins: ReadonlyMap<string, ViewOrigins>,
  grouping: Grouping | undefined,
): ViewOrigins {
  const known = origins.get(column);
  if (known || !grouping) return known ?? noOrigins;
  const key = grouping.keyColumns().find(([name]) => name === column)?.[1];
  return key ? new Set([...columnsOf(key).keys()].flatMap((name) => [...(origins.get(name) ?? noOrigins)])) : noOrigins;
}
