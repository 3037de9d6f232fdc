/** Parser of Java regular expressions, for patterns that RE2 does not support. */
import { classMembers, escaped, literal } from "./classes";
import { type Flags, PatternReader, UnsupportedRegex } from "./reader";

/** A node of the syntax tree. */
export type RegexNode =
  /** One character of a class, which is written in ECMAScript's syntax. */
  | { readonly kind: "set"; readonly members: string }
  /** A zero-width assertion such as `^` and `\b`. */
  | { readonly kind: "assertion"; readonly name: Assertion }
  /** `\R`: a line terminator of Java or a vertical tab; `\r\n` is one line break. */
  | { readonly kind: "line break" }
  | { readonly kind: "sequence"; readonly items: readonly RegexNode[] }
  | { readonly kind: "alternation"; readonly branches: readonly RegexNode[] }
  /** A capturing group; numbers start at 1. */
  | { readonly kind: "group"; readonly index: number; readonly body: RegexNode }
  | { readonly kind: "lookaround"; readonly ahead: boolean; readonly negative: boolean; readonly body: RegexNode }
  | { readonly kind: "atomic"; readonly body: RegexNode }
  | {
      readonly kind: "repeat";
      readonly least: number;
      readonly most: number;
      readonly mode: "greedy" | "lazy" | "possessive";
      readonly body: RegexNode;
    }
  | { readonly kind: "reference"; readonly group: number };

export type Assertion = "begin" | "end" | "end of input" | "begin of line" | "end of line" | "boundary" | "no boundary";

/** A parsed pattern. */
export interface RegexTree {
  readonly root: RegexNode;
  readonly groupCount: number;
  /** The numbers of named groups. */
  readonly names: ReadonlyMap<string, number>;
}

/**
 * Parses a pattern as java.util.regex of Java 8 to 17 does.
 * @throws UnsupportedRegex for syntax errors and for unsupported constructs, such as the flags u, x and d.
 */
export function parseJavaRegex(source: string): RegexTree {
  return new Parser(new PatternReader(source)).parse();
}

/** Any character, and any character except Java's line terminators. */
const anything = String.raw`[\s\S]`;
const inLine = String.raw`[^\n\r\u0085\u2028\u2029]`;
const empty: RegexNode = { kind: "sequence", items: [] };
const set = (members: string): RegexNode => ({ kind: "set", members });

class Parser {
  private flags: Flags = { ignoreCase: false, multiline: false, dotAll: false };
  private groupCount = 0;
  private readonly names = new Map<string, number>();

  constructor(private readonly reader: PatternReader) {}

  parse(): RegexTree {
    const root = this.alternation();
    if (!this.reader.isAtEnd) throw new UnsupportedRegex("a closing parenthesis without an opening one");
    return { root, groupCount: this.groupCount, names: this.names };
  }

  private alternation(): RegexNode {
    const branches = [this.sequence()];
    while (this.reader.skip("|")) branches.push(this.sequence());
    return branches.length === 1 ? (branches[0] ?? empty) : { kind: "alternation", branches };
  }

  private sequence(): RegexNode {
    const items: RegexNode[] = [];
    while (!this.reader.isAtEnd && this.reader.peek() !== "|" && this.reader.peek() !== ")") {
      const item = this.item();
      if (item) items.push(this.repeated(item));
    }
    return items.length === 1 ? (items[0] ?? empty) : { kind: "sequence", items };
  }

  /** Reads one element without its quantifier; undefined for a group that only sets flags. */
  private item(): RegexNode | undefined {
    const character = this.reader.take();
    switch (character) {
      case "(":
        return this.group();
      case "[":
        return { kind: "set", members: classMembers(this.reader, this.flags) };
      case "\\":
        return this.escape();
      case ".":
        return { kind: "set", members: this.flags.dotAll ? anything : inLine };
      case "^":
        return { kind: "assertion", name: this.flags.multiline ? "begin of line" : "begin" };
      case "$":
        return { kind: "assertion", name: this.flags.multiline ? "end of line" : "end" };
      case "*":
      case "+":
      case "?":
      case "{":
        throw new UnsupportedRegex(`a quantifier ${character} without an operand`);
      default:
        return { kind: "set", members: literal(character, this.flags) };
    }
  }

  private escape(): RegexNode {
    switch (this.reader.peek()) {
      case "b":
        this.reader.take();
        if (this.reader.peek() === "{") throw new UnsupportedRegex("\\b{");
        return { kind: "assertion", name: "boundary" };
      case "B":
        return this.assertion("no boundary");
      case "A":
        return this.assertion("begin");
      case "Z":
        return this.assertion("end");
      case "z":
        return this.assertion("end of input");
      case "R":
        this.reader.take();
        return { kind: "line break" };
      case "k":
        this.reader.take();
        return this.reference(this.nameOf(this.reader.skip("<") ? this.groupName() : ""));
      default:
        break;
    }
    const digit = this.reader.takeMatch(/^[1-9]$/, 1);
    return digit === "" ? set(escaped(this.reader, this.flags)) : this.numbered(Number(digit));
  }

  private assertion(name: Assertion): RegexNode {
    this.reader.take();
    return { kind: "assertion", name };
  }

  /** Reads a back reference. A further digit belongs to the number if that many groups are open before. */
  private numbered(first: number): RegexNode {
    let group = first;
    while (/^\d$/.test(this.reader.peek()) && group * 10 + Number(this.reader.peek()) <= this.groupCount)
      group = group * 10 + Number(this.reader.take());
    return this.reference(group);
  }

  private reference(group: number): RegexNode {
    if (this.flags.ignoreCase) throw new UnsupportedRegex("a case-insensitive back reference");
    return { kind: "reference", group };
  }

  private nameOf(name: string): number {
    const group = this.names.get(name);
    if (group === undefined) throw new UnsupportedRegex(`a reference to the unknown group ${name}`);
    return group;
  }

  private groupName(): string {
    const name = this.reader.takeMatch(/^[A-Za-z0-9]$/);
    if (!/^[A-Za-z]/.test(name) || !this.reader.skip(">")) throw new UnsupportedRegex("an invalid group name");
    return name;
  }

  /** Reads a group after its opening parenthesis. */
  private group(): RegexNode | undefined {
    const { reader } = this;
    if (!reader.skip("?")) return this.capture();
    if (reader.skip(":")) return { kind: "sequence", items: [this.closed()] };
    if (reader.skip(">")) return { kind: "atomic", body: this.closed() };
    if (reader.skip("=")) return { kind: "lookaround", ahead: true, negative: false, body: this.closed() };
    if (reader.skip("!")) return { kind: "lookaround", ahead: true, negative: true, body: this.closed() };
    if (reader.skip("<")) {
      if (reader.skip("=")) return { kind: "lookaround", ahead: false, negative: false, body: this.closed() };
      if (reader.skip("!")) return { kind: "lookaround", ahead: false, negative: true, body: this.closed() };
      return this.capture(this.groupName());
    }
    return this.flagged();
  }

  private capture(name?: string): RegexNode {
    this.groupCount += 1;
    const index = this.groupCount;
    if (name !== undefined) {
      if (this.names.has(name)) throw new UnsupportedRegex(`two groups named ${name}`);
      this.names.set(name, index);
    }
    return { kind: "group", index, body: this.closed() };
  }

  /** Reads the rest of a group; flags set inside of it hold until its end. */
  private closed(): RegexNode {
    const before = this.flags;
    const body = this.alternation();
    if (!this.reader.skip(")")) throw new UnsupportedRegex("an unterminated group");
    this.flags = before;
    return body;
  }

  private flagged(): RegexNode | undefined {
    const before = this.flags;
    const text = this.reader.takeMatch(/^[A-Za-z-]$/);
    const isPlain = /^[ims]*(-[ims]*)?$/.test(text) && text !== "";
    const isColon = this.reader.skip(":");
    if (!isPlain || (!isColon && !this.reader.skip(")")))
      throw new UnsupportedRegex(`a group that begins with (?${text}`);
    const [on = "", off = ""] = text.split("-");
    const value = (letter: string, old: boolean) => (on.includes(letter) || old) && !off.includes(letter);
    this.flags = {
      ignoreCase: value("i", before.ignoreCase),
      multiline: value("m", before.multiline),
      dotAll: value("s", before.dotAll),
    };
    if (!isColon) return undefined;
    const body = this.closed();
    this.flags = before;
    return body;
  }

  private repeated(body: RegexNode): RegexNode {
    const counts = this.counts();
    if (!counts) return body;
    const [least, most] = counts;
    if (most < least) throw new UnsupportedRegex("a quantifier with a maximum below its minimum");
    const mode = this.reader.skip("+") ? "possessive" : this.reader.skip("?") ? "lazy" : "greedy";
    return { kind: "repeat", least, most, mode, body };
  }

  private counts(): readonly [number, number] | undefined {
    if (this.reader.skip("*")) return [0, Infinity];
    if (this.reader.skip("+")) return [1, Infinity];
    if (this.reader.skip("?")) return [0, 1];
    if (!this.reader.skip("{")) return undefined;
    const least = this.reader.takeMatch(/^\d$/);
    const hasMost = this.reader.skip(",");
    const most = hasMost ? this.reader.takeMatch(/^\d$/) : least;
    if (least === "" || least.length > 4 || most.length > 4 || !this.reader.skip("}"))
      throw new UnsupportedRegex("{ that is not a quantifier");
    return [Number(least), most === "" ? Infinity : Number(most)];
  }
}
