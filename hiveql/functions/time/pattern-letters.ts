/** The letters of Java's date patterns. */
import type { CallSite } from "../define";

/** A part of a pattern: letters that stand for a field, or text. */
export type Token =
  | { readonly kind: "text"; readonly text: string }
  | { readonly kind: "letters"; readonly letter: string; readonly count: number; readonly at: number };
/** The letters of one field. */
export type Letters = Extract<Token, { kind: "letters" }>;

/** Returns the letters and the texts between them. */
export function tokens(pattern: string, call: CallSite): readonly Token[] {
  const result: Token[] = [];
  // A pattern that is optional as a whole means the same without its brackets.
  const plain = pattern.replace(/^\[([^[\]]*)\]$/, "$1");
  for (const match of plain.matchAll(/([A-Za-z])\1*|''|'(?:[^']|'')*'|[^A-Za-z']+|'/g)) {
    const [text, letter] = match;
    if (letter !== undefined) result.push({ kind: "letters", letter, count: text.length, at: match.index + 1 });
    else if (text === "''") result.push({ kind: "text", text: "'" });
    else if (text === "'")
      throw call.invalid(`has an unterminated quote at character ${match.index + 1} of its pattern`);
    else if (text.startsWith("'")) result.push({ kind: "text", text: text.slice(1, -1).replaceAll("''", "'") });
    else {
      const special = /[[\]{}#]/.exec(text);
      if (special)
        throw call.refused(`has ${special[0]} at character ${match.index + special.index + 1} of its pattern`);
      result.push({ kind: "text", text });
    }
  }
  return result;
}

/** Returns true when Java refuses a pattern because a number has more than two letters, such as `sss` for milliseconds. */
export const isTooLong = (pattern: string, call: CallSite): boolean =>
  tokens(pattern, call).some(
    (token) => token.kind === "letters" && "dHhKkms".includes(token.letter) && token.count > 2,
  );

/** Returns the error for letters that the embedded engine does not support. */
export function unsupportedLetters(token: Letters, call: CallSite, why = ""): Error {
  const letters = token.letter.repeat(token.count);
  return call.refused(`has ${letters}${why && ` ${why}`} at character ${token.at} of its pattern`);
}
