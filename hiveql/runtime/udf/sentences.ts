/** Sentence and word boundaries as in Java's BreakIterator, for texts with simple rules. */
import { type DuckDBListValue, listValue } from "@duckdb/node-api";

/**
 * Returns the words of each sentence.
 * @throws Error for characters and punctuation whose rules in Java are not implemented.
 */
export function sentences(text: string): DuckDBListValue {
  return listValue(sentenceParts(text).map((part) => listValue(wordParts(part).filter((word) => isWord.test(word)))));
}

const isWord = /^[\p{L}\p{Nd}]/u;
/** Characters that are not supported: all except ASCII and Latin, Greek and Cyrillic letters. */
const unsupportedCharacters =
  /[^\t\n\f\r -~\p{Lu}\p{Ll}]|(?![\p{Script=Latin}\p{Script=Greek}\p{Script=Cyrillic}])\p{L}/u;
/** A possible end of a sentence: mark, closing punctuation, blanks, opening punctuation and the next character. */
const ends = /([!?][!?.]*|\.+)(["')\]}]*)([ \t\r\f\n]*)(?=(["'([{]*)([^]?))/gu;

/** Splits a text into sentences with their trailing blanks. */
function sentenceParts(text: string): readonly string[] {
  if (unsupportedCharacters.test(text)) throw unknown(text);
  const parts: string[] = [];
  let begin = 0;
  for (const found of text.matchAll(ends)) {
    const end = found.index + found[0].length;
    if (end === text.length || isEnd(text, found)) {
      parts.push(text.slice(begin, end));
      begin = end;
    }
  }
  return begin < text.length ? [...parts, text.slice(begin)] : parts;
}

/**
 * Returns true when a sentence ends before other text. After a period and one blank the next letter must be upper case;
 * after several blanks or an opening mark it can be lower case.
 */
function isEnd(text: string, [, mark = "", close = "", space = "", open = "", next = ""]: RegExpMatchArray): boolean {
  const isPlain = /[\p{L}0-9]/u.test(next);
  const isBeside = space === "" && (close !== "" || open !== "");
  if (!isPlain || isBeside || (open !== "" && space.length > 1 && /[0-9]/.test(next))) throw unknown(text);
  if (/[!?]/.test(mark)) return true;
  if (mark.length > 1 && space === "") throw unknown(text);
  return space !== "" && (/\p{Lu}/u.test(next) || ((space.length > 1 || open !== "") && /\p{Ll}/u.test(next)));
}

const word = String.raw`\p{L}+(?:[-"'._]\p{L}+)*`;
const number = String.raw`[0-9]+(?:["',.][0-9]+)*`;
const tail = `(?:${number}${word})*(?:${number}[%&]?)?`;
const forms = [new RegExp(word + tail, "uy"), new RegExp(`[$#.]?${tail}`, "uy"), /[ \t]*\r?[\n\f]?/y];

/** Splits a sentence into words and the text between them; the longest match wins. */
function wordParts(text: string): readonly string[] {
  const parts: string[] = [];
  for (let at = 0; at < text.length; at += parts.at(-1)?.length ?? 1) {
    const lengths = forms.map((form) => {
      form.lastIndex = at;
      return form.exec(text)?.[0].length ?? 0;
    });
    parts.push(text.slice(at, at + Math.max(1, ...lengths)));
  }
  return parts;
}

const unknown = (text: string) =>
  new Error(`HiveQL: sentences of a text with unsupported characters or punctuation: ${text.slice(0, 60)}`);
