/** Java regular expressions as ECMAScript's with the flag v that match the same. */
import { type Assertion, parseJavaRegex, type RegexNode } from "./parse";
import { Unreadable } from "./reader";

/** A pattern that can be run. */
export interface JavaRegex {
  /** With the flags v and g. */
  readonly expression: RegExp;
  /** By the number of a group in Java, 0 being all that is matched. */
  readonly groups: readonly RegexGroup[];
  readonly names: ReadonlyMap<string, number>;
  /** Whether it may match no characters at all. */
  readonly mayBeEmpty: boolean;
  /** Whether Java, which also looks between the halves of a character beyond U+FFFF, may match otherwise there. */
  readonly splitsCharacters: boolean;
}

interface RegexGroup {
  /** Its number in the expression. */
  readonly index: number;
  /** Whether Java holds the same of it after a match; not so where Java keeps what an earlier try has left. */
  readonly isExact: boolean;
}

/**
 * Translates a pattern.
 * @throws Unreadable for mistakes and for what ECMAScript may match otherwise.
 */
export function compileJavaRegex(source: string): JavaRegex {
  const tree = parseJavaRegex(source);
  const writer = new Writer();
  const { text, empties } = writer.write(tree.root, outermost);
  const groups = Array.from({ length: tree.groupCount + 1 }, (_unused, index) =>
    index === 0 ? { index: 0, isExact: true } : writer.group(index),
  );
  const mayBeEmpty = empties !== "never";
  return {
    expression: new RegExp(text, "vg"),
    groups,
    names: tree.names,
    mayBeEmpty,
    splitsCharacters: mayBeEmpty || writer.looksAround || /\[\^.*\\p|\\P/.test(text),
  };
}

/** When a piece matches no characters: never, only after all else was tried, at some other time, or always. */
type Empties = "never" | "last" | "sometimes" | "always";

interface Piece {
  readonly text: string;
  readonly empties: Empties;
}

/** A group of the pattern as it is written. */
interface OpenGroup {
  readonly index: number;
  readonly place: Place;
  /** Of what it holds; absent until its end is read. */
  empties?: Empties;
}

/** Where a piece stands. */
interface Place {
  /** Numbers of the branches and repetitions around it. */
  readonly scopes: readonly number[];
  /** Whether a match may leave it out. */
  readonly isOptional: boolean;
  /** Repetitions around it that may take more than one turn. */
  readonly loops: number;
  /** Whether it is the whole body of the innermost of them. */
  readonly isTurn: boolean;
  /** Whether what is tried here stays with Java's groups when it is given up. */
  readonly isKept: boolean;
  /** Whether groups hold nothing certain here. */
  readonly isLost: boolean;
  readonly isBehind: boolean;
}

const outermost: Place = {
  scopes: [],
  isOptional: false,
  loops: 0,
  isTurn: false,
  isKept: false,
  isLost: false,
  isBehind: false,
};

const wordBefore = String.raw`(?<=[\p{L}\p{Nd}_]|[\p{L}\p{Nd}]\p{Mn}+)`;
const wordAfter = String.raw`(?:(?=[\p{L}\p{Nd}_])|(?=\p{Mn})(?<=[\p{L}\p{Nd}]\p{Mn}*))`;
const anyBreak = String.raw`(?:\r\n|[\n-\r\u0085\u2028\u2029])`;
/** Java's line terminators; `\r\n` is one. */
const terminator = String.raw`(?:\r\n|(?<!\r)\n|[\r\u0085\u2028\u2029])`;
const assertions: Readonly<Record<Assertion, string>> = {
  begin: "^",
  end: `(?=${terminator}?$)`,
  "end of input": "$",
  "begin of line": String.raw`(?:^|(?<=[\n\u0085\u2028\u2029])|(?<=\r)(?!\n))(?=[\s\S])`,
  "end of line": `(?=${terminator}|$)`,
  boundary: `(?:${wordBefore}(?!${wordAfter})|(?!${wordBefore})${wordAfter})`,
  "no boundary": `(?:${wordBefore}${wordAfter}|(?!${wordBefore})(?!${wordAfter}))`,
};

class Writer {
  looksAround = false;
  private count = 0;
  private scope = 0;
  private readonly places = new Map<number, OpenGroup>();

  group(index: number): RegexGroup {
    const found = this.places.get(index);
    if (!found) throw new Unreadable("a group that is not there");
    const { place } = found;
    const isExact =
      !place.isLost &&
      !(place.isKept && place.isOptional) &&
      (place.loops === 0 || (place.loops === 1 && place.isTurn));
    return { index: found.index, isExact };
  }

  write(node: RegexNode, place: Place): Piece {
    switch (node.kind) {
      case "set":
        return { text: node.members, empties: "never" };
      case "assertion":
        this.looksAround ||= /boundary/.test(node.name);
        return { text: assertions[node.name], empties: "always" };
      case "line break":
        return this.lineBreak(place);
      case "sequence":
        return this.sequence(node.items, place);
      case "alternation":
        return this.alternation(node.branches, place);
      case "group":
        return this.capture(node.index, node.body, place);
      case "look":
        return this.look(node, place);
      case "atomic":
        return this.atomic(
          this.scoped(() => this.write(node.body, { ...place, isTurn: false, isKept: true })),
          place,
        );
      case "repeat":
        return this.repeat(node, place);
      case "reference":
        return this.reference(node.group, place);
    }
  }

  /** Repeated, it is not given back by halves. */
  private lineBreak(place: Place): Piece {
    const piece: Piece = { text: anyBreak, empties: "never" };
    if (place.isTurn)
      return this.atomic(
        this.scoped(() => piece),
        place,
      );
    if (place.loops > 0) throw new Unreadable("\\R inside of a repetition");
    return piece;
  }

  private sequence(items: readonly RegexNode[], place: Place): Piece {
    const pieces = items.map((item) => {
      const piece = this.write(item, { ...place, isTurn: false });
      return item.kind === "alternation" ? grouped(piece) : piece;
    });
    return { text: pieces.map((piece) => piece.text).join(""), empties: emptiesOfAll(pieces) };
  }

  private alternation(branches: readonly RegexNode[], place: Place): Piece {
    const pieces = branches.map((branch) =>
      this.write(branch, { ...place, scopes: this.entered(place), isOptional: true, isTurn: false }),
    );
    const nullable = pieces.filter((piece) => piece.empties !== "never");
    const last = pieces.at(-1);
    const isLast = nullable.length === 1 && nullable[0] === last && last?.empties !== "sometimes";
    return {
      text: pieces.map((piece) => piece.text).join("|"),
      empties: nullable.length === 0 ? "never" : isLast ? "last" : "sometimes",
    };
  }

  private capture(group: number, body: RegexNode, place: Place): Piece {
    this.count += 1;
    const known: OpenGroup = { index: this.count, place };
    this.places.set(group, known);
    const { text, empties } = this.write(body, { ...place, isTurn: false });
    known.empties = empties;
    return { text: `(${text})`, empties };
  }

  private look(node: Extract<RegexNode, { kind: "look" }>, place: Place): Piece {
    this.looksAround ||= !node.ahead;
    if (place.isBehind && !node.ahead) throw new Unreadable("a look behind inside of another");
    const { text } = this.write(node.body, {
      ...place,
      scopes: node.negative || !node.ahead ? this.entered(place) : place.scopes,
      isTurn: false,
      isKept: true,
      isLost: place.isLost || node.negative || !node.ahead,
      isBehind: place.isBehind || !node.ahead,
    });
    return { text: `(?${node.ahead ? "" : "<"}${node.negative ? "!" : "="}${text})`, empties: "always" };
  }

  /** What is matched once is not matched another way later. */
  private atomic({ piece, index }: { piece: Piece; index: number }, place: Place): Piece {
    if (place.isBehind) throw new Unreadable("an independent or possessive piece behind");
    return {
      text: `(?:(?=(${piece.text}))\\${index})`,
      empties: piece.empties === "sometimes" ? "last" : piece.empties,
    };
  }

  /** Counts a group of the expression that Java's pattern does not have. */
  private scoped(write: () => Piece): { piece: Piece; index: number } {
    this.count += 1;
    const index = this.count;
    return { piece: write(), index };
  }

  private repeat(node: Extract<RegexNode, { kind: "repeat" }>, place: Place): Piece {
    const { least, most, mode, body } = node;
    if (place.isBehind && most === Infinity) throw new Unreadable("a look behind without a greatest length");
    const isLoop = most > 1;
    const inner: Place = {
      ...place,
      scopes: this.entered(place),
      isOptional: place.isOptional || least === 0,
      loops: place.loops + (isLoop ? 1 : 0),
      isTurn: isLoop || body.kind === "line break",
      isKept: place.isKept || mode === "possessive",
    };
    if (mode === "possessive") return this.possessive(node, inner, place);
    const piece = this.write(body, inner);
    const text = repeatable(body, piece);
    const isLazy = mode === "lazy";
    if (most === 0) return { text: "(?:)", empties: "always" };
    if (least === 1 && most === 1) return { text, empties: piece.empties };
    if (piece.empties === "never") {
      const empties = least > 0 ? "never" : isLazy ? "sometimes" : "last";
      return { text: text + counts(least, most) + (isLazy ? "?" : ""), empties };
    }
    // ECMAScript takes no turn that matches nothing, Java takes one.
    if (least === 0 && most === 1)
      return { text: isLazy ? `(?:|${piece.text})` : `(?:${piece.text}|)`, empties: this.optional(piece, isLazy) };
    if (isLazy || least > 1 || piece.empties !== "last") throw new Unreadable("a repetition of what may match nothing");
    this.lose(inner.scopes.at(-1) ?? 0);
    return { text: text + counts(least, most), empties: "last" };
  }

  private optional({ empties }: Piece, isLazy: boolean): Empties {
    if (empties === "always") return "always";
    return isLazy || empties === "sometimes" ? "sometimes" : "last";
  }

  private possessive({ least, most, body }: Extract<RegexNode, { kind: "repeat" }>, inner: Place, place: Place): Piece {
    const outer = this.scoped(() => {
      if (body.kind === "set") return { text: body.members + counts(least, most), empties: "never" };
      // Java takes each turn as it matches first.
      const turn = this.atomic(
        this.scoped(() => this.write(body, inner)),
        place,
      );
      if (turn.empties !== "never") throw new Unreadable("a possessive repetition of what may match nothing");
      return { text: turn.text + counts(least, most), empties: "never" };
    });
    return { ...this.atomic(outer, place), empties: least === 0 ? "last" : "never" };
  }

  /** A group that did not take part matches nothing in Java, and the empty text in ECMAScript. */
  private reference(group: number, place: Place): Piece {
    const found = this.places.get(group);
    const isSet =
      found?.empties !== undefined && found.place.scopes.every((scope, depth) => place.scopes[depth] === scope);
    if (!isSet || place.isBehind || found.place.isLost)
      throw new Unreadable(`a reference to group ${group} where it may hold nothing`);
    return { text: `(?:\\${found.index})`, empties: found.empties === "never" ? "never" : "sometimes" };
  }

  private entered(place: Place): readonly number[] {
    this.scope += 1;
    return [...place.scopes, this.scope];
  }

  /** Groups inside of a repetition that may match nothing hold other turns in Java. */
  private lose(scope: number): void {
    for (const [group, known] of this.places) {
      if (known.place.scopes.includes(scope))
        this.places.set(group, { ...known, place: { ...known.place, isLost: true } });
    }
  }
}

const grouped = ({ text, empties }: Piece): Piece => ({ text: `(?:${text})`, empties });

/** A piece that a repetition may follow. */
const repeatable = (body: RegexNode, { text }: Piece) =>
  body.kind === "set" || body.kind === "group" || body.kind === "atomic" ? text : `(?:${text})`;

function counts(least: number, most: number): string {
  if (most === Infinity) return least === 0 ? "*" : least === 1 ? "+" : `{${least},}`;
  return least === 0 && most === 1 ? "?" : `{${least},${most}}`;
}

function emptiesOfAll(pieces: readonly Piece[]): Empties {
  if (pieces.some(({ empties }) => empties === "never")) return "never";
  if (pieces.every(({ empties }) => empties === "always")) return "always";
  return pieces.some(({ empties }) => empties === "sometimes") ? "sometimes" : "last";
}
