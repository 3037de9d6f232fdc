/** `get_json_object` and `json_tuple`: JSON and JSON paths as Hive parses them. */

import { printDouble } from "../java/digits";
import { type Json, type JsonNumber, readJson, type Wanted } from "./json-reader";

/** A path such as `$.store.fruit[0].name`. */
interface JsonPath {
  /** True when it begins with an index, whose value is the text itself. */
  readonly startsInArray: boolean;
  /** The parts between dots: each a key, and then indexes. */
  readonly parts: readonly Wanted[];
}

/** Number of paths that are kept; a statement has few. */
const maxPaths = 100;
const paths = new Map<string, JsonPath | undefined>();

function pathOf(text: string): JsonPath | undefined {
  if (paths.has(text)) return paths.get(text);
  const path = readPath(text);
  if (paths.size >= maxPaths) paths.clear();
  paths.set(text, path);
  return path;
}

/** Returns undefined for a text that is no path. */
function readPath(text: string): JsonPath | undefined {
  const next = text[1];
  if (!text.startsWith("$") || (next !== undefined && next !== "[" && next !== ".")) return undefined;
  const parts = text
    .split(".")
    .slice(next === "[" ? 0 : 1)
    .map((part) => ({
      key: /^[a-zA-Z0-9_\-:\s]+/.exec(part)?.[0],
      indexes: [...part.matchAll(/\[([0-9]+|\*)\]/g)].map((found) => found[1] ?? ""),
    }));
  return { startsInArray: next === "[" || text.startsWith("$.["), parts };
}

/**
 * Returns the value at a path such as `$.store.fruit[0].name` as text; arrays and objects as JSON.
 * @returns null when the text is no JSON or the path has no value.
 */
export function jsonObject(text: string, pathText: string): string | null {
  const path = pathOf(pathText);
  if (text === "" || !path) return null;
  const { parts, startsInArray } = path;
  const root = readJson(text, startsInArray ? [] : parts);
  if (!Array.isArray(root) && !(root instanceof Map)) return null;
  if (parts.length > 0 && startsInArray !== Array.isArray(root)) return null;
  let value: Json | undefined = root;
  for (const [index, part] of parts.entries()) {
    if (value === null || value === undefined) return null;
    value = step(value, part, index === 0 && startsInArray);
  }
  return value === undefined ? null : textOf(value);
}

/** Returns a member of the top-level object as text; null when it is missing or the text is no JSON. */
export function jsonMember(text: string, key: string): string | null {
  const root = readJson(text, [{ key, indexes: [] }]);
  return root instanceof Map ? textOf((root.get(key) ?? null) as Json) : null;
}

const textOf = (value: Json) => (value === null || typeof value === "string" ? value : printJson(value));

/** Returns the text that Java prints for a number. */
function numberText({ number, isWhole }: JsonNumber): string {
  if (!isWhole) return printDouble(Number(number));
  return number === "-0" ? "0" : number;
}

/** Follows one part of a path. */
function step(value: Json, { key, indexes }: Wanted, skipsKey: boolean): Json | undefined {
  let target: Json | undefined = value;
  if (!skipsKey) {
    if (key === undefined) return null;
    target = member(value, key);
  }
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
  return numberText(value as JsonNumber);
}
