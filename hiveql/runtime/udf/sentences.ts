/** Sentences and their words as Java's BreakIterator parts them, where its rules are plain. */
import { type DuckDBListValue, listValue } from "@duckdb/node-api";

/**
 * The words of each sentence.
 * @throws Error for characters and punctuation that Java parts by rules that are not known here.
 */
export function sentences(text: string): DuckDBListValue {
  return listValue(sentenceParts(text).map((part) => listValue(wordParts(part).filter((word) => isWord.test(word)))));
}

const isWord = /^[\p{L}\p{Nd}]/u;
/** What is read at all: ASCII, and letters of alphabets with two cases. */
const strange = /[^\t\n\f\r -~\p{Lu}\p{Ll}]|(?![\p{Script=Latin}\p{Script=Greek}\p{Script=Cyrillic}])\p{L}/u;
/** A mark that may end a sentence, what closes behind it, blanks, what opens, and the character behind all that. */
const ends = /([!?][!?.]*|\.+)(["')\]}]*)([ \t\r\f\n]*)(?=(["'([{]*)([^]?))/gu;

/** Sentences with their blanks behind them. */
function sentenceParts(text: string): readonly string[] {
  if (strange.test(text)) throw unknown(text);
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

/** Whether a sentence ends before other text: behind a period only where a letter follows that is no small one at once. */
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

/** Words, and between them all else; of what fits the longest is taken. */
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
  new Error(`HiveQL: sentences of a text that Java parts by rules that are not known here: ${text.slice(0, 60)}`);
