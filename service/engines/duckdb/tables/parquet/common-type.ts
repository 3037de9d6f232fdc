/** Compares the Hive types that a column has in the objects of a Parquet table and in its declaration. */
import { type HiveType, parseType, typeName } from "../../../../../hiveql/index";

/** Returns the type that holds the values of two; undefined when one would lose digits or change its text. */
export function commonHiveType(one: string, other: string): string | undefined {
  const [a, b] = [parseType(one), parseType(other)];
  const common = a && b && commonOf(a, b);
  return common && typeName(common);
}

/**
 * Returns true when a type holds the values of another: fields of structs are found by their names, those that the other
 * does not have are NULL, and those that only the other has are not read.
 */
export function holdsValues(type: string, other: string): boolean {
  const [a, b] = [parseType(type), parseType(other)];
  return a !== undefined && b !== undefined && holds(a, b);
}

/** Returns a type in which `int` is in the place of those that are unknown, because there is nothing but NULL. */
export function withoutUnknown(type: string): string {
  const parsed = parseType(type);
  return parsed ? typeName(known(parsed)) : type;
}

function known(type: HiveType): HiveType {
  switch (type.kind) {
    case "void":
      return { kind: "int" };
    case "array":
      return { ...type, element: known(type.element) };
    case "map":
      return { ...type, key: known(type.key), value: known(type.value) };
    case "struct":
      return { ...type, fields: type.fields.map((field) => ({ ...field, type: known(field.type) })) };
    default:
      return type;
  }
}

function commonOf(one: HiveType, other: HiveType): HiveType | undefined {
  if (one.kind === "void") return other;
  if (other.kind === "void") return one;
  if (one.kind === "array" && other.kind === "array") {
    const element = commonOf(one.element, other.element);
    return element && { ...one, element };
  }
  if (one.kind === "map" && other.kind === "map") {
    const [key, value] = [commonOf(one.key, other.key), commonOf(one.value, other.value)];
    return key && value && { ...one, key, value };
  }
  if (one.kind === "struct" && other.kind === "struct") {
    if (!shareField(one, other)) return undefined;
    const all = [...one.fields, ...other.fields.filter(({ name }) => !fieldOf(one, name))];
    const fields = all.flatMap(({ name, type }) => {
      const [own, others] = [fieldOf(one, name), fieldOf(other, name)];
      const common = own && others ? commonOf(own, others) : type;
      return common ? [{ name, type: common }] : [];
    });
    return fields.length < all.length ? undefined : { ...one, fields };
  }
  if (isWider(one, other)) return one;
  return isWider(other, one) ? other : undefined;
}

function holds(type: HiveType, other: HiveType): boolean {
  if (other.kind === "void") return true;
  if (type.kind === "array" && other.kind === "array") return holds(type.element, other.element);
  if (type.kind === "map" && other.kind === "map") return holds(type.key, other.key) && holds(type.value, other.value);
  if (type.kind === "struct" && other.kind === "struct") {
    return (
      shareField(type, other) &&
      type.fields.every((field) => {
        const found = fieldOf(other, field.name);
        return found === undefined || holds(field.type, found);
      })
    );
  }
  return isWider(type, other);
}

type Struct = Extract<HiveType, { kind: "struct" }>;

const fieldOf = ({ fields }: Struct, name: string) => fields.find((field) => field.name === name)?.type;

/** The embedded engine converts no struct to one that has none of its fields. */
const shareField = (one: Struct, other: Struct) => one.fields.some(({ name }) => fieldOf(other, name) !== undefined);

/** The digits of the whole numbers. */
const digits: Readonly<Partial<Record<HiveType["kind"], number>>> = { tinyint: 3, smallint: 5, int: 10, bigint: 19 };

/** Returns true for the types whose values are written as text with the same digits. */
export const isWholeNumber = (type: string) => Object.hasOwn(digits, type);

/**
 * Returns true when a type without others inside holds every value of another. Decimals have the same scale: Hive reads the
 * digits of 12.50 as 1.250 when the scale is declared as 3.
 */
function isWider(type: HiveType, other: HiveType): boolean {
  if (typeName(type) === typeName(other)) return true;
  const whole = digits[other.kind];
  const own = digits[type.kind];
  if (whole !== undefined && own !== undefined) return own > whole;
  if (type.kind === "double") return other.kind === "float" || (whole !== undefined && whole <= 15);
  if (type.kind !== "decimal") return false;
  if (whole !== undefined) return type.scale === 0 && type.precision >= whole;
  return other.kind === "decimal" && type.scale === other.scale && type.precision >= other.precision;
}
