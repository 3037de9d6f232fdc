/** Parts of a pattern in ECMAScript's syntax with the flag v, and in RE2's. */
import { type CharacterSet, toEcmaScript, toRe2 } from "./character-sets";

/** A part of the pattern. */
export interface Piece {
  readonly text: string;
  /** Undefined when RE2 has no equivalent. */
  readonly re2?: string | undefined;
  readonly mayBeEmpty: boolean;
  /** True when RE2's text contains the beginning of the text. */
  readonly hasBegin?: boolean;
  /** True when RE2's text contains the end of the text. */
  readonly hasEnd?: boolean;
  /** True when a quantifier can follow without a group around the text. */
  readonly isAtom?: boolean;
}

/** A pattern in RE2's syntax. */
export interface Re2Pattern {
  /** For tests of a match; `$` includes a line terminator at the end, which Java does not include in the match. */
  readonly test: string;
  /** For uses of the matched text; `$` is correct only for texts without a line terminator at the end. */
  readonly text: string;
  /** True when the pattern contains `^` or `\A`. */
  readonly hasBegin: boolean;
  /** True when the pattern contains `$`. */
  readonly hasEnd: boolean;
}

const wordBefore = String.raw`(?<=[\p{L}\p{Nd}_]|[\p{L}\p{Nd}]\p{Mn}+)`;
const wordAfter = String.raw`(?:(?=[\p{L}\p{Nd}_])|(?=\p{Mn})(?<=[\p{L}\p{Nd}]\p{Mn}*))`;
/** Java's line terminators; `\r\n` is one. */
const terminator = String.raw`(?:\r\n|(?<!\r)\n|[\r\u0085\u2028\u2029])`;
/** What stands for the end of the text in RE2's pattern until it is known how the match is used. */
const endMark = "\0";
const endOrTerminator = String.raw`(?:(?:\r\n|[\n\r\x{85}\x{2028}\x{2029}])?\z)`;

/** Returns an assertion, which matches the empty string. */
export const assertion = (text: string, re2?: string): Piece => ({ text, re2, mayBeEmpty: true });
/** `^`, `$` and the like. */
export const begin: Piece = { ...assertion("^", String.raw`\A`), hasBegin: true };
export const end: Piece = { ...assertion(`(?=${terminator}?$)`, endMark), hasEnd: true };
export const endOfInput: Piece = { ...assertion("$", String.raw`\z`), hasEnd: true };
export const beginOfLine = assertion(String.raw`(?:^|(?<=[\n\u0085\u2028\u2029])|(?<=\r)(?!\n))(?=[\s\S])`);
export const endOfLine = assertion(`(?=${terminator}|$)`);
export const boundary = assertion(`(?:${wordBefore}(?!${wordAfter})|(?!${wordBefore})${wordAfter})`);
export const noBoundary = assertion(`(?:${wordBefore}${wordAfter}|(?!${wordBefore})(?!${wordAfter}))`);

/** Returns a character of a set. */
export const ofSet = (set: CharacterSet): Piece => ({
  text: toEcmaScript(set),
  re2: toRe2(set),
  mayBeEmpty: false,
  isAtom: true,
});

/** Returns a piece to which a quantifier can be appended. */
export const grouped = ({ text, re2, ...piece }: Piece): Piece => ({
  ...piece,
  text: `(?:${text})`,
  // DuckDB takes an empty group for an edge of the text.
  re2: re2 === undefined || re2 === "" ? re2 : `(?:${re2})`,
  isAtom: true,
});

/** Returns RE2's text of several pieces; undefined when one has none. */
export const joined = (pieces: readonly Piece[], separator: string) =>
  pieces.some(({ re2 }) => re2 === undefined) ? undefined : pieces.map(({ re2 }) => re2).join(separator);

/** Says which edges of the text the pieces contain. */
export const edges = (pieces: readonly Piece[]) => ({
  hasBegin: pieces.some(({ hasBegin }) => hasBegin),
  hasEnd: pieces.some(({ hasEnd }) => hasEnd),
});

/** Returns the whole pattern for RE2; undefined when RE2 has no equivalent. */
export const re2Of = ({ re2, hasBegin = false }: Piece): Re2Pattern | undefined =>
  re2 === undefined
    ? undefined
    : {
        test: re2.replaceAll(endMark, endOrTerminator),
        text: re2.replaceAll(endMark, String.raw`\z`),
        hasBegin,
        hasEnd: re2.includes(endMark),
      };
