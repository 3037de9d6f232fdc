/**
 * Conditions that Hive 4.0.1 forgets. Where its optimizer plans a LATERAL VIEW without OUTER, its push-down drops each
 * condition that reads both what the view makes and what the view is made for, in that query and in those around it.
 */
import { type Expression, unsupported } from "../syntax";
import type { Environment, Shared } from "../bind/scope";
import { expression } from "../bind/expression";
import { columnPattern, type Fragment } from "../emit/fragment";
import type { Grouping } from "../bind/grouping";

/** Which lateral views a column comes from, as `1<` for the rows that view 1 is made for and `1>` for what it makes. */
export type ViewMarks = ReadonlySet<string>;

const unmarked: ViewMarks = new Set();

/** Marks the columns of a LATERAL VIEW; OUTER anywhere beside it makes Hive plan them without its optimizer. */
export function markView(shared: Shared, input: readonly Fragment[], made: readonly Fragment[], isOuter: boolean) {
  const { marks, settings } = shared;
  if (!settings.forgetsFilters) return;
  const view = shared.unique("");
  const before = input.map(({ sql }) => marks.get(sql) ?? unmarked);
  const wasOuter = before.some((known) => known.has(outer));
  for (const [index, { sql }] of input.entries())
    marks.set(sql, isOuter || wasOuter ? new Set([outer]) : new Set([...(before[index] ?? []), `${view}<`]));
  for (const { sql } of made) marks.set(sql, new Set([isOuter || wasOuter ? outer : `${view}>`]));
}

const outer = "outer";

/** The marks of all columns that a value reads for its own row. */
export function marksOf(value: Fragment, { marks }: Shared, grouping?: Grouping): ViewMarks {
  if (marks.size === 0 || /\bOVER\b/.test(value.sql)) return unmarked;
  return new Set(columnsOf(value).flatMap((column) => [...marksOfColumn(column, marks, grouping)]));
}

/**
 * @param only the columns of a side of a join that conditions are moved to; all where it is undefined.
 * @throws HiveQLError where Hive forgets the condition, or one of those that AND joins.
 */
export function refuseDroppedFilters(node: Expression, environment: Environment, only?: ReadonlySet<string>): void {
  const { marks } = environment.shared;
  if (marks.size === 0) return;
  if (node.kind === "logical" && node.operator === "and") {
    for (const operand of node.operands) refuseDroppedFilters(operand, environment, only);
    return;
  }
  const columns = columnsOf(expression(node, environment));
  if (only && columns.some((column) => !only.has(column))) return;
  const each = columns.map((column) => marksOfColumn(column, marks, environment.grouping));
  const views = new Set(
    each.flatMap((known) => [...known].filter((mark) => mark !== outer).map((mark) => mark.slice(0, -1))),
  );
  for (const view of views) {
    const [input, made] = [`${view}<`, `${view}>`];
    const isBoth = each.some((known) => known.has(input)) && each.some((known) => known.has(made));
    if (isBoth && each.every((known) => known.has(input) || known.has(made)))
      throw unsupported(
        node.position,
        `${environment.place} on LATERAL VIEW`,
        "reads both what the view makes and the rows it is made for, which Hive 4 forgets: write LATERAL VIEW OUTER, or set hive.optimize.ppd=false",
      );
  }
}

const columnsOf = ({ sql }: Fragment) => [...sql.matchAll(columnPattern)].map(([name]) => name);

function marksOfColumn(column: string, marks: ReadonlyMap<string, ViewMarks>, grouping: Grouping | undefined): ViewMarks {
  const known = marks.get(column);
  if (known || !grouping) return known ?? unmarked;
  const key = grouping.keyColumns().find(([name]) => name === column)?.[1];
  return key ? new Set(columnsOf(key).flatMap((name) => [...(marks.get(name) ?? unmarked)])) : unmarked;
}
