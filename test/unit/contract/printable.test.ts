import fc from "fast-check";
import { expect, test } from "vitest";
import { printable, printableJson, printableText } from "../../../contract";

const characters = fc.constantFrom(
  ...'ab\\"\t\n\r\0\u0007\u001b\u007f\u0080\u009b\u009f\u061c\u200e\u200f\u202a\u202e\u2066\u2069\u00e9\u{1f600}\ud800',
);
const texts = fc.string({ unit: characters, maxLength: 50 });
const controls = /[\p{Cc}\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/u;

test("printable: returns one line without control characters", () => {
  fc.assert(fc.property(texts, (text) => void expect(printable(text)).not.toMatch(controls)));
  expect(printable("a\u001b[2J\u0007\n\u202eé😀")).toBe("a\\u001b[2J\\u0007\\n\\u202eé😀");
});

test("printableText: keeps line breaks and tabs only", () => {
  fc.assert(
    fc.property(texts, (text) => void expect(printableText(text).replaceAll(/[\n\t]/g, "")).not.toMatch(controls)),
  );
  expect(printableText("a\tb\r\nc\rd\u009b2J")).toBe("a\tb\nc\\rd\\u009b2J");
});

test("printableJson: is the JSON of the same value, without control characters", () => {
  fc.assert(
    fc.property(texts, (text) => {
      const json = printableJson(JSON.stringify({ [text]: [text] }));
      expect(json).not.toMatch(controls);
      expect(JSON.parse(json)).toEqual({ [text]: [text] });
    }),
  );
});
