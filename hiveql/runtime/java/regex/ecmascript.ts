/** Translation of Java regular expressions to ECMAScript with the flag v. */
import { type Assertion, parseJavaRegex, type RegexNode } from "./parse-regex";
import { UnsupportedRegex } from "./reader";

/** A compiled pattern. */
export interface JavaRegex {
  /** The ECMAScript expression, with the flags v and g. */
  readonly expression: RegExp;
  /** The groups by their number in Java; 0 is the whole match. */
  readonly groups: readonly RegexGroup[];
  readonly names: ReadonlyMap<string, number>;
  /** True when the pattern can match the empty string. */
  readonly mayBeEmpty: boolean;
  /** True when Java can match between the two surrogates of a character beyond U+FFFF. */
  readonly splitsCharacters: boolean;
}

interface RegexGroup {
  /** The number of the group in the expression. */
  readonly index: number;
  /** True when Java captures the same text. False when Java can keep the capture of an abandoned attempt. */
  readonly isExact: boolean;
}

/**
 * Translates a pattern.
 * @throws UnsupportedRegex for syntax errors and for constructs that ECMAScript may match differently.
 */
export function compileJavaRegex(source: string): JavaRegex {
  const tree = parseJavaRegex(source);
  const writer = new Writer();
  const { text, emptyMatch } = writer.write(tree.root, outermost);
  const groups = Array.from({ length: tree.groupCount + 1 }, (_unused, index) =>
    index === 0 ? { index: 0, isExact: true } : writer.group(index),
  );
  const mayBeEmpty = emptyMatch !== "never";
  return {
    expression: new RegExp(text, "vg"),
    groups,
    names: tree.names,
    mayBeEmpty,
    splitsCharacters: mayBeEmpty || writer.looksAround || /\[\^.*\\p|\\P/.test(text),
  };
}

/** When a piece matches the empty string: never, only as its last alternative, at any time, or always. */
type EmptyMatch = "never" | "last" | "sometimes" | "always";

interface Piece {
  readonly text: string;
  readonly emptyMatch: EmptyMatch;
}

/** A capturing group of the pattern. */
interface OpenGroup {
  readonly index: number;
  readonly place: Place;
  /** For its body; absent until the group's end is read. */
  emptyMatch?: EmptyMatch;
}

/** The context of a piece of the pattern. */
interface Place {
  /** The identifiers of the enclosing branches and repetitions. */
  readonly scopes: readonly number[];
  /** True when a match can skip the piece. */
  readonly isOptional: boolean;
  /** The number of enclosing repetitions with more than one iteration. */
  readonly loops: number;
  /** True when the piece is the whole body of the innermost repetition. */
  readonly isLoopBody: boolean;
  /** True when Java's groups keep their captures after backtracking out of the piece. */
  readonly keepsCaptures: boolean;
  /** True when the captures of groups are uncertain here. */
  readonly isUncertain: boolean;
  /** True inside a lookbehind. */
  readonly inLookbehind: boolean;
}

const outermost: Place = {
  scopes: [],
  isOptional: false,
  loops: 0,
  isLoopBody: false,
  keepsCaptures: false,
  isUncertain: false,
  inLookbehind: false,
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
    if (!found) throw new UnsupportedRegex("an unknown group");
    const { place } = found;
    const isExact =
      !place.isUncertain &&
      !(place.keepsCaptures && place.isOptional) &&
      (place.loops === 0 || (place.loops === 1 && place.isLoopBody));
    return { index: found.index, isExact };
  }

  write(node: RegexNode, place: Place): Piece {
    switch (node.kind) {
      case "set":
        return { text: node.members, emptyMatch: "never" };
      case "assertion":
        this.looksAround ||= /boundary/.test(node.name);
        return { text: assertions[node.name], emptyMatch: "always" };
      case "line break":
        return this.lineBreak(place);
      case "sequence":
        return this.sequence(node.items, place);
      case "alternation":
        return this.alternation(node.branches, place);
      case "group":
        return this.capture(node.index, node.body, place);
      case "lookaround":
        return this.lookaround(node, place);
      case "atomic":
        return this.atomic(
          this.scoped(() => this.write(node.body, { ...place, isLoopBody: false, keepsCaptures: true })),
          place,
        );
      case "repeat":
        return this.repeat(node, place);
      case "reference":
        return this.reference(node.group, place);
    }
  }

  /** Translates `\R`. In a repetition it is atomic: `\r\n` is not split by backtracking. */
  private lineBreak(place: Place): Piece {
    const piece: Piece = { text: anyBreak, emptyMatch: "never" };
    if (place.isLoopBody)
      return this.atomic(
        this.scoped(() => piece),
        place,
      );
    if (place.loops > 0) throw new UnsupportedRegex("\\R in a repetition");
    return piece;
  }

  private sequence(items: readonly RegexNode[], place: Place): Piece {
    const pieces = items.map((item) => {
      const piece = this.write(item, { ...place, isLoopBody: false });
      return item.kind === "alternation" ? grouped(piece) : piece;
    });
    return { text: pieces.map((piece) => piece.text).join(""), emptyMatch: emptyMatchOfSequence(pieces) };
  }

  private alternation(branches: readonly RegexNode[], place: Place): Piece {
    const pieces = branches.map((branch) =>
      this.write(branch, { ...place, scopes: this.entered(place), isOptional: true, isLoopBody: false }),
    );
    const nullable = pieces.filter((piece) => piece.emptyMatch !== "never");
    const last = pieces.at(-1);
    const isLast = nullable.length === 1 && nullable[0] === last && last?.emptyMatch !== "sometimes";
    return {
      text: pieces.map((piece) => piece.text).join("|"),
      emptyMatch: nullable.length === 0 ? "never" : isLast ? "last" : "sometimes",
    };
  }

  private capture(group: number, body: RegexNode, place: Place): Piece {
    this.count += 1;
    const known: OpenGroup = { index: this.count, place };
    this.places.set(group, known);
    const { text, emptyMatch } = this.write(body, { ...place, isLoopBody: false });
    known.emptyMatch = emptyMatch;
    return { text: `(${text})`, emptyMatch };
  }

  private lookaround(node: Extract<RegexNode, { kind: "lookaround" }>, place: Place): Piece {
    this.looksAround ||= !node.ahead;
    if (place.inLookbehind && !node.ahead) throw new UnsupportedRegex("a nested lookbehind");
    const { text } = this.write(node.body, {
      ...place,
      scopes: node.negative || !node.ahead ? this.entered(place) : place.scopes,
      isLoopBody: false,
      keepsCaptures: true,
      isUncertain: place.isUncertain || node.negative || !node.ahead,
      inLookbehind: place.inLookbehind || !node.ahead,
    });
    return { text: `(?${node.ahead ? "" : "<"}${node.negative ? "!" : "="}${text})`, emptyMatch: "always" };
  }

  /** Translates an atomic group, into which the engine does not backtrack, to a lookahead and a back reference. */
  private atomic({ piece, index }: { piece: Piece; index: number }, place: Place): Piece {
    if (place.inLookbehind) throw new UnsupportedRegex("an atomic group or possessive quantifier in a lookbehind");
    return {
      text: `(?:(?=(${piece.text}))\\${index})`,
      emptyMatch: piece.emptyMatch === "sometimes" ? "last" : piece.emptyMatch,
    };
  }

  /** Allocates a capturing group that exists only in the ECMAScript expression. */
  private scoped(write: () => Piece): { piece: Piece; index: number } {
    this.count += 1;
    const index = this.count;
    return { piece: write(), index };
  }

  private repeat(node: Extract<RegexNode, { kind: "repeat" }>, place: Place): Piece {
    const { least, most, mode, body } = node;
    if (place.inLookbehind && most === Infinity) throw new UnsupportedRegex("a lookbehind without a maximum length");
    const isLoop = most > 1;
    const inner: Place = {
      ...place,
      scopes: this.entered(place),
      isOptional: place.isOptional || least === 0,
      loops: place.loops + (isLoop ? 1 : 0),
      isLoopBody: isLoop || body.kind === "line break",
      keepsCaptures: place.keepsCaptures || mode === "possessive",
    };
    if (mode === "possessive") return this.possessive(node, inner, place);
    const piece = this.write(body, inner);
    const text = repeatable(body, piece);
    const isLazy = mode === "lazy";
    if (most === 0) return { text: "(?:)", emptyMatch: "always" };
    if (least === 1 && most === 1) return { text, emptyMatch: piece.emptyMatch };
    if (piece.emptyMatch === "never") {
      const emptyMatch = least > 0 ? "never" : isLazy ? "sometimes" : "last";
      return { text: text + counts(least, most) + (isLazy ? "?" : ""), emptyMatch };
    }
    // Java performs one iteration that matches the empty string, ECMAScript does not.
    if (least === 0 && most === 1)
      return { text: isLazy ? `(?:|${piece.text})` : `(?:${piece.text}|)`, emptyMatch: this.optional(piece, isLazy) };
    if (isLazy || least > 1 || piece.emptyMatch !== "last")
      throw new UnsupportedRegex("a repetition of an element that can match the empty string");
    this.markUncertain(inner.scopes.at(-1) ?? 0);
    return { text: text + counts(least, most), emptyMatch: "last" };
  }

  private optional({ emptyMatch }: Piece, isLazy: boolean): EmptyMatch {
    if (emptyMatch === "always") return "always";
    return isLazy || emptyMatch === "sometimes" ? "sometimes" : "last";
  }

  private possessive({ least, most, body }: Extract<RegexNode, { kind: "repeat" }>, inner: Place, place: Place): Piece {
    const outer = this.scoped(() => {
      if (body.kind === "set") return { text: body.members + counts(least, most), emptyMatch: "never" };
      // Java uses the first match of each iteration.
      const turn = this.atomic(
        this.scoped(() => this.write(body, inner)),
        place,
      );
      if (turn.emptyMatch !== "never")
        throw new UnsupportedRegex("a possessive repetition of an element that can match the empty string");
      return { text: turn.text + counts(least, most), emptyMatch: "never" };
    });
    return { ...this.atomic(outer, place), emptyMatch: least === 0 ? "last" : "never" };
  }

  /** Translates a back reference. For a group that did not participate, it fails in Java and is empty in ECMAScript. */
  private reference(group: number, place: Place): Piece {
    const found = this.places.get(group);
    const isSet =
      found?.emptyMatch !== undefined && found.place.scopes.every((scope, depth) => place.scopes[depth] === scope);
    if (!isSet || place.inLookbehind || found.place.isUncertain)
      throw new UnsupportedRegex(`a reference to group ${group}, which may not have participated in the match`);
    return { text: `(?:\\${found.index})`, emptyMatch: found.emptyMatch === "never" ? "never" : "sometimes" };
  }

  private entered(place: Place): readonly number[] {
    this.scope += 1;
    return [...place.scopes, this.scope];
  }

  /** Marks groups as uncertain in a repetition that can match the empty string: Java keeps another iteration. */
  private markUncertain(scope: number): void {
    for (const [group, known] of this.places) {
      if (known.place.scopes.includes(scope))
        this.places.set(group, { ...known, place: { ...known.place, isUncertain: true } });
    }
  }
}

const grouped = ({ text, emptyMatch }: Piece): Piece => ({ text: `(?:${text})`, emptyMatch });

/** Returns a piece to which a quantifier can be appended. */
const repeatable = (body: RegexNode, { text }: Piece) =>
  body.kind === "set" || body.kind === "group" || body.kind === "atomic" ? text : `(?:${text})`;

function counts(least: number, most: number): string {
  if (most === Infinity) return least === 0 ? "*" : least === 1 ? "+" : `{${least},}`;
  return least === 0 && most === 1 ? "?" : `{${least},${most}}`;
}

function emptyMatchOfSequence(pieces: readonly Piece[]): EmptyMatch {
  if (pieces.some(({ emptyMatch }) => emptyMatch === "never")) return "never";
  if (pieces.every(({ emptyMatch }) => emptyMatch === "always")) return "always";
  return pieces.some(({ emptyMatch }) => emptyMatch === "sometimes") ? "sometimes" : "last";
}
