/** Hive's types: their names, and the DuckDB types that hold their values. */
import { maxPrecision } from "../runtime/java/decimals";

export { maxPrecision };

/** A type without parameters. */
type PlainKind =
  | "void"
  | "boolean"
  | "tinyint"
  | "smallint"
  | "int"
  | "bigint"
  | "float"
  | "double"
  | "string"
  | "binary"
  | "date"
  | "timestamp"
  | "interval_year_month"
  | "interval_day_time";

/** A Hive type. `void` is the type of an untyped NULL. */
export type HiveType =
  | { readonly kind: PlainKind }
  | { readonly kind: "decimal"; readonly precision: number; readonly scale: number }
  | { readonly kind: "varchar" | "char"; readonly length: number }
  | { readonly kind: "array"; readonly element: HiveType }
  | { readonly kind: "map"; readonly key: HiveType; readonly value: HiveType }
  | { readonly kind: "struct"; readonly fields: readonly StructField[] };

export interface StructField {
  /** The name in lower case. */
  readonly name: string;
  readonly type: HiveType;
}

/** Maximum length of char and varchar. */
export const longestText = { char: 255, varchar: 65_535 } as const;

export const types = {
  void: { kind: "void" },
  boolean: { kind: "boolean" },
  tinyint: { kind: "tinyint" },
  smallint: { kind: "smallint" },
  int: { kind: "int" },
  bigint: { kind: "bigint" },
  float: { kind: "float" },
  double: { kind: "double" },
  string: { kind: "string" },
  binary: { kind: "binary" },
  date: { kind: "date" },
  timestamp: { kind: "timestamp" },
  yearMonth: { kind: "interval_year_month" },
  dayTime: { kind: "interval_day_time" },
} as const satisfies Record<string, HiveType>;

export const decimal = (precision: number, scale: number): HiveType => ({ kind: "decimal", precision, scale });
export const arrayOf = (element: HiveType): HiveType => ({ kind: "array", element });
export const mapOf = (key: HiveType, value: HiveType): HiveType => ({ kind: "map", key, value });
export const structOf = (fields: readonly StructField[]): HiveType => ({ kind: "struct", fields });

/** Returns the name of a type in Hive. */
export function typeName(type: HiveType): string {
  switch (type.kind) {
    case "decimal":
      return `decimal(${type.precision},${type.scale})`;
    case "varchar":
    case "char":
      return `${type.kind}(${type.length})`;
    case "array":
      return `array<${typeName(type.element)}>`;
    case "map":
      return `map<${typeName(type.key)},${typeName(type.value)}>`;
    case "struct":
      return `struct<${type.fields.map((field) => `${field.name}:${typeName(field.type)}`).join(",")}>`;
    default:
      return type.kind;
  }
}

const duckTypes: Readonly<Record<PlainKind, string>> = {
  void: "VARCHAR",
  boolean: "BOOLEAN",
  tinyint: "TINYINT",
  smallint: "SMALLINT",
  int: "INTEGER",
  bigint: "BIGINT",
  float: "FLOAT",
  double: "DOUBLE",
  string: "VARCHAR",
  binary: "BLOB",
  date: "DATE",
  timestamp: "TIMESTAMP",
  interval_year_month: "INTEGER",
  interval_day_time: "BIGINT",
};

/**
 * Returns the DuckDB type that holds the values of a Hive type. A char is held without its trailing spaces, a
 * year-month interval as months, and a day-time interval as microseconds.
 */
export function duckType(type: HiveType): string {
  switch (type.kind) {
    case "decimal":
      return `DECIMAL(${type.precision},${type.scale})`;
    case "varchar":
    case "char":
      return "VARCHAR";
    case "array":
      return `${duckType(type.element)}[]`;
    case "map":
      return `MAP(${duckType(type.key)}, ${duckType(type.value)})`;
    case "struct":
      return `STRUCT(${type.fields.map((field) => `${quoteIdentifier(field.name)} ${duckType(field.type)}`).join(", ")})`;
    default:
      return duckTypes[type.kind];
  }
}

/** Quotes an identifier for DuckDB. */
export function quoteIdentifier(name: string): string {
  return `"${name.replaceAll('"', '""')}"`;
}

/** Quotes a string literal for DuckDB. */
export function quoteLiteral(value: string): string {
  const quoted = `'${value.replaceAll("'", "''")}'`;
  return value.includes("\0") ? quoted.split("\0").join("' || chr(0) || '") : quoted;
}

export function sameType(left: HiveType, right: HiveType): boolean {
  return typeName(left) === typeName(right);
}

const integers: ReadonlySet<string> = new Set(["tinyint", "smallint", "int", "bigint"]);

export const isInteger = ({ kind }: HiveType) => integers.has(kind);
export const isApproximate = ({ kind }: HiveType) => kind === "float" || kind === "double";
export const isNumber = (type: HiveType) => isInteger(type) || isApproximate(type) || type.kind === "decimal";
export const isText = ({ kind }: HiveType) => kind === "string" || kind === "varchar" || kind === "char";
export const isDateOrTime = ({ kind }: HiveType) => kind === "date" || kind === "timestamp";
export const isInterval = ({ kind }: HiveType) => kind === "interval_year_month" || kind === "interval_day_time";
/** Returns true when a type is a map or contains one. */
export const hasMap = (type: HiveType) => containsType(type, ({ kind }) => kind === "map");

/** Returns true when a type, or the type of an element, key, value or field in it, passes a test. */
export function containsType(type: HiveType, test: (type: HiveType) => boolean): boolean {
  if (test(type)) return true;
  switch (type.kind) {
    case "array":
      return containsType(type.element, test);
    case "map":
      return containsType(type.key, test) || containsType(type.value, test);
    case "struct":
      return type.fields.some((field) => containsType(field.type, test));
    default:
      return false;
  }
}
export const isNested = ({ kind }: HiveType) => kind === "array" || kind === "map" || kind === "struct";
export const isVoid = ({ kind }: HiveType) => kind === "void";

/** Returns the rank of a numeric type; Hive converts to the type with the higher rank. -1 for other types. */
export function numberRank({ kind }: HiveType): number {
  return ["tinyint", "smallint", "int", "bigint", "decimal", "float", "double"].indexOf(kind);
}
