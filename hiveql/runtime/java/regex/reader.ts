/** The characters of a Java regular expression, one after the other. */

/** Why a pattern cannot be read: a mistake in it, or what is not read here. */
export class Unreadable extends Error {}

/** What holds where a piece of a pattern stands. */
export interface Flags {
  /** Of ASCII alone, as Java has it. */
  readonly ignoreCase: boolean;
  readonly multiline: boolean;
  readonly dotAll: boolean;
}

/** A cursor over a pattern; characters between `\Q` and `\E` come as two, a backslash and themselves. */
export class PatternReader {
  private index = 0;
  private readonly characters: readonly string[];

  constructor(source: string) {
    this.characters = unquoted(source);
  }

  get isAtEnd(): boolean {
    return this.index >= this.characters.length;
  }

  /** The next character, or one behind it; empty at the end. */
  peek(ahead = 0): string {
    return this.characters[this.index + ahead] ?? "";
  }

  take(): string {
    const character = this.peek();
    if (character === "") throw new Unreadable("an end where more should follow");
    this.index += 1;
    return character;
  }

  /** Takes a character if it is the next. */
  skip(character: string): boolean {
    if (this.peek() !== character) return false;
    this.index += 1;
    return true;
  }

  /** Takes characters as long as each fits, up to a count. */
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
