/** Arrow's null within lists, maps and structs, which DuckDB reads as a number. */
import { DuckDBListType, DuckDBMapType, DuckDBStructType, SQLNULL, type DuckDBType } from "@duckdb/node-api";

/**
 * Returns a type with SQL's NULL in the place of Arrow's.
 * @param nulls of each type that has none inside of it, in their order, true for Arrow's null
 */
export function withNulls(type: DuckDBType, nulls: readonly boolean[]): DuckDBType {
  if (!nulls.includes(true) || leaves(type) !== nulls.length) return type;
  let next = 0;
  const replaced = (inner: DuckDBType): DuckDBType => {
    if (inner instanceof DuckDBListType) return new DuckDBListType(replaced(inner.valueType));
    if (inner instanceof DuckDBMapType) return new DuckDBMapType(replaced(inner.keyType), replaced(inner.valueType));
    if (inner instanceof DuckDBStructType)
      return new DuckDBStructType(inner.entryNames, inner.entryTypes.map(replaced));
    next += 1;
    return nulls[next - 1] === true ? SQLNULL : inner;
  };
  return replaced(type);
}

/** Returns the number of the types within a type that have none inside of them. */
function leaves(type: DuckDBType): number {
  if (type instanceof DuckDBListType) return leaves(type.valueType);
  if (type instanceof DuckDBMapType) return leaves(type.keyType) + leaves(type.valueType);
  if (type instanceof DuckDBStructType) return type.entryTypes.reduce((sum, inner) => sum + leaves(inner), 0);
  return 1;
}

/** Returns true when a type is SQL's NULL, or contains it. */
export function holdsNulls(type: DuckDBType): boolean {
  if (type instanceof DuckDBListType) return holdsNulls(type.valueType);
  if (type instanceof DuckDBMapType) return holdsNulls(type.keyType) || holdsNulls(type.valueType);
  if (type instanceof DuckDBStructType) return type.entryTypes.some(holdsNulls);
  return type === SQLNULL;
}
