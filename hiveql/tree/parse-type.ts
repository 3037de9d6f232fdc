/** Reads the names of Hive's types. */
import {
  arrayOf,
  decimal,
  type HiveType,
  longestText,
  mapOf,
  maxPrecision,
  type StructField,
  structOf,
  types,
} from "./types";

const typesByName: Readonly<Record<string, HiveType>> = {
  void: types.void,
  boolean: types.boolean,
  tinyint: types.tinyint,
  smallint: types.smallint,
  int: types.int,
  integer: types.int,
  bigint: types.bigint,
  float: types.float,
  real: types.float,
  double: types.double,
  doubleprecision: types.double,
  string: types.string,
  binary: types.binary,
  date: types.date,
  timestamp: types.timestamp,
  interval_year_month: types.yearMonth,
  interval_day_time: types.dayTime,
};

/**
 * Parses the name of a Hive type, such as `decimal(10,2)` or `array<struct<a:int>>`.
 * @returns undefined when the text is not a supported type.
 */
export function parseType(text: string): HiveType | undefined {
  const reader = { rest: text.toLowerCase() };
  const type = readType(reader);
  return reader.rest.trim() === "" ? type : undefined;
}

interface Reader {
  rest: string;
}

function readType(reader: Reader): HiveType | undefined {
  const words = /^\s*[a-z_]+(?:\s+precision\b)?/.exec(reader.rest)?.[0] ?? "";
  reader.rest = reader.rest.slice(words.length);
  const word = words.replaceAll(/\s+/g, "");
  if (word === "array") return inAngles(reader, () => mapDefined(readType(reader), arrayOf));
  if (word === "map") {
    return inAngles(reader, () => {
      const key = readType(reader);
      const value = take(reader, ",") ? readType(reader) : undefined;
      return key && value && mapOf(key, value);
    });
  }
  if (word === "struct") return inAngles(reader, () => readStruct(reader));
  return readScalar(word, reader);
}

function readScalar(word: string, reader: Reader): HiveType | undefined {
  const parameters = /^\s*\(\s*(\d+)\s*(?:,\s*(\d+)\s*)?\)/.exec(reader.rest);
  if (!parameters) {
    if (word === "decimal" || word === "numeric" || word === "dec") return decimal(10, 0);
    return Object.hasOwn(typesByName, word) ? typesByName[word] : undefined;
  }
  reader.rest = reader.rest.slice(parameters[0].length);
  const first = Number(parameters[1]);
  const second = Number(parameters[2] ?? 0);
  if (word === "varchar" || word === "char") {
    return parameters[2] === undefined && first >= 1 && first <= longestText[word]
      ? { kind: word, length: first }
      : undefined;
  }
  const isDecimal = word === "decimal" || word === "numeric" || word === "dec";
  return isDecimal && first >= 1 && first <= maxPrecision && second <= first ? decimal(first, second) : undefined;
}

function readStruct(reader: Reader): HiveType | undefined {
  const fields: StructField[] = [];
  do {
    // A blank within a name is a part of it.
    const name = /^\s*([^:<>,]+?)\s*:/.exec(reader.rest);
    if (!name) return undefined;
    reader.rest = reader.rest.slice(name[0].length);
    const type = readType(reader);
    if (!type) return undefined;
    fields.push({ name: name[1] ?? "", type });
  } while (take(reader, ","));
  return structOf(fields);
}

function inAngles(reader: Reader, read: () => HiveType | undefined): HiveType | undefined {
  if (!take(reader, "<")) return undefined;
  const type = read();
  return take(reader, ">") ? type : undefined;
}

function take(reader: Reader, text: string): boolean {
  const rest = reader.rest.trimStart();
  if (!rest.startsWith(text)) return false;
  reader.rest = rest.slice(text.length);
  return true;
}

function mapDefined<Value, Result>(value: Value | undefined, map: (value: Value) => Result): Result | undefined {
  return value === undefined ? undefined : map(value);
}
