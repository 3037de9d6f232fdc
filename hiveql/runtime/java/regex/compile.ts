/** Translation of Java regular expressions to ECMAScript with the flag v, and to RE2 where it matches in the same way. */
import { anyCharacter, characterClass, escaped, literal } from "./classes";
import {
  begin,
  beginOfLine,
  boundary,
  edges,
  end,
  endOfInput,
  endOfLine,
  grouped,
  joined,
  noBoundary,
  assertion,
  ofSet,
  type Piece,
  type Re2Pattern,
  re2Of,
} from "./pieces";
import { Groups, type RegexGroup } from "./groups";
import { type Counts, readCounts, readFlags } from "./quantifiers";
import { type Flags, PatternReader, UnsupportedRegex } from "./reader";

/** A compiled pattern. */
export interface JavaRegex {
  /** The ECMAScript expression, with the flags v and g. */
  readonly expression: RegExp;
  /** The equivalent pattern for RE2; undefined when RE2 matches differently. */
  readonly re2?: Re2Pattern;
  /** The groups by their number; 0 is the whole match. */
  readonly groups: readonly RegexGroup[];
  readonly names: ReadonlyMap<string, number>;
  /** True when the pattern can match the empty string. */
  readonly mayBeEmpty: boolean;
}

/**
 * Translates a pattern.
 * @throws UnsupportedRegex for syntax errors and for constructs that ECMAScript may match differently.
 */
export const compileJavaRegex = (source: string): JavaRegex => new Compiler(new PatternReader(source)).compile();

class Compiler {
  private flags: Flags = { ignoreCase: false, multiline: false, dotAll: false };
  private readonly groups = new Groups();
  private isInLookbehind = false;
  private atomicCount = 0;

  constructor(private readonly reader: PatternReader) {}

  compile(): JavaRegex {
    const piece = this.alternation();
    if (!this.reader.isAtEnd) throw new UnsupportedRegex("a closing parenthesis without an opening one");
    const { text, mayBeEmpty } = piece;
    const re2 = re2Of(piece);
    return {
      expression: new RegExp(text, "vg"),
      ...(re2 ? { re2 } : {}),
      groups: this.groups.all,
      names: this.groups.names,
      mayBeEmpty,
    };
  }

  private alternation(): Piece {
    const first = this.groups.count;
    const branches = [this.sequence()];
    while (this.reader.skip("|")) {
      this.groups.unset(first);
      branches.push(this.sequence());
    }
    const [only, second] = branches;
    if (only && !second) return only;
    this.groups.unset(first);
    return {
      text: branches.map(({ text }) => text).join("|"),
      re2: joined(branches, "|"),
      mayBeEmpty: branches.some(({ mayBeEmpty }) => mayBeEmpty),
      ...edges(branches),
    };
  }

  private sequence(): Piece {
    const pieces: Piece[] = [];
    while (!this.reader.isAtEnd && this.reader.peek() !== "|" && this.reader.peek() !== ")") {
      const first = this.groups.count;
      const item = this.item();
      if (item) pieces.push(this.repeated(item, first));
    }
    // RE2's `$` consumes a line terminator, so that nothing may follow it. DuckDB rewrites some matches as suffix, prefix
    // or contains, and then ignores a `^` after other pieces, and a `\z` before others.
    const isPlain = !edges(pieces.slice(1)).hasBegin && !edges(pieces.slice(0, -1)).hasEnd;
    return {
      text: pieces.map(({ text }) => text).join(""),
      re2: isPlain ? joined(pieces, "") : undefined,
      mayBeEmpty: pieces.every(({ mayBeEmpty }) => mayBeEmpty),
      ...edges(pieces),
    };
  }

  /** Reads one element without its quantifier; undefined for a group that only sets flags. */
  private item(): Piece | undefined {
    const character = this.reader.take();
    switch (character) {
      case "(":
        return this.group();
      case "[":
        return ofSet(characterClass(this.reader, this.flags));
      case "\\":
        return this.escape();
      case ".":
        return ofSet(anyCharacter(this.flags));
      case "^":
        return this.flags.multiline ? beginOfLine : begin;
      case "$":
        return this.flags.multiline ? endOfLine : end;
      case "*":
      case "+":
      case "?":
      case "{":
        throw new UnsupportedRegex(`a quantifier ${character} without an operand`);
      default:
        return ofSet(literal(character, this.flags));
    }
  }

  private escape(): Piece {
    switch (this.reader.peek()) {
      case "b":
      case "B": {
        const isBoundary = this.reader.take() === "b";
        if (this.reader.peek() === "{") throw new UnsupportedRegex("\\b{");
        return isBoundary ? boundary : noBoundary;
      }
      case "A":
        this.reader.take();
        return begin;
      case "Z":
        this.reader.take();
        return { ...end, re2: undefined };
      case "z":
        this.reader.take();
        return endOfInput;
      default: {
        const digit = this.reader.takeMatch(/^[1-9]$/, 1);
        return digit === "" ? ofSet(escaped(this.reader, this.flags)) : this.reference(Number(digit));
      }
    }
  }

  /** Reads a back reference. A group that did not participate fails in Java and is empty in ECMAScript. */
  private reference(number: number): Piece {
    if (this.flags.ignoreCase || this.isInLookbehind || /^\d$/.test(this.reader.peek()))
      throw new UnsupportedRegex(
        `a reference to group ${number} that ignores case, looks behind or has several digits`,
      );
    return { text: `\\k<g${number}>`, mayBeEmpty: this.groups.referenced(number).mayBeEmpty, isAtom: true };
  }

  /** Reads a group after its opening parenthesis. */
  private group(): Piece | undefined {
    const { reader } = this;
    if (!reader.skip("?")) return this.capture();
    if (reader.skip(":")) return grouped(this.closed());
    if (reader.skip(">")) return this.atomic(this.groups.count, this.closed());
    if (reader.skip("=")) return this.lookaround("=");
    if (reader.skip("!")) return this.lookaround("!");
    if (reader.skip("<")) {
      if (reader.skip("=")) return this.lookaround("<=");
      if (reader.skip("!")) return this.lookaround("<!");
      const name = reader.takeMatch(/^[A-Za-z0-9]$/);
      if (!reader.skip(">")) throw new UnsupportedRegex("an invalid group name");
      return this.capture(name);
    }
    return this.flagged();
  }

  private capture(name?: string): Piece {
    const { group, number } = this.groups.open(name);
    const { text, re2, ...body } = this.closed();
    Object.assign(group, { isClosed: true, mayBeEmpty: body.mayBeEmpty });
    return {
      ...body,
      text: `(?<g${number}>${text})`,
      re2: re2 === undefined ? undefined : `(${re2})`,
      isAtom: true,
    };
  }

  private lookaround(kind: "=" | "!" | "<=" | "<!"): Piece {
    const first = this.groups.count;
    const isBehind = kind.startsWith("<");
    if (this.isInLookbehind) throw new UnsupportedRegex("a group inside of a lookbehind that looks around");
    this.isInLookbehind = isBehind;
    const { text } = this.closed();
    this.isInLookbehind = false;
    this.groups.unset(first);
    // Java can keep the captures of an abandoned attempt.
    this.groups.makeUncertain(first);
    return assertion(`(?${kind}${text})`);
  }

  /** Reads the rest of a group; flags set inside of it hold until its end. */
  private closed(): Piece {
    const before = this.flags;
    const body = this.alternation();
    if (!this.reader.skip(")")) throw new UnsupportedRegex("an unterminated group");
    this.flags = before;
    return body;
  }

  private flagged(): Piece | undefined {
    const before = this.flags;
    const { flags, isColon } = readFlags(this.reader, before);
    this.flags = flags;
    if (!isColon) return undefined;
    const body = this.closed();
    this.flags = before;
    return grouped(body);
  }

  /** Reads the quantifier of a piece. @param first the number of the first group in the piece. */
  private repeated(piece: Piece, first: number): Piece {
    const counts = readCounts(this.reader);
    if (!counts) return piece;
    const { least, most, written } = counts;
    if (this.reader.skip("+")) return this.possessive(piece, first, counts);
    const lazy = this.reader.skip("?") ? "?" : "";
    if (most < least || most === 0) throw new UnsupportedRegex("a quantifier with a maximum below its minimum, or 0");
    if (this.isInLookbehind && most === Infinity) throw new UnsupportedRegex("a lookbehind without a maximum length");
    if (least === 1 && most === 1) return piece;
    // Java can keep the captures of an earlier iteration, unless the group is all that is repeated, or each iteration
    // captures it and nothing follows for which Java would give iterations back.
    const isAll = piece.text.startsWith("(?<g");
    if (most > 1) this.groups.makeUncertain(isAll ? first + 1 : first, this.reader.isAtEnd);
    this.groups.unset(first);
    const { text, re2, isAtom = false, mayBeEmpty, hasBegin, hasEnd } = piece.isAtom ? piece : grouped(piece);
    if (mayBeEmpty && (least > 0 || most > 1))
      throw new UnsupportedRegex("a repetition of an element that can match the empty string");
    // Java performs one iteration that matches the empty string, ECMAScript does not.
    if (mayBeEmpty) return { text: lazy ? `(?:|${text})` : `(?:${text}|)`, mayBeEmpty, isAtom };
    return {
      text: text + written + lazy,
      re2: re2 === undefined || hasBegin || hasEnd ? undefined : re2 + written + lazy,
      mayBeEmpty: least === 0,
    };
  }

  /** Reads a possessive quantifier, of a character or at most once: Java uses the first match of each iteration. */
  private possessive(piece: Piece, first: number, { least, most, written }: Counts) {
    const { text, mayBeEmpty } = piece.isAtom ? piece : grouped(piece);
    if (mayBeEmpty || most === 0 || (most > 1 && text.startsWith("(")))
      throw new UnsupportedRegex("a possessive quantifier of a group");
    this.groups.unset(first);
    return this.atomic(first, { text: text + written, mayBeEmpty: least === 0 });
  }

  /** Writes a piece into which the engine does not backtrack as a lookahead and a back reference. */
  private atomic(first: number, { text, mayBeEmpty }: Piece): Piece {
    if (this.isInLookbehind) throw new UnsupportedRegex("an atomic group or possessive quantifier in a lookbehind");
    this.groups.makeUncertain(first);
    const name = `a${(this.atomicCount += 1)}`;
    return { text: `(?:(?=(?<${name}>${text}))\\k<${name}>)`, mayBeEmpty, isAtom: true };
  }
}
