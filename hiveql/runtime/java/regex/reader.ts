/** Cursor over the characters of a Java regular expression. */

/** Thrown for a syntax error in a pattern, and for a construct that is not supported. */
export class UnsupportedRegex extends Error {}

/** The flags in force at a place of a pattern. */
export interface Flags {
  /** Ignores the case of ASCII letters only, as Java does. */
  readonly ignoreCase: boolean;
  readonly multiline: boolean;
  readonly dotAll: boolean;
}

/** A cursor over a pattern. Characters between `\Q` and `\E` are returned with a backslash before them. */
export class PatternReader {
  private index = 0;
  private readonly characters: readonly string[];

  constructor(source: string) {
    this.characters = unquoted(source);
  }

  get isAtEnd(): boolean {
    return this.index >= this.characters.length;
  }

  /** Returns the next character or a later one without taking it; empty at the end. */
  peek(ahead = 0): string {
    return this.characters[this.index + ahead] ?? "";
  }

  take(): string {
    const character = this.peek();
    if (character === "") throw new UnsupportedRegex("an unexpected end");
    this.index += 1;
    return character;
  }

  /** Takes a character if it is the next. */
  skip(character: string): boolean {
    if (this.peek() !== character) return false;
    this.index += 1;
    return true;
  }

  /** Takes characters while they match, up to a maximum number. */
  takeMatch(form: RegExp, most = Infinity): string {
    let taken = "";
    for (let count = 0; count < most && form.test(this.peek()); count += 1) taken += this.take();
    return taken;
  }
}

function unquoted(source: string): string[] {
  const characters: string[] = [];
  for (const [piece, quoted] of source.matchAll(/\\Q([\s\S]*?)(?:\\E|$)|\\[\s\S]|[\s\S]/gu)) {
    if (quoted === undefined) characters.push(...piece);
    else characters.push(...[...quoted].map((character) => `\\${character}`));
  }
  return characters;
}
