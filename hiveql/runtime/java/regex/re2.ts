/** Translation of Java regular expressions to RE2, for patterns that both match in the same way. */

import { UnsupportedRegex } from "./reader";

/** A pattern in RE2's syntax. */
export interface Re2Pattern {
  readonly pattern: string;
  /** True when the pattern contains `$`. */
  readonly hasEnd: boolean;
}

/** Any character except Java's line terminators. */
const dot = String.raw`[^\n\r\x{85}\x{2028}\x{2029}]`;
/** Java's `$`: the end of the text, or a line terminator at the end, which Java does not include in the match. */
const endOrTerminator = String.raw`(?:(?:\r\n|[\n\r\x{85}\x{2028}\x{2029}])?\z)`;
/** `$` when the matched text is used; correct only for texts without a line terminator at the end. */
const strictEnd = String.raw`\z`;
const space = String.raw`\t\n\x0B\f\r `;

/** Escapes with the same meaning in both. `\b` is not one: Java's supports Unicode letters and RE2's does not. */
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
 * Translates a pattern; undefined when RE2 may match it differently.
 * @param isTest true when only the existence of a match is used, and not the matched text.
 */
export function toRe2(source: string, isTest: boolean): Re2Pattern | undefined {
  const reader = new Reader(source, isTest ? endOrTerminator : strictEnd);
  try {
    const pattern = reader.read();
    return { pattern, hasEnd: reader.hasEnd };
  } catch (error) {
    if (error instanceof UnsupportedRegex) return undefined;
    throw error;
  }
}

class Reader {
  hasEnd = false;
  /** True when case is ignored: for ASCII letters in Java and for all letters in RE2, so both cases are written out. */
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
          throw new UnsupportedRegex("$ in the middle of a pattern");
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
    if (this.rest().startsWith("+")) throw new UnsupportedRegex("a possessive quantifier");
    return "";
  }

  private repetition(): string {
    const counts = /^(\d{1,3})(,(\d{1,3})?)?\}/.exec(this.rest());
    if (!counts) throw new UnsupportedRegex("{ that is not a quantifier");
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
    throw new UnsupportedRegex("a group that begins with (?");
  }

  private escape(insideClass: boolean): string {
    const letter = this.take();
    if (letter === "s") return insideClass ? space : `[${space}]`;
    if (letter === "S" && !insideClass) return `[^${space}]`;
    if (letter === "p" && this.rest().startsWith("{")) {
      const name = /^\{(\w+)\}/.exec(this.rest());
      const members = posixClasses[name?.[1] ?? ""];
      if (!name || members === undefined) throw new UnsupportedRegex(`\\p${name?.[0] ?? ""}`);
      this.index += name[0].length;
      return insideClass ? members : `[${members}]`;
    }
    if (sameEscapes.test(letter) && !(insideClass && /[AzDW]/.test(letter))) return `\\${letter}`;
    if (letter === "" || /[A-Za-z0-9]/.test(letter)) throw new UnsupportedRegex(`\\${letter}`);
    return `\\${letter}`;
  }

  /** Translates a character class. Java supports nested classes and intersections, RE2 does not. */
  private characterClass(): string {
    let result = "[";
    if (this.rest().startsWith("^")) result += this.take();
    if (this.rest().startsWith("]")) throw new UnsupportedRegex("] as first character of a class");
    while (this.index < this.source.length) {
      const character = this.take();
      if (character === "]") return `${result}]`;
      if (character === "[") throw new UnsupportedRegex("a nested class");
      if (character === "&" && this.rest().startsWith("&")) throw new UnsupportedRegex("an intersection of classes");
      if (character === "\\") result += this.escape(true);
      else if (this.ignoresCase && /[A-Za-z]/.test(character)) result += this.letters(character);
      else result += character;
    }
    throw new UnsupportedRegex("an unterminated character class");
  }

  /** Translates a letter, or a range that begins with a letter, to both cases. */
  private letters(first: string): string {
    const range = /^-([^\]\\[])/.exec(this.rest())?.[1];
    if (range === undefined) return first.toUpperCase() + first.toLowerCase();
    if (!/^(?:[a-z][a-z]|[A-Z][A-Z])$/.test(first + range))
      throw new UnsupportedRegex("a range with letters and other characters");
    this.index += 2;
    return `${first.toUpperCase()}-${range.toUpperCase()}${first.toLowerCase()}-${range.toLowerCase()}`;
  }
}
