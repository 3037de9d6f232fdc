/** SQL of calls: the function's entry tells it. */
import type {
  AggregateFunction,
  ArgumentValues,
  ScalarFunction,
  TableFunction,
  WindowFunction,
} from "../functions/define";
import { callSite } from "../functions/site";
import { join, over, type Part, raw, sql } from "../sql/fragment";
import type { FunctionCall, LateralView } from "../tree/nodes";
import { blaming } from "../tree/facts";
import { inView } from "../tree/views";

/** Returns the SQL of a call. @throws HiveQLError for arguments of which the function has no SQL. */
export function callSql(call: FunctionCall): Part {
  const { site, type } = call;
  const values = valuesOf(call);
  const entry = call.function as ScalarFunction | AggregateFunction | WindowFunction | TableFunction;
  return within(call, () => {
    const helpers = callSite(site);
    switch (entry.kind) {
      case "scalar":
        return entry.emit?.(values, helpers, type) ?? sql`NULL`;
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

/** Tells an error in the query of a view at the place that names the view. */
function within<Result>({ arguments: values, site: { view } }: FunctionCall, emit: () => Result): Result {
  try {
    return emit();
  } catch (error) {
    const blamed = blaming(error, values);
    throw view ? inView(blamed, view) : blamed;
  }
}
