/** Hive's functions of XML. */
import { type DuckDBListValue, listValue } from "@duckdb/node-api";
import { readXml } from "../xml/document";
import { InvalidPath, isUneven, readPath, type XmlPath, type XmlValue } from "../xml/paths";

/** The values of the nodes of a path that have one: not those of elements; empty where either text is, and of what is no path. */
export function xmlNodes(xml: string, path: string): DuckDBListValue {
  if (xml === "" || path === "" || isInvalid(path)) return listValue([]);
  const nodes = evaluated(xml, path, (value) => value.nodeset().toArray());
  return listValue(nodes.flatMap(({ ownValue }) => ownValue ?? []).map(whole));
}

/** What a path gives as a string; NULL where either text is empty, and of what is no path. */
export function xmlString(xml: string, path: string): string | null {
  if (xml === "" || path === "" || isInvalid(path)) return null;
  return evaluated(xml, path, (value) => whole(value.stringValue()));
}

/** Positions count halves of characters beyond U+FFFF, and may leave one of them. */
function whole(text: string): string {
  if (!text.isWellFormed()) throw new Error("half of a character is left of a text");
  return text;
}

/** What a path gives as a boolean. @throws Error where either text is empty. */
export function xmlBoolean(xml: string, path: string): boolean {
  return evaluated(needed(xml), needed(path), (value) => value.booleanValue());
}

/** What a path gives as a number. @throws Error where either text is empty. */
export function xmlNumber(xml: string, path: string): number {
  return evaluated(needed(xml), needed(path), (value) => value.numberValue());
}

/** The same, as Java narrows it: NaN is 0, and what is too great is the greatest. */
export function xmlInt(xml: string, path: string): number {
  const value = Math.trunc(xmlNumber(xml, path)) || 0;
  return Math.min(Math.max(value, -(2 ** 31)), 2 ** 31 - 1);
}

/** The same of 16 bits, which Java cuts off an int. */
export function xmlShort(xml: string, path: string): number {
  return (xmlInt(xml, path) << 16) >> 16;
}

/** The same of 64 bits. */
export function xmlLong(xml: string, path: string): bigint {
  const value = Math.trunc(xmlNumber(xml, path)) || 0;
  if (Math.abs(value) < 2 ** 63) return BigInt(value);
  return value < 0 ? -(2n ** 63n) : 2n ** 63n - 1n;
}

function needed(text: string): string {
  if (text === "") throw new Error("HiveQL: an empty text is no XML and no path");
  return text;
}

const kept = new Map<string, XmlPath | InvalidPath>();
const most = 256;

function evaluated<Result>(xml: string, path: string, read: (value: XmlValue) => Result): Result {
  try {
    const compiled = pathOf(path);
    if (compiled instanceof InvalidPath) throw compiled;
    const document = readXml(xml);
    if (isUneven(path, document)) throw new Error("such a document is not evaluated as Java does");
    return read(compiled.evaluate({ node: document }));
  } catch (error) {
    throw failure(path, error);
  }
}

function failure(path: string, error: unknown): Error {
  const reason = error instanceof Error ? error.message : String(error);
  return new Error(`HiveQL: cannot evaluate the path '${path}': ${reason}`, { cause: error });
}

/** @throws Error where it cannot be said. */
function isInvalid(path: string): boolean {
  try {
    return pathOf(path) instanceof InvalidPath;
  } catch (error) {
    throw failure(path, error);
  }
}

function pathOf(path: string): XmlPath | InvalidPath {
  const known = kept.get(path);
  if (known) return known;
  if (kept.size >= most) kept.clear();
  const read = readOrInvalid(path);
  kept.set(path, read);
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
