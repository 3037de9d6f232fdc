/** SQL of literals. */
import type { Literal } from "../tree/nodes";
import { duckType, isText, quoteLiteral } from "../tree/types";

/** Returns the SQL of a literal, which has the DuckDB type of its Hive type. */
export function literalSql({ type, text }: Literal): string {
  if (text === null) return type.kind === "void" ? "NULL" : `CAST(NULL AS ${duckType(type)})`;
  if (isText(type)) return quoteLiteral(text);
  switch (type.kind) {
    case "boolean":
      return text.toUpperCase();
    case "float":
    case "double":
    case "decimal":
    case "date":
    case "timestamp":
      return `CAST('${text}' AS ${duckType(type)})`;
    default:
      return `CAST(${text} AS ${duckType(type)})`;
  }
}
