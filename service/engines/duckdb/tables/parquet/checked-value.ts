/**
 * Checks values of Parquet columns. Before 1582-10-15 Hive 4.0.1 counts the days of the Julian calendar unless the object
 * says otherwise, and other programs count those of the Gregorian one, so such dates and timestamps are refused. So are infinite
 * ones, of which functions would make NULL. Of the values of a key that a map has several times, Parquet's specification takes the last.
 */
import {
  DuckDBListType,
  DuckDBMapType,
  DuckDBStructType,
  DuckDBTypeId,
  SQLNULL,
  type DuckDBType,
} from "@duckdb/node-api";
import { quoteIdentifier, quoteLiteral } from "../../sql-quoting";
import { holdsNulls } from "./nulls";

/** The first day of the Gregorian calendar. */
export const firstDay = "1582-10-15";

interface CheckOptions {
  /** True when no date or timestamp of the column is before {@link firstDay} or infinite. */
  readonly isInRange: boolean;
  /** The column and its table, for messages. */
  readonly where: string;
  /** Number of the values that contain this one. */
  readonly depth: number;
}

/** Returns true when a type is a date or timestamp, or contains one. */
export function holdsMoments(type: DuckDBType): boolean {
  if (type instanceof DuckDBListType) return holdsMoments(type.valueType);
  if (type instanceof DuckDBMapType) return holdsMoments(type.keyType) || holdsMoments(type.valueType);
  if (type instanceof DuckDBStructType) return type.entryTypes.some(holdsMoments);
  return type.typeId === DuckDBTypeId.DATE || timestamps.has(type.typeId);
}

/** Returns true when a type is a map, or contains one. */
function holdsMaps(type: DuckDBType): boolean {
  if (type instanceof DuckDBListType) return holdsMaps(type.valueType);
  if (type instanceof DuckDBStructType) return type.entryTypes.some(holdsMaps);
  return type instanceof DuckDBMapType;
}

/** Returns true when a type has a field that DuckDB does not find by its name in lower case: it ignores that of ASCII only. */
function renamesFields(type: DuckDBType): boolean {
  if (type instanceof DuckDBListType) return renamesFields(type.valueType);
  if (type instanceof DuckDBMapType) return renamesFields(type.keyType) || renamesFields(type.valueType);
  if (!(type instanceof DuckDBStructType)) return false;
  return (
    type.entryNames.some((name) => /[^\0-\x7f]/.test(name) && name.toLowerCase() !== name) ||
    type.entryTypes.some(renamesFields)
  );
}

/** Returns true when values of a type can be read as they are. */
const isPlain = (type: DuckDBType) =>
  !holdsMoments(type) && !holdsMaps(type) && !renamesFields(type) && !holdsNulls(type);

/**
 * Returns SQL of the same value, in which each key of a map is there once, and the fields of structs have names in lower
 * case. It fails for a date or timestamp that cannot be read.
 */
export function checkedValue(value: string, type: DuckDBType, options: CheckOptions): string {
  if (isPlain(type)) return value;
  const inner = { ...options, depth: options.depth + 1 };
  const name = `x${options.depth}`;
  if (type instanceof DuckDBListType) {
    return `list_transform(${value}, lambda ${name}: ${checkedValue(name, type.valueType, inner)})`;
  }
  if (type instanceof DuckDBMapType) {
    const key = checkedValue(`${name}.key`, type.keyType, inner);
    const entry = `struct_pack(k := ${key}, v := ${checkedValue(`${name}.value`, type.valueType, inner)})`;
    const entries = `list_transform(map_entries(${value}), lambda ${name}: ${entry})`;
    if (isPlain(type.keyType) && isPlain(type.valueType)) {
      const isOnce = `list_unique(map_keys(${value})) = len(map_keys(${value}))`;
      return `CASE WHEN ${isOnce} THEN ${value} WHEN ${value} IS NOT NULL THEN hive_map_of(${entries}) END`;
    }
    const [all, each] = [`l${options.depth}`, `e${options.depth}`];
    const isOnce = `list_unique(list_transform(${all}, lambda ${each}: ${each}.k)) = len(${all})`;
    // The entries are bound once: each level would bind those inside of it twice.
    return `list_transform([${entries}], lambda ${all}: CASE WHEN ${isOnce} THEN map_from_entries(${all}) WHEN ${all} IS NOT NULL THEN hive_map_of(${all}) END)[1]`;
  }
  if (type instanceof DuckDBStructType) {
    const fields = type.entryNames.map((field, index) => {
      const at = `struct_extract(${value}, ${quoteLiteral(field)})`;
      return `${quoteIdentifier(field.toLowerCase())} := ${checkedValue(at, type.entryTypes[index]!, inner)}`;
    });
    return `CASE WHEN ${value} IS NOT NULL THEN struct_pack(${fields.join(", ")}) END`;
  }
  if (type === SQLNULL) return "NULL";
  return checkedMoment(value, type.typeId, options);
}

const timestamps: ReadonlySet<DuckDBTypeId> = new Set([
  DuckDBTypeId.TIMESTAMP,
  DuckDBTypeId.TIMESTAMP_S,
  DuckDBTypeId.TIMESTAMP_MS,
  DuckDBTypeId.TIMESTAMP_NS,
  DuckDBTypeId.TIMESTAMP_TZ,
]);

function checkedMoment(value: string, type: DuckDBTypeId, { isInRange, where }: CheckOptions): string {
  const tooOld = `HiveQL: a date or timestamp of ${where} is before ${firstDay}, where calendars differ: write it as a string`;
  const infinite = `HiveQL: a date or timestamp of ${where} is infinite, which HiveQL does not have: write it with NULL or a date in its place`;
  const tooFine = `HiveQL: a timestamp of ${where} has nanoseconds, and the embedded engine reads microseconds: write it with microseconds`;
  const plain = timestamps.has(type) ? `CAST(${value} AS TIMESTAMP)` : value;
  // Negative infinity is infinite, and not too old; no number holds the nanoseconds of an infinite one.
  const problems = [
    ...(isInRange ? [] : [`WHEN isinf(${plain}) THEN error(${quoteLiteral(infinite)})`]),
    ...(type === DuckDBTypeId.TIMESTAMP_NS
      ? [`WHEN epoch_ns(${value}) % 1000 <> 0 THEN error(${quoteLiteral(tooFine)})`]
      : []),
    ...(isInRange ? [] : [`WHEN ${value} < DATE '${firstDay}' THEN error(${quoteLiteral(tooOld)})`]),
  ];
  return problems.length === 0 ? plain : `CASE ${problems.join(" ")} ELSE ${plain} END`;
}
