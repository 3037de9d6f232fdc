/** SQL of calls: the function's entry tells it. */
import type {
  AggregateFunction,
  ArgumentValues,
  ScalarFunction,
  TableFunction,
  WindowFunction,
} from "../functions/define";
import { callSite } from "../functions/site";
import { join, over, type Part, raw } from "../sql/fragment";
import type { FunctionCall, LateralView } from "../tree/nodes";
import { blaming } from "../tree/facts";
import { inStatement } from "../tree/views";

/** Returns the SQL of a call. @throws HiveQLError for arguments of which the function has no SQL. */
export function callSql(call: FunctionCall): Part {
  const { site, type } = call;
  const values = valuesOf(call);
  const entry = call.function as ScalarFunction | AggregateFunction | WindowFunction | TableFunction;
  return within(call, () => {
    const helpers = callSite(site);
    switch (entry.kind) {
      case "scalar":
        return entry.emit ? entry.emit(values, helpers, type) : entry.means(values, helpers, type);
      case "table":
        return entry.emit(values, helpers);
      default: {
        const { isDistinct, over: window, ordered = [], ignoresNulls } = call;
        const aggregate = {
          ...helpers,
          distinct: isDistinct ? "DISTINCT " : "",
          over: window ? over(window) : join([]),
          ordered,
          isWindow: window !== undefined,
          nulls: ignoresNulls ? " IGNORE NULLS" : "",
        };
        return entry.emit(values, aggregate, type);
      }
    }
  });
}

/** Returns the cells of a generated row, which is the element `hive_e` of the rows of a view. */
export function cellsSql({ rows: { node } }: LateralView): readonly Part[] {
  if (node.kind !== "call") return [];
  const entry = node.function as TableFunction;
  return within(node, () => entry.cells(raw("hive_e"), valuesOf(node), callSite(node.site)));
}

/** Required arguments of a call are always there: the binder counted them. */
const valuesOf = (call: FunctionCall) => call.arguments as unknown as ArgumentValues;

/** Notes in an error which inferred types may be to blame, and tells an error of a view where the statement names it. */
function within<Result>({ arguments: values, site: { view } }: FunctionCall, emit: () => Result): Result {
  try {
    return emit();
  } catch (error) {
    throw inStatement(blaming(error, values), view);
  }
}
