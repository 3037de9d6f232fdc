/** XPath functions. */
import { type DuckDBListValue, listValue } from "@duckdb/node-api";
import { readXml } from "../xml/document";
import { InvalidPath, differsFromJava, readPath, type XmlPath, type XmlValue } from "../xml/paths";

/** Returns the values of the nodes at a path, except elements; empty for empty strings and for an invalid path. */
export function xmlNodes(xml: string, path: string): DuckDBListValue {
  if (xml === "" || path === "" || isInvalid(path)) return listValue([]);
  const nodes = evaluatePath(xml, path, (value) => value.nodeset().toArray());
  return listValue(nodes.flatMap(({ ownValue }) => ownValue ?? []).map(requireWellFormed));
}

/** Returns the result of a path as a string; NULL for empty strings and for an invalid path. */
export function xmlString(xml: string, path: string): string | null {
  if (xml === "" || path === "" || isInvalid(path)) return null;
  return evaluatePath(xml, path, (value) => requireWellFormed(value.stringValue()));
}

/** Requires a text without lone surrogates. XPath positions count surrogates and can split a character. */
function requireWellFormed(text: string): string {
  if (!text.isWellFormed()) throw new Error("the result has half of a character beyond U+FFFF");
  return text;
}

/**
 * Returns the result of a path as a boolean.
 * @throws Error for empty strings and for an invalid path.
 */
export function xmlBoolean(xml: string, path: string): boolean {
  return evaluatePath(requireNonEmpty(xml), requireNonEmpty(path), (value) => value.booleanValue());
}

/**
 * Returns the result of a path as a number.
 * @throws Error for empty strings and for an invalid path.
 */
export function xmlNumber(xml: string, path: string): number {
  return evaluatePath(requireNonEmpty(xml), requireNonEmpty(path), (value) => value.numberValue());
}

/** Returns the result of a path as an int; like Java, NaN becomes 0 and large numbers the largest int. */
export function xmlInt(xml: string, path: string): number {
  const value = Math.trunc(xmlNumber(xml, path)) || 0;
  return Math.min(Math.max(value, -(2 ** 31)), 2 ** 31 - 1);
}

/** Returns the result of a path as a smallint: the low 16 bits of the int, as in Java. */
export function xmlShort(xml: string, path: string): number {
  return (xmlInt(xml, path) << 16) >> 16;
}

/** Returns the result of a path as a bigint; like Java, NaN becomes 0 and large numbers the largest bigint. */
export function xmlLong(xml: string, path: string): bigint {
  const value = Math.trunc(xmlNumber(xml, path)) || 0;
  if (Math.abs(value) < 2 ** 63) return BigInt(value);
  return value < 0 ? -(2n ** 63n) : 2n ** 63n - 1n;
}

function requireNonEmpty(text: string): string {
  if (text === "") throw new Error("HiveQL: XPath function with an empty string as XML or path");
  return text;
}

const pathCache = new Map<string, XmlPath | InvalidPath>();
const cacheSize = 256;

function evaluatePath<Result>(xml: string, path: string, read: (value: XmlValue) => Result): Result {
  try {
    const compiled = pathOf(path);
    if (compiled instanceof InvalidPath) throw compiled;
    const document = readXml(xml);
    if (differsFromJava(path, document))
      throw new Error("Java evaluates this path differently for documents with prefixed names or CDATA sections");
    return read(compiled.evaluate({ node: document }));
  } catch (error) {
    throw pathError(path, error);
  }
}

function pathError(path: string, error: unknown): Error {
  const reason = error instanceof Error ? error.message : String(error);
  return new Error(`HiveQL: cannot evaluate the XPath '${path}': ${reason}`, { cause: error });
}

/**
 * Returns true for a path that Java refuses.
 * @throws Error for a path that may be valid in Java and is not supported here.
 */
function isInvalid(path: string): boolean {
  try {
    return pathOf(path) instanceof InvalidPath;
  } catch (error) {
    throw pathError(path, error);
  }
}

function pathOf(path: string): XmlPath | InvalidPath {
  const known = pathCache.get(path);
  if (known) return known;
  if (pathCache.size >= cacheSize) pathCache.clear();
  const read = readOrInvalid(path);
  pathCache.set(path, read);
  return read;
}

function readOrInvalid(path: string): XmlPath | InvalidPath {
  try {
    return readPath(path);
  } catch (error) {
    if (error instanceof InvalidPath) return error;
    throw error;
  }
}
