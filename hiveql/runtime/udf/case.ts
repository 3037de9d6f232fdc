/** Case conversion as in Java, for letters with special rules. */

/** Letters whose upper case has several letters, as members of a regular expression class. */
export const multiLetterUppercase =
  "\u00df\u0149\u01f0\u0390\u03b0\u0587\u1e96-\u1e9a\u1f50\u1f52\u1f54\u1f56\u1f80-\u1faf\u1fb2-\u1fb4\u1fb6\u1fb7\u1fbc\u1fc2-\u1fc4\u1fc6\u1fc7\u1fcc\u1fd2\u1fd3\u1fd6\u1fd7\u1fe2-\u1fe4\u1fe6\u1fe7\u1ff2-\u1ff4\u1ff6\u1ff7\u1ffc\ufb00-\ufb06\ufb13-\ufb17";

const expandingLetters = new RegExp(`[${multiLetterUppercase}]`, "gu");

/** Replaces {@link multiLetterUppercase} letters by their upper case. */
export const expandUppercase = (text: string): string =>
  text.replaceAll(expandingLetters, (letter) => letter.toUpperCase());

/** Lower-cases a text with a dotted capital I, or a capital sigma, whose lower case depends on its position. */
export function lowerInContext(text: string): string {
  if (/Σ[^\p{L}\p{M}\s]+\p{L}/u.test(text))
    throw new Error(
      `HiveQL: lower case of a capital sigma before a punctuation mark within a word: ${text}. Filter such texts out`,
    );
  return text.toLowerCase();
}

/** Converts the first letter of each word to title case and the others to lower case; white space separates words. */
export function initcap(text: string): string {
  // oxlint-disable-next-line no-control-regex -- Hive's white space includes control characters
  const letters = /(^|[\t-\r\x1C-\x20])([^\t-\r\x1C-\x20])/gu;
  return lowerInContext(text).replaceAll(
    letters,
    (_match, before: string, letter: string) => before + titleCase(letter),
  );
}

/** Letters whose title case is neither themselves nor their upper case. */
const titled = /[ǄǅǆǇǈǉǊǋǌǱǲǳ\u1f80-\u1fafᾳῃῳ]/u;

function titleCase(letter: string): string {
  if (titled.test(letter))
    throw new Error(`HiveQL: initcap of a word that begins with ${letter}: filter such texts out`);
  const upper = letter.toUpperCase();
  return [...upper].length > 1 || /[ა-ჿ]/u.test(letter) ? letter : upper;
}
