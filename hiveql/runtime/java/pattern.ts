/** Java regular expressions, as far as RE2 reads them the same. */

import { Unreadable } from "./regex/reader";

/** RE2's spelling of a pattern. */
export interface QuickPattern {
  readonly pattern: string;
  /** Whether `$` stands in it. */
  readonly hasEnd: boolean;
}

/** Any character but Java's line terminators. */
const dot = String.raw`[^\n\r\x{85}\x{2028}\x{2029}]`;
/** Where Java's `$` matches: at the end, and before a line terminator that ends the text, which it does not take. */
const laxEnd = String.raw`(?:(?:\r\n|[\n\r\x{85}\x{2028}\x{2029}])?\z)`;
/** `$` where what is matched counts: right for texts that no line terminator ends. */
const strictEnd = String.raw`\z`;
const space = String.raw`\t\n\x0B\f\r `;

/** Letters that mean the same after a backslash; Java's `\b` knows the letters of all alphabets, RE2's does not. */
const sameEscapes = /^[dDwWtnrfaAz]$/;
const posixClasses: Readonly<Record<string, string>> = {
  Lower: "a-z",
  Upper: "A-Z",
  Alpha: "A-Za-z",
  Digit: "0-9",
  Alnum: "0-9A-Za-z",
  Space: space,
};

/**
 * Translates a pattern; absent where a construct of it is not known to be the same in both.
 * @param isTest whether only the fact of a match counts, and not what is matched.
 */
export function readJavaPattern(source: string, isTest: boolean): QuickPattern | undefined {
  const reader = new Reader(source, isTest ? laxEnd : strictEnd);
  try {
    const pattern = reader.read();
    return { pattern, hasEnd: reader.hasEnd };
  } catch (error) {
    if (error instanceof Unreadable) return undefined;
    throw error;
  }
}

class Reader {
  hasEnd = false;
  /** Of ASCII alone in Java, of all letters in RE2: written out. */
  private ignoresCase = false;
  private index = 0;

  constructor(
    private readonly source: string,
    private readonly end: string,
  ) {}

  read(): string {
    let result = "";
    while (this.index < this.source.length) result += this.next();
    return result;
  }

  private next(): string {
    const character = this.take();
    switch (character) {
      case "\\":
        return this.escape(false);
      case "[":
        return this.characterClass();
      case "(":
        return this.group();
      case ".":
        return dot;
      case "$":
        if (this.index < this.source.length && !/^[)|]/.test(this.rest()))
          throw new Unreadable("$ inside of a pattern");
        this.hasEnd = true;
        return this.end;
      case "*":
      case "+":
      case "?":
        return character + this.afterRepetition();
      case "{":
        return this.repetition();
      default:
        return this.literal(character);
    }
  }

  private literal(character: string): string {
    if (!this.ignoresCase || !/[A-Za-z]/.test(character)) return character;
    return `[${character.toUpperCase()}${character.toLowerCase()}]`;
  }

  private take(): string {
    const character = this.source[this.index] ?? "";
    this.index += 1;
    return character;
  }

  private rest(): string {
    return this.source.slice(this.index);
  }

  private afterRepetition(): string {
    if (this.rest().startsWith("+")) throw new Unreadable("a possessive repetition");
    return "";
  }

  private repetition(): string {
    const counts = /^(\d{1,3})(,(\d{1,3})?)?\}/.exec(this.rest());
    if (!counts) throw new Unreadable("{ that begins no repetition");
    this.index += counts[0].length;
    return `{${counts[0]}${this.afterRepetition()}`;
  }

  private group(): string {
    if (!this.rest().startsWith("?")) return "(";
    if (this.rest().startsWith("?:")) {
      this.index += 2;
      return "(?:";
    }
    if (this.rest().startsWith("?i)") && this.index === 1) {
      this.index += 3;
      this.ignoresCase = true;
      return "";
    }
    throw new Unreadable("a group that begins with (?");
  }

  private escape(insideClass: boolean): string {
    const letter = this.take();
    if (letter === "s") return insideClass ? space : `[${space}]`;
    if (letter === "S" && !insideClass) return `[^${space}]`;
    if (letter === "p" && this.rest().startsWith("{")) {
      const name = /^\{(\w+)\}/.exec(this.rest());
      const members = posixClasses[name?.[1] ?? ""];
      if (!name || members === undefined) throw new Unreadable(`\\p${name?.[0] ?? ""}`);
      this.index += name[0].length;
      return insideClass ? members : `[${members}]`;
    }
    if (sameEscapes.test(letter) && !(insideClass && /[AzDW]/.test(letter))) return `\\${letter}`;
    if (letter === "" || /[A-Za-z0-9]/.test(letter)) throw new Unreadable(`\\${letter}`);
    return `\\${letter}`;
  }

  /** A class of characters; Java nests and intersects them, RE2 does not. */
  private characterClass(): string {
    let result = "[";
    if (this.rest().startsWith("^")) result += this.take();
    if (this.rest().startsWith("]")) throw new Unreadable("] as the first of a class");
    while (this.index < this.source.length) {
      const character = this.take();
      if (character === "]") return `${result}]`;
      if (character === "[") throw new Unreadable("a class inside of a class");
      if (character === "&" && this.rest().startsWith("&")) throw new Unreadable("an intersection of classes");
      if (character === "\\") result += this.escape(true);
      else if (this.ignoresCase && /[A-Za-z]/.test(character)) result += this.letters(character);
      else result += character;
    }
    throw new Unreadable("a class without an end");
  }

  /** A letter or a range that begins with one, in both cases. */
  private letters(first: string): string {
    const range = /^-([^\]\\[])/.exec(this.rest())?.[1];
    if (range === undefined) return first.toUpperCase() + first.toLowerCase();
    if (!/^(?:[a-z][a-z]|[A-Z][A-Z])$/.test(first + range)) throw new Unreadable("a range of letters and others");
    this.index += 2;
    return `${first.toUpperCase()}-${range.toUpperCase()}${first.toLowerCase()}-${range.toLowerCase()}`;
  }
}
