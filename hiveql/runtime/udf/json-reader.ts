/** Reads JSON as Hive does: it ignores what follows the first value, and takes a backslash before any character. */

/** A JSON value. */
export type Json = null | boolean | string | JsonNumber | readonly Json[] | ReadonlyMap<string, Json>;

export interface JsonNumber {
  /** The digits as they stand in the text. */
  readonly number: string;
  /** True without a fraction and an exponent. */
  readonly isWhole: boolean;
}

/** What is wanted of a value: of an object the member with this key, and of that what the next part wants. */
export interface Wanted {
  /** Undefined when nothing is wanted. */
  readonly key: string | undefined;
  readonly indexes: readonly string[];
}

/**
 * Parses the first JSON value of a text; undefined when there is none.
 * @param wanted the only members of objects that are kept, from the outermost object inwards.
 */
export function readJson(text: string, wanted: readonly Wanted[]): Json | undefined {
  try {
    return new JsonReader(text).wanted(wanted, 0);
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}

const quote = 0x22;
const backslash = 0x5c;
const openBrace = 0x7b;
const closeBrace = 0x7d;
const openBracket = 0x5b;
const closeBracket = 0x5d;
const comma = 0x2c;
const colon = 0x3a;

const numbers = /-?(?:0|[1-9][0-9]*)(\.[0-9]+)?([eE][+-]?[0-9]+)?(?![0-9A-Za-z_.])/y;
const words = /true|false|null/y;
const escapes: Readonly<Record<string, string>> = { b: "\b", f: "\f", n: "\n", r: "\r", t: "\t" };

class JsonReader {
  #at = 0;

  constructor(private readonly text: string) {}

  /** Reads a value, of which the parts of `wanted` from `depth` on are wanted. */
  wanted(wanted: readonly Wanted[], depth: number): Json {
    const part = wanted[depth];
    this.#skipBlanks();
    if (!part || this.text.charCodeAt(this.#at) !== openBrace) return this.#value();
    const members = new Map<string, Json>();
    this.#eachMember((key) => {
      if (key !== part.key) this.#skipValue();
      else members.set(key, part.indexes.length === 0 ? this.wanted(wanted, depth + 1) : this.#value());
    });
    return members;
  }

  #value(): Json {
    this.#skipBlanks();
    switch (this.text.charCodeAt(this.#at)) {
      case openBrace: {
        const members = new Map<string, Json>();
        this.#eachMember((key) => void members.set(key, this.#value()));
        return members;
      }
      case openBracket: {
        const items: Json[] = [];
        this.#eachItem(() => void items.push(this.#value()));
        return items;
      }
      case quote:
        return this.#string();
    }
    const word = this.#match(words)?.[0];
    if (word !== undefined) return word === "null" ? null : word === "true";
    const [number, fraction, exponent] = this.#number();
    return { number, isWhole: fraction === undefined && exponent === undefined };
  }

  /** Reads a value without keeping it. */
  #skipValue(): void {
    this.#skipBlanks();
    switch (this.text.charCodeAt(this.#at)) {
      case openBrace:
        return this.#eachMember(() => this.#skipValue());
      case openBracket:
        return this.#eachItem(() => this.#skipValue());
      case quote:
        return void this.#string();
    }
    if (!this.#match(words)) this.#number();
  }

  /** Reads an object. @param readMember reads the value of a key. */
  #eachMember(readMember: (key: string) => void): void {
    this.#at += 1;
    this.#skipBlanks();
    if (this.#take(closeBrace)) return;
    do {
      this.#skipBlanks();
      if (this.text.charCodeAt(this.#at) !== quote) throw new SyntaxError("key");
      const key = this.#string();
      this.#skipBlanks();
      if (!this.#take(colon)) throw new SyntaxError("colon");
      readMember(key);
      this.#skipBlanks();
    } while (this.#take(comma));
    if (!this.#take(closeBrace)) throw new SyntaxError("object");
  }

  /** Reads an array. @param readItem reads an element. */
  #eachItem(readItem: () => void): void {
    this.#at += 1;
    this.#skipBlanks();
    if (this.#take(closeBracket)) return;
    do {
      readItem();
      this.#skipBlanks();
    } while (this.#take(comma));
    if (!this.#take(closeBracket)) throw new SyntaxError("array");
  }

  /** Reads a string, which can contain control characters, and a backslash before any character. */
  #string(): string {
    const { text } = this;
    let start = this.#at + 1;
    let before = "";
    for (let at = start; at < text.length; at += 1) {
      const code = text.charCodeAt(at);
      if (code === quote) {
        this.#at = at + 1;
        const rest = text.slice(start, at);
        return before === "" ? rest : before + rest;
      }
      if (code !== backslash) continue;
      before += text.slice(start, at);
      at += 1;
      const escaped = text[at] ?? "";
      if (escaped === "u") {
        const digits = text.slice(at + 1, at + 5);
        if (!/^[0-9a-fA-F]{4}$/.test(digits)) throw new SyntaxError("escape");
        before += String.fromCodePoint(Number.parseInt(digits, 16));
        at += 4;
      } else before += escapes[escaped] ?? escaped;
      start = at + 1;
    }
    throw new SyntaxError("string");
  }

  #number(): RegExpExecArray {
    const found = this.#match(numbers);
    if (!found) throw new SyntaxError("value");
    return found;
  }

  #skipBlanks(): void {
    for (; ; this.#at += 1) {
      const code = this.text.charCodeAt(this.#at);
      if (code !== 0x20 && code !== 0x0a && code !== 0x09 && code !== 0x0d) return;
    }
  }

  #match(pattern: RegExp): RegExpExecArray | null {
    pattern.lastIndex = this.#at;
    const found = pattern.exec(this.text);
    if (found) this.#at += found[0].length;
    return found;
  }

  #take(code: number): boolean {
    if (this.text.charCodeAt(this.#at) !== code) return false;
    this.#at += 1;
    return true;
  }
}
