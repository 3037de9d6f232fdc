/** Tests of the values inside arrays, maps and structs, at any depth. */
import { join, raw, sql } from "../tree/fragment";
import type { Part } from "../tree/nodes";
import { type HiveType, quoteLiteral } from "../tree/types";

/** Returns SQL that tests a value of a type and is never NULL; undefined when no value of the type can pass. */
export type ValueTest = (value: Part, type: HiveType) => Part | undefined;

/**
 * Returns SQL that is true when a value, or a value inside of it, passes a test.
 * @returns SQL that is never NULL; undefined when no value of the type can pass.
 */
export function containsMatch(value: Part, type: HiveType, test: ValueTest, depth = 0): Part | undefined {
  const found = [test(value, type), ...membersOf(value, type, test, depth)].filter((each) => each !== undefined);
  return found.length === 0 ? undefined : sql`(${join(found, " OR ")})`;
}

function membersOf(value: Part, type: HiveType, test: ValueTest, depth: number): readonly (Part | undefined)[] {
  switch (type.kind) {
    case "array":
      return [someElement(value, type.element, test, depth)];
    case "map":
      return [
        someElement(sql`map_keys(${value})`, type.key, test, depth),
        someElement(sql`map_values(${value})`, type.value, test, depth),
      ];
    case "struct":
      return type.fields.map((field) =>
        containsMatch(sql`struct_extract(${value}, ${quoteLiteral(field.name)})`, field.type, test, depth),
      );
    default:
      return [];
  }
}

function someElement(list: Part, type: HiveType, test: ValueTest, depth: number): Part | undefined {
  const element = raw(`hive_m${depth}`);
  const found = containsMatch(element, type, test, depth + 1);
  return found && sql`coalesce(list_bool_or(list_transform(${list}, lambda ${element}: ${found})), FALSE)`;
}
