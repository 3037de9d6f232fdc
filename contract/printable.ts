/** Makes text safe to show: a terminal obeys control characters, and bidirectional ones reorder what a reader sees. */

// oxlint-disable-next-line no-control-regex -- the pattern finds control characters
const controls = /[\u0000-\u001f\u007f-\u009f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/g;

/** Returns a text of one line with each control character shown as an escape, such as `\u001b` or `\n`. */
export function printable(text: string): string {
  return text.replace(controls, escaped);
}

/** Returns a text of several lines: as {@link printable}, but line breaks and tabs remain. */
export function printableText(text: string): string {
  return text
    .replaceAll("\r\n", "\n")
    .replace(controls, (character) => (character === "\n" || character === "\t" ? character : escaped(character)));
}

/** Returns a JSON text of the same value whose control characters are all escaped; JSON itself leaves some as they are. */
export function printableJson(json: string): string {
  // Outside its texts, JSON has no control characters but white space.
  return json.replace(controls, (character) => (character < " " ? character : unicodeEscape(character)));
}

/** Returns a text as it is up to so many characters, else its first ones, followed by `…`. */
export function shortened(text: string, most: number): string {
  if (text.length <= most) return text;
  const last = text.charCodeAt(most - 1);
  // Half of a character outside the basic plane is not valid text.
  const endsInHalf = last >= 0xd800 && last <= 0xdbff;
  return `${text.slice(0, endsInHalf ? most - 1 : most)}…`;
}

function escaped(character: string): string {
  const named: Readonly<Record<string, string>> = { "\t": "\\t", "\n": "\\n", "\r": "\\r" };
  return named[character] ?? unicodeEscape(character);
}

function unicodeEscape(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`;
}
