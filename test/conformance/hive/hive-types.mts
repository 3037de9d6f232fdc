/** The types of a result's columns, as HiveServer2 describes them. */

/** What the driver tells of a result. */
export interface ResultSchema {
  readonly columns: readonly { readonly typeDesc: { readonly types: readonly { primitiveEntry?: TypeEntry }[] } }[];
}

interface TypeEntry {
  readonly type: number;
  readonly typeQualifiers?: { readonly qualifiers?: Readonly<Record<string, { readonly i32Value?: number }>> } | null;
}

/** Names by the numbers of Thrift's TTypeId. */
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

/** The columns' types; of arrays, maps and structs the kind alone is told. */
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
