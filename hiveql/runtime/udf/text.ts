/** String functions with Java's behaviour that SQL cannot express. */
import { createHash } from "node:crypto";
import { crc32 as checksum } from "node:zlib";
import { DuckDBBlobValue } from "@duckdb/node-api";
import { absolute, parse, print } from "../java/decimals";
import { exactDigits, printedDigits, roundHalfEven } from "../java/exact-numbers";
import { withCommas } from "./printf";

/** Returns the position of a substring, from 1 in UTF-16 code units; 0 when there is none. */
export const utf16Position = (text: string, part: string): number => text.indexOf(part) + 1;

const soundexCodes: Readonly<Record<string, string>> = Object.fromEntries(
  ["BFPV", "CGJKQSXZ", "DT", "L", "MN", "R"].flatMap((letters, index) =>
    [...letters].map((letter) => [letter, String(index + 1)]),
  ),
);

/** Returns the Soundex code; NULL for texts with letters other than A to Z. */
export function soundex(text: string): string | null {
  const letters = text.replaceAll(/[^\p{L}]/gu, "").toUpperCase();
  if (letters === "") return "";
  if (!/^[A-Z]+$/.test(letters)) return null;
  let code = letters[0] ?? "";
  let last = soundexCodes[code];
  for (const letter of letters.slice(1)) {
    const digit = soundexCodes[letter];
    if (digit !== undefined && digit !== last) code += digit;
    if (letter !== "H" && letter !== "W") last = digit;
  }
  return code.padEnd(4, "0").slice(0, 4);
}

/** Returns the Levenshtein distance in UTF-16 code units. */
export function levenshtein(left: string, right: string): number {
  let row = Array.from({ length: right.length + 1 }, (_unused, index) => index);
  for (let i = 0; i < left.length; i += 1) {
    const next = [i + 1];
    for (let j = 0; j < right.length; j += 1) {
      const same = left[i] === right[j] ? 0 : 1;
      next.push(Math.min((row[j] ?? 0) + same, (row[j + 1] ?? 0) + 1, (next[j] ?? 0) + 1));
    }
    row = next;
  }
  return row[right.length] ?? 0;
}

/** Formats a floating point number as Java's `#,###,##0.00` does; NULL for a negative number of decimals. */
export function formatDouble(value: number, decimals: number): string | null {
  if (decimals < 0) return null;
  if (Number.isNaN(value)) return "NaN";
  if (!Number.isFinite(value)) return value > 0 ? "∞" : "-∞";
  const printed = printedDigits(value);
  // Java writes the printed digits, but rounds the exact value.
  const digits = decimals < printed.scale ? exactDigits(value) : printed;
  return grouped(roundHalfEven(digits, decimals), decimals, value < 0 || Object.is(value, -0));
}

/** Formats a decimal or integer, given as text; NULL for a negative number of decimals. */
export function formatDecimal(text: string, decimals: number): string | null {
  if (decimals < 0) return null;
  return grouped(roundHalfEven(parse(text), decimals), decimals, text.startsWith("-"));
}

const grouped = (digits: bigint, decimals: number, isNegative: boolean) =>
  `${isNegative ? "-" : ""}${withCommas(print(absolute(digits), decimals))}`;

const urlForm = /^([A-Za-z][A-Za-z0-9+.-]*):(?:\/\/([^/?#]*))?([^?#]*)(?:\?([^#]*))?(?:#(.*))?$/s;

/** The protocols that Java supports; URLs with other protocols are invalid. */
const protocols: ReadonlySet<string> = new Set(["http", "https", "ftp", "file", "jar", "mailto"]);

/** Returns a part of a URL, as java.net.URL does; NULL when it is missing. */
export function urlPart(url: string, part: string): string | null {
  const match = urlForm.exec(url.trim());
  if (!match || !protocols.has((match[1] ?? "").toLowerCase())) return null;
  const [, protocol = "", authority, path = "", query, ref] = match;
  const user = authority?.includes("@") ? authority.slice(0, authority.lastIndexOf("@")) : undefined;
  const host = authority?.slice(authority.lastIndexOf("@") + 1).replace(/:\d*$/, "");
  const parts = new Map([
    ["PROTOCOL", protocol.toLowerCase()],
    ["AUTHORITY", authority],
    ["USERINFO", user],
    ["HOST", host ?? ""],
    ["PATH", path],
    ["FILE", query === undefined ? path : `${path}?${query}`],
    ["QUERY", query],
    ["REF", ref],
  ]);
  return parts.get(part) ?? null;
}

/** Returns the value of a key in a URL's query string. */
export function urlQuery(url: string, part: string, key: string): string | null {
  const query = part === "QUERY" ? urlPart(url, "QUERY") : null;
  for (const pair of query?.split("&") ?? []) {
    if (pair.startsWith(`${key}=`)) return pair.slice(key.length + 1);
  }
  return null;
}

/** Returns the SHA-2 hash with a number of bits, in hexadecimal. */
export function sha2(value: DuckDBBlobValue, bits: number): string {
  return createHash(`sha${bits}`).update(value.bytes).digest("hex");
}

/** Decodes base64 and ignores invalid characters. */
export function unbase64(text: string): DuckDBBlobValue {
  return new DuckDBBlobValue(Buffer.from(text, "base64"));
}

/** Returns the CRC-32 checksum. */
export function crc32(value: DuckDBBlobValue): bigint {
  return BigInt(checksum(value.bytes));
}

/** Escapes control characters below U+0020 as JSON does. */
export function escapeControls(text: string): string {
  return text.replaceAll(/\p{Cc}/gu, (control) => (control < " " ? JSON.stringify(control).slice(1, -1) : control));
}
