/** Window functions. */
import { sql } from "../sql/fragment";
import type { Typed } from "../tree/nodes";
import { duckType, typeName, types } from "../tree/types";
import { type AggregateSite, type CallSite, type ArgumentValues, window } from "./define";

const ranking = (name: string, returns: typeof types.int | typeof types.double) =>
  window(name, {
    signature: `${name}() OVER (…)`,
    takes: [],
    returns,
    emit: (_values, { over }) => sql`CAST(${name}()${over} AS ${duckType(returns)})`,
  });

const neighbour = (name: "lead" | "lag") =>
  window(name, {
    signature: `${name}(expr[, int offset[, expr default]]) OVER (…)`,
    doc:
      "the default offset is 1; `default` is converted to the type of `expr`" +
      (name === "lead" ? "; offset 0 is refused as in Hive: write the expression itself" : ""),
    takes: ["any", "constant", "any"],
    optional: 2,
    returns: (values) => values[0].type,
    emit: (values, { over, nulls, convert, invalid }, type) => {
      const offset = values.length > 1 ? rowCount(values[1], invalid) : 1;
      // Hive 4 accepts offset 0 only for lag.
      if (offset === 0 && name === "lead")
        throw invalid("expects a positive offset: write the expression itself for offset 0");
      const otherwise = values.length > 2 ? sql`, ${convert(values[2], type)}` : "";
      return sql`${name}(${convert(values[0], type)}, ${offset}${otherwise}${nulls})${over}`;
    },
  });

const valueAt = (name: "first_value" | "last_value") =>
  window(name, {
    signature: `${name}(expr[, boolean skipNulls]) OVER (…)`,
    takes: ["any", "constant"],
    optional: 1,
    framed: true,
    returns: (values) => values[0].type,
    emit: (values, site) => sql`${name}(${values[0]}${skipsNulls(values, site) ? " IGNORE NULLS" : ""})${site.over}`,
  });

export const windowFunctions = [
  ranking("row_number", types.int),
  ranking("rank", types.int),
  ranking("dense_rank", types.int),
  ranking("percent_rank", types.double),
  ranking("cume_dist", types.double),
  window("ntile", {
    signature: "ntile(int n) OVER (…)",
    takes: ["constant"],
    returns: types.int,
    emit: ([n], { over, invalid }) => {
      if (rowCount(n, invalid) < 1) throw invalid("expects a positive number");
      return sql`CAST(ntile(${Number(n.constant)})${over} AS INTEGER)`;
    },
  }),
  neighbour("lead"),
  neighbour("lag"),
  valueAt("first_value"),
  valueAt("last_value"),
];

/** Returns a number of rows; Hive accepts int and no other integer type. */
function rowCount({ type, constant }: Typed, invalid: CallSite["invalid"]): number {
  if (type.kind !== "int" || typeof constant !== "number" || constant < 0)
    throw invalid(
      `expects an int literal of 0 or more as number of rows${type.kind === "int" ? "" : `, got ${typeName(type)}`}`,
    );
  return constant;
}

function skipsNulls(values: ArgumentValues, site: AggregateSite): boolean {
  if (values.length > 1 && typeof values[1].constant !== "boolean")
    throw site.invalid("expects true or false as argument 2");
  return site.nulls !== "" || (values.length > 1 && values[1].constant === true);
}
