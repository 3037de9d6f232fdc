/** `get_json_object` and `json_tuple`: JSON and JSON paths as Hive parses them. */

/** A JSON value; a number is the text that Java prints for it. */
type Json = null | boolean | string | JsonNumber | readonly Json[] | ReadonlyMap<string, Json>;

interface JsonNumber {
  readonly number: string;
}

/**
 * Returns the value at a path such as `$.store.fruit[0].name` as text; arrays and objects as JSON.
 * @returns null when the text is no JSON or the path has no value.
 */
export function jsonObject(text: string, path: string): string | null {
  if (text === "" || !path.startsWith("$")) return null;
  const next = path[1];
  if (next !== undefined && next !== "[" && next !== ".") return null;
  const startsInArray = next === "[" || path.startsWith("$.[");
  const root = readJson(text);
  if (path === "$" ? !Array.isArray(root) && !(root instanceof Map) : startsInArray !== Array.isArray(root))
    return null;
  if (!Array.isArray(root) && !(root instanceof Map)) return null;
  const parts = path.split(".").slice(next === "[" ? 0 : 1);
  let value: Json | undefined = root;
  for (const [index, part] of parts.entries()) {
    if (value === null || value === undefined) return null;
    value = step(value, part, index === 0 && startsInArray);
  }
  if (value === null || value === undefined) return null;
  return typeof value === "string" ? value : printJson(value);
}

/** Returns a member of the top-level object as text; null when it is missing or the text is no JSON. */
export function jsonMember(text: string, key: string): string | null {
  const root = readJson(text);
  const value = root instanceof Map ? ((root.get(key) ?? null) as Json) : null;
  return value === null || typeof value === "string" ? value : printJson(value);
}

/** Prints a double as Java does. */
function javaDouble(value: number): string {
  if (!Number.isFinite(value)) return Number.isNaN(value) ? "NaN" : value > 0 ? "Infinity" : "-Infinity";
  const size = Math.abs(value);
  if (value === 0) return Object.is(value, -0) ? "-0.0" : "0.0";
  if (size >= 1e-3 && size < 1e7) return Number.isInteger(value) ? `${value}.0` : String(value);
  const [digits = "", exponent = ""] = value.toExponential().split("e");
  return `${digits.includes(".") ? digits : `${digits}.0`}E${Number(exponent)}`;
}

/** Follows one part of a path between dots: a key and then indexes. */
function step(value: Json, part: string, skipsKey: boolean): Json | undefined {
  let target: Json | undefined = value;
  if (!skipsKey) {
    const key = /^[a-zA-Z0-9_\-:\s]+/.exec(part)?.[0];
    if (key === undefined) return null;
    target = member(value, key);
  }
  const indexes = [...part.matchAll(/\[([0-9]+|\*)\]/g)].map((found) => found[1] ?? "");
  if (indexes.length === 0) return target;
  let list: (Json | undefined)[] = [target];
  for (const index of indexes) {
    list = list.flatMap((item) => {
      if (!Array.isArray(item)) return [];
      if (index === "*") return item as Json[];
      return Number(index) < item.length ? [item[Number(index)] as Json] : [];
    });
    if (list.length === 0) return null;
  }
  return list.length > 1 ? (list as Json[]) : list[0];
}

/** Returns the member of an object, or the members of all objects in an array, with nested arrays flattened. */
function member(value: Json, key: string): Json | undefined {
  if (value instanceof Map) return value.get(key) as Json | undefined;
  if (!Array.isArray(value)) return null;
  const found = (value as Json[]).flatMap((item): readonly Json[] => {
    const inner = item instanceof Map ? ((item.get(key) ?? null) as Json) : null;
    if (Array.isArray(inner)) return inner as Json[];
    return inner === null ? [] : [inner];
  });
  return found.length === 0 ? null : found;
}

function printJson(value: Json): string {
  if (value === null || typeof value === "boolean") return String(value);
  if (typeof value === "string") {
    const plain = JSON.stringify(value);
    // Java writes hexadecimal digits in upper case.
    return plain.replaceAll(/\\u([0-9a-f]{4})/g, (_match, digits: string) => `\\u${digits.toUpperCase()}`);
  }
  if (Array.isArray(value)) return `[${(value as Json[]).map(printJson).join(",")}]`;
  if (value instanceof Map) {
    return `{${[...(value as Map<string, Json>)].map(([key, item]) => `${printJson(key)}:${printJson(item)}`).join(",")}}`;
  }
  return (value as JsonNumber).number;
}

interface Reader {
  readonly text: string;
  at: number;
}

/** Parses the first JSON value of a text and ignores what follows; undefined when there is none. */
function readJson(text: string): Json | undefined {
  const reader: Reader = { text, at: 0 };
  try {
    return readValue(reader);
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}

const blanks = /[ \t\r\n]*/y;
const numbers = /-?(?:0|[1-9][0-9]*)(\.[0-9]+)?([eE][+-]?[0-9]+)?/y;
const words = /true|false|null/y;
const escapes: Readonly<Record<string, string>> = { b: "\b", f: "\f", n: "\n", r: "\r", t: "\t" };

function readValue(reader: Reader): Json {
  skipBlanks(reader);
  const { text } = reader;
  const first = text[reader.at];
  if (first === "{") return readObject(reader);
  if (first === "[") return readArray(reader);
  if (first === '"') return readString(reader);
  const word = match(reader, words)?.[0];
  if (word !== undefined) return word === "null" ? null : word === "true";
  const number = match(reader, numbers);
  if (!number || /[0-9A-Za-z_.]/.test(text[reader.at] ?? "")) throw new SyntaxError("value");
  const isWhole = number[1] === undefined && number[2] === undefined;
  return { number: isWhole ? BigInt(number[0]).toString() : javaDouble(Number(number[0])) };
}

function readObject(reader: Reader): Json {
  const members = new Map<string, Json>();
  reader.at += 1;
  skipBlanks(reader);
  if (take(reader, "}")) return members;
  do {
    skipBlanks(reader);
    if (reader.text[reader.at] !== '"') throw new SyntaxError("key");
    const key = readString(reader);
    skipBlanks(reader);
    if (!take(reader, ":")) throw new SyntaxError("colon");
    members.set(key, readValue(reader));
    skipBlanks(reader);
  } while (take(reader, ","));
  if (!take(reader, "}")) throw new SyntaxError("object");
  return members;
}

function readArray(reader: Reader): Json {
  const items: Json[] = [];
  reader.at += 1;
  skipBlanks(reader);
  if (take(reader, "]")) return items;
  do {
    items.push(readValue(reader));
    skipBlanks(reader);
  } while (take(reader, ","));
  if (!take(reader, "]")) throw new SyntaxError("array");
  return items;
}

/** Parses a string, which can contain control characters, and a backslash before any character. */
function readString(reader: Reader): string {
  const { text } = reader;
  let result = "";
  for (reader.at += 1; reader.at < text.length; reader.at += 1) {
    const character = text[reader.at] ?? "";
    if (character === '"') {
      reader.at += 1;
      return result;
    }
    if (character !== "\\") {
      result += character;
      continue;
    }
    reader.at += 1;
    const escaped = text[reader.at] ?? "";
    if (escaped === "u") {
      const digits = text.slice(reader.at + 1, reader.at + 5);
      if (!/^[0-9a-fA-F]{4}$/.test(digits)) throw new SyntaxError("escape");
      result += String.fromCodePoint(Number.parseInt(digits, 16));
      reader.at += 4;
    } else result += escapes[escaped] ?? escaped;
  }
  throw new SyntaxError("string");
}

function match(reader: Reader, pattern: RegExp): RegExpExecArray | null {
  pattern.lastIndex = reader.at;
  const found = pattern.exec(reader.text);
  if (found) reader.at += found[0].length;
  return found;
}

const skipBlanks = (reader: Reader) => void match(reader, blanks);

function take(reader: Reader, character: string): boolean {
  if (reader.text[reader.at] !== character) return false;
  reader.at += 1;
  return true;
}
