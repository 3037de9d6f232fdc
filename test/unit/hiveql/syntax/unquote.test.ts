import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { identifierName, stringValue } from "../../../../hiveql/syntax/unquote";

describe("stringValue: Hive's escapes", () => {
  test.each([
    [String.raw`'a\tb\n'`, "a\tb\n"],
    [String.raw`'a\'b'`, "a'b"],
    [String.raw`"a\"b"`, 'a"b'],
    [String.raw`'\u00e9'`, "é"],
    [String.raw`'\101'`, "A"],
    [String.raw`'a\%b\_'`, String.raw`a\%b\_`],
    [String.raw`'a\qb'`, "aqb"],
    [String.raw`'\\'`, "\\"],
    ["'it''s'", "its"],
    [`'a'"b"`, "ab"],
  ])("%s", (token, value) => {
    expect(stringValue(token)).toBe(value);
  });

  test("text without quotes and backslashes is unchanged", () => {
    fc.assert(
      fc.property(
        fc.string().filter((text) => !/['\\]/.test(text)),
        (text) => {
          expect(stringValue(`'${text}'`)).toBe(text);
        },
      ),
    );
  });
});

describe("identifierName", () => {
  test.each([
    ["Key", "key"],
    ["`My Col`", "my col"],
    ["`a``b`", "a`b"],
  ])("%s", (token, name) => {
    expect(identifierName(token)).toBe(name);
  });
});
