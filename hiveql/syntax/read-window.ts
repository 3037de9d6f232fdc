/** Reads sort keys and windows. */
import * as grammar from "./grammar";
import { positionOf } from "./positions";
import type { FrameBound, OrderItem, WindowSpecification } from "./ast";
import { nameOf, readColumnPath, readExpression, readExpressions } from "./read-expression";

/** Reads the keys of ORDER BY and SORT BY. */
export function readOrderItems(items: readonly grammar.ColumnRefOrderContext[]): OrderItem[] {
  return items.map((item) => {
    const expression = item.expression();
    const nulls = item.nullOrdering();
    return {
      expression: expression ? readExpression(expression) : readColumnPath(item.columnName() ?? item),
      descending: item.orderSpecification()?.KW_DESC() != null,
      ...(nulls ? { nulls: nulls.KW_FIRST() ? ("first" as const) : ("last" as const) } : {}),
    };
  });
}

/** Reads what OVER or a window of WINDOW says. */
export function readWindow(context: grammar.Window_specificationContext): WindowSpecification {
  const position = positionOf(context);
  const base = context.id_();
  const spec = context.partitioningSpec();
  const frame = context.window_frame();
  const partition = spec?.partitionByClause()?.expressions() ?? spec?.distributeByClause()?.expressions();
  const cluster = spec?.clusterByClause()?.expressions();
  const order = spec?.orderByClause()?.columnRefOrder() ?? spec?.sortByClause()?.columnRefOrder() ?? [];
  const clustered = cluster ? readExpressions(cluster) : [];
  return {
    position,
    ...(base ? { base: nameOf(base) } : {}),
    partitionBy: partition ? readExpressions(partition) : clustered,
    orderBy: cluster ? clustered.map((expression) => ({ expression, descending: false })) : readOrderItems(order),
    ...(frame ? { frame: readFrame(frame) } : {}),
  };
}

function readFrame(context: grammar.Window_frameContext): NonNullable<WindowSpecification["frame"]> {
  const unit = context.KW_ROWS() ? "rows" : "range";
  const [start, end] = context.window_frame_boundary();
  if (start && end) return { unit, start: readBound(start), end: readBound(end) };
  const current: FrameBound = { kind: "current row" };
  if (context.KW_CURRENT()) return { unit, start: current, end: current };
  if (context.KW_UNBOUNDED()) return { unit, start: { kind: "unbounded preceding" }, end: current };
  return {
    unit,
    start: { kind: "preceding", offset: context.Number()?.getText() ?? "0" },
    end: current,
  };
}

function readBound(context: grammar.Window_frame_boundaryContext): FrameBound {
  if (context.KW_CURRENT()) return { kind: "current row" };
  const direction = context.KW_PRECEDING() ? "preceding" : "following";
  const offset = context.Number();
  return offset ? { kind: direction, offset: offset.getText() } : { kind: `unbounded ${direction}` };
}
