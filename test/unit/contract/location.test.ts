import { join } from "node:path";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  asFolder,
  formatLocation,
  isWithin,
  LocationError,
  overlaps,
  parseLocation,
  type Location,
} from "../../../contract";
import { resultOrError } from "./result-or-error";

const segment = fc
  .string({ unit: "grapheme", minLength: 1, maxLength: 20 })
  // oxlint-disable-next-line no-control-regex -- what a location may not hold
  .filter((text) => !/[/\\\u0000-\u001f\u007f]/.test(text) && text !== "." && text !== ".." && text.isWellFormed());
const location: fc.Arbitrary<Location> = fc.record({
  bucket: fc.stringMatching(/^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$/),
  key: fc
    .tuple(fc.array(segment, { maxLength: 6 }), fc.boolean())
    .map(([segments, folder]) => segments.join("/") + (folder && segments.length > 0 ? "/" : "")),
});
const folderOf = (text: string) => asFolder(parseLocation(text));

describe("parseLocation", () => {
  it("reads back what formatLocation writes", () => {
    fc.assert(fc.property(location, (value) => void expect(parseLocation(formatLocation(value))).toEqual(value)));
  });

  it.each([
    ["dag://bucket", { bucket: "bucket", key: "" }],
    ["dag://bucket/", { bucket: "bucket", key: "" }],
    ["dag://my.bucket-1/a/b.csv", { bucket: "my.bucket-1", key: "a/b.csv" }],
    ["dag://bucket/a/", { bucket: "bucket", key: "a/" }],
    ["dag://bucket/tmp_$folder$", { bucket: "bucket", key: "tmp_$folder$" }],
  ])("%s", (text, expected) => expect(parseLocation(text)).toEqual(expected));

  it.each([
    ["", "form"],
    ["s3://bucket/a", "form"],
    ["dag:/bucket/a", "form"],
    ["DAG://bucket/a", "form"],
    ["dag:///a", "bucket"],
    ["dag://ab/a", "bucket"],
    ["dag://Bucket/a", "bucket"],
    ["dag://-bucket/a", "bucket"],
    ["dag://../etc/passwd", "bucket"],
    [`dag://${"b".repeat(64)}/a`, "bucket"],
    ["dag://bucket/../a", "'..'"],
    ["dag://bucket/a/..", "'..'"],
    ["dag://bucket/a/../", "'..'"],
    ["dag://bucket/./a", "'.'"],
    ["dag://bucket/a//b", "empty"],
    ["dag://bucket//", "empty"],
    ["dag://bucket/a\\b", "backslashes"],
    ["dag://bucket/a\u0000b", "control"],
    ["dag://bucket/a\nb", "control"],
    ["dag://bucket/a\ud800b", "Unicode"],
    [`dag://bucket/${"a".repeat(256)}`, "255"],
    [`dag://bucket/${"ä".repeat(128)}`, "255"],
    [`dag://bucket/${"abc/".repeat(300)}`, "1024"],
  ])("%j is refused, saying which rule it breaks (%s)", (text, rule) => {
    expect(() => parseLocation(text)).toThrow(LocationError);
    expect(() => parseLocation(text)).toThrow(rule);
  });

  it("rejects every key that would leave the bucket", () => {
    fc.assert(
      fc.property(fc.string({ unit: fc.constantFrom(".", "/", "a", "\\", "\0", "%", " ") }), (key) => {
        const parsed = resultOrError(() => parseLocation(`dag://bucket/${key}`).key);
        const inside = typeof parsed === "string" && `${join("/root/bucket", parsed)}/`.startsWith("/root/bucket/");
        expect(inside || parsed instanceof LocationError).toBe(true);
      }),
    );
  });
});

describe("folders", () => {
  it("asFolder: ends in a slash or is the bucket, and is idempotent", () => {
    fc.assert(
      fc.property(location, (value) => {
        const folder = asFolder(value);
        expect(folder.key === "" || folder.key.endsWith("/")).toBe(true);
        expect(asFolder(folder)).toEqual(folder);
      }),
    );
  });

  it.each([
    ["dag://bucket/a", "dag://bucket/a", true],
    ["dag://bucket/a/b", "dag://bucket/a", true],
    ["dag://bucket/a/", "dag://bucket", true],
    ["dag://bucket/ab", "dag://bucket/a", false],
    ["dag://bucket/a", "dag://bucket/a/b", false],
    ["dag://other/a", "dag://bucket/a", false],
  ])("isWithin: %s in %s is %s", (inner, outer, expected) => {
    expect(isWithin(folderOf(inner), folderOf(outer))).toBe(expected);
    expect(isWithin(parseLocation(inner), parseLocation(outer))).toBe(expected);
  });

  it("overlaps: is symmetric, and true for a folder and its contents", () => {
    fc.assert(
      fc.property(location, location, segment, (a, b, name) => {
        expect(overlaps(a, b)).toBe(overlaps(b, a));
        expect(overlaps(a, { bucket: a.bucket, key: asFolder(a).key + name })).toBe(true);
      }),
    );
  });
});
