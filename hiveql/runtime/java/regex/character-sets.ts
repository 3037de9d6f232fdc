/** Sets of characters, and their syntax in ECMAScript (with the flag v) and RE2. */
import { UnsupportedRegex } from "./reader";

/** The first and the last code point of a range. */
export type Span = readonly [number, number];

/** A set of characters. */
export interface CharacterSet {
  /** Ranges in ascending order, with others between them. */
  readonly spans: readonly Span[];
  /** Unicode properties in ECMAScript's syntax, which belong to the set too. RE2 has other tables. */
  readonly properties: readonly string[];
  /** True for all other characters; only with properties. */
  readonly isNegated?: true;
}

/** The last code point. */
export const last = 0x10ffff;

/** Returns the set of some ranges. */
export const setOf = (...spans: readonly Span[]): CharacterSet => ({ spans: joined(spans), properties: [] });

/** Merges ranges that overlap or touch. */
function joined(spans: readonly Span[]): readonly Span[] {
  const result: [number, number][] = [];
  for (const [from, to] of spans.toSorted(([one], [other]) => one - other)) {
    const before = result.at(-1);
    if (before && from <= before[1] + 1) before[1] = Math.max(before[1], to);
    else result.push([from, to]);
  }
  return result;
}

/** Returns the ranges between some ranges. */
function between(spans: readonly Span[]): readonly Span[] {
  const edges = [-1, ...spans.flat(), last + 1];
  const gaps = Array.from({ length: edges.length / 2 }, (_unused, index): Span => {
    return [(edges[index * 2] ?? 0) + 1, (edges[index * 2 + 1] ?? 0) - 1];
  });
  return gaps.filter(([from, to]) => from <= to);
}

/** Returns the characters of all sets. */
export function union(sets: readonly CharacterSet[]): CharacterSet {
  const [only, second] = sets;
  if (only && !second) return only;
  if (sets.some(({ isNegated }) => isNegated)) throw new UnsupportedRegex("a negated property in a class");
  return {
    spans: joined(sets.flatMap(({ spans }) => spans)),
    properties: sets.flatMap(({ properties }) => properties),
  };
}

/** Returns all other characters. */
export const complement = ({ spans, properties, isNegated }: CharacterSet): CharacterSet =>
  properties.length === 0
    ? { spans: between(spans), properties }
    : { spans, properties, ...(isNegated ? {} : { isNegated: true }) };

/** Writes a set in ECMAScript's syntax. */
export const toEcmaScript = ({ spans, properties, isNegated }: CharacterSet): string =>
  isNegated ? `[^${list(spans, "u")}${properties.join("")}]` : written(spans, "u", properties.join(""));

/** Writes a set in RE2's syntax; undefined for properties. */
export const toRe2 = ({ spans, properties }: CharacterSet): string | undefined =>
  properties.length === 0 ? written(spans, "x") : undefined;

function written(spans: readonly Span[], escape: "u" | "x", properties = ""): string {
  const [only, second] = spans;
  if (properties === "") {
    if (only && !second && only[0] === only[1]) return point(only[0], escape);
    if (only?.[0] === 0 && only[1] === last) return String.raw`[\s\S]`;
    if (only?.[0] === 0 || !only) return `[^${list(only ? between(spans) : [[0, last]], escape)}]`;
  }
  return `[${list(spans, escape)}${properties}]`;
}

const list = (spans: readonly Span[], escape: "u" | "x") =>
  spans
    .map(([from, to]) => (from === to ? point(from, escape) : `${point(from, escape)}-${point(to, escape)}`))
    .join("");

function point(code: number, escape: "u" | "x"): string {
  const character = String.fromCodePoint(code);
  return /[A-Za-z0-9]/.test(character) ? character : `\\${escape}{${code.toString(16)}}`;
}
