/** Decodes identifier tokens and string tokens of HiveQL. */

/** Returns the name of an identifier token without backticks, in lower case: `` `My``Col` `` is ``my`col``. */
export function identifierName(text: string): string {
  const bare = text.startsWith("`") ? text.slice(1, -1).replaceAll("``", "`") : text;
  return bare.toLowerCase();
}

/**
 * Returns the value of a StringLiteral token. A token may hold several adjacent quoted parts, which Hive concatenates:
 * `'a'"b"` is `ab`.
 */
export function stringValue(token: string): string {
  let value = "";
  for (let index = 0; index < token.length;) {
    const end = closingQuote(token, index);
    value += unescape(token.slice(index + 1, end));
    index = end + 1;
  }
  return value;
}

function closingQuote(token: string, start: number): number {
  const quote = token[start];
  let index = start + 1;
  while (token[index] !== quote) index += token[index] === "\\" ? 2 : 1;
  return index;
}

const escapes: Readonly<Record<string, string>> = {
  "0": "\0",
  "'": "'",
  '"': '"',
  b: "\b",
  n: "\n",
  r: "\r",
  t: "\t",
  Z: "\u001A",
  "\\": "\\",
  // LIKE interprets these escapes, so the backslash stays.
  "%": "\\%",
  _: "\\_",
};

/**
 * Decodes octal escapes `\\ooo`, `\\uXXXX` and {@link escapes}; before any other character the backslash is dropped.
 */
function unescape(body: string): string {
  return body.replace(/\\(?:u([0-9A-Fa-f]{4})|([0-1][0-7][0-7])|([\s\S]))/g, (_match, unicode, octal, other) => {
    if (unicode !== undefined) return String.fromCharCode(Number.parseInt(unicode, 16));
    if (octal !== undefined) return String.fromCharCode(Number.parseInt(octal, 8));
    return escapes[other as string] ?? (other as string);
  });
}
