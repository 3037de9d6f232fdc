/** Reads the types of a result's columns from HiveServer2's schema. */

/** The schema of a result, as the driver returns it. */
export interface ResultSchema {
  readonly columns: readonly { readonly typeDesc: { readonly types: readonly { primitiveEntry?: TypeEntry }[] } }[];
}

interface TypeEntry {
  readonly type: number;
  readonly typeQualifiers?: { readonly qualifiers?: Readonly<Record<string, { readonly i32Value?: number }>> } | null;
}

/** Type names by the numbers of Thrift's TTypeId. */
const names = [
  "boolean",
  "tinyint",
  "smallint",
  "int",
  "bigint",
  "float",
  "double",
  "string",
  "timestamp",
  "binary",
  "array",
  "map",
  "struct",
  "union",
  "user_defined",
  "decimal",
  "void",
  "date",
  "varchar",
  "char",
  "interval_year_month",
  "interval_day_time",
  "timestamp with local time zone",
];

/** Returns the columns' types; the schema has arrays, maps and structs without the types of their elements. */
export function typesOf(schema: ResultSchema | null): string[] {
  return (schema?.columns ?? []).map(({ typeDesc }) => {
    const entry = typeDesc.types[0]?.primitiveEntry;
    const name = names[entry?.type ?? -1] ?? "unknown";
    const qualifiers = entry?.typeQualifiers?.qualifiers ?? {};
    const numbers = (...keys: readonly string[]) => keys.map((key) => qualifiers[key]?.i32Value ?? "?").join(",");
    if (name === "decimal") return `decimal(${numbers("precision", "scale")})`;
    return name === "varchar" || name === "char" ? `${name}(${numbers("characterMaximumLength")})` : name;
  });
}
