/** An independent, slow row parser as test oracle, and generators of texts that are hard to cut. */
import fc from "fast-check";
import type { InputFormat } from "../../../../contract";

/** Returns the row ends, by decoding the text and parsing it field by field. */
export function rowEnds(bytes: Buffer, format: InputFormat): number[] {
  const text = bytes.toString("latin1");
  const ends: number[] = [];
  if (format !== "csv") {
    for (let at = text.indexOf("\n"); at >= 0; at = text.indexOf("\n", at + 1)) ends.push(at + 1);
    return ends;
  }
  let at = text.startsWith("\xef\xbb\xbf") ? 3 : 0;
  while (at < text.length) {
    const field = /^ ?"/.test(text.slice(at)) ? quotedField(text, at) : at;
    if (field < 0) return ends;
    const separator = text.slice(field).search(/[,\n\r]/);
    if (separator < 0) return ends;
    at = field + separator + 1;
    if (text[at - 1] === "\n") ends.push(at);
  }
  return ends;
}

/** Returns the index after the field's closing quote, or -1. */
function quotedField(text: string, start: number): number {
  for (let at = text.indexOf('"', start) + 1; at < text.length; at++) {
    if (text[at] !== '"') continue;
    if (text[at + 1] !== '"') return at + 1;
    at++;
  }
  return -1;
}

/** Generates text from the characters that are special to a CSV reader. */
export const csvText = fc
  .array(
    fc.oneof(
      { weight: 6, arbitrary: fc.constantFrom('"', '""', ",", "\n", "\r\n", " ", "\t", "\\", "'") },
      { weight: 4, arbitrary: fc.constantFrom("a", "bc", "1.5", "é", "\u{1f600}", '"x,y"', '"l\nm"', "\u{feff}") },
      { weight: 1, arbitrary: fc.string({ maxLength: 5 }) },
    ),
    { maxLength: 60 },
  )
  .map((parts) => parts.join(""));
