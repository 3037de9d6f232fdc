/** What a generated statement is made of, and what may be left out of it. */

/** A piece of a statement. */
export interface Term {
  readonly parts: readonly (string | Term)[];
  /** What may stand in its place and says less. */
  readonly simpler?: readonly Term[];
  /** Set where the parts are items of a list that may lose some: what stands between them, how many must stay. */
  readonly list?: { readonly separator: string; readonly least: number };
}

/** Joins texts and terms to a term: `` term`abs(${x})` ``. */
export function term(texts: TemplateStringsArray, ...terms: readonly Term[]): Term {
  return { parts: texts.flatMap((text, index) => [text, ...(terms[index] ? [terms[index]] : [])]) };
}

/** A term of one text. */
export const word = (text: string, simpler: readonly string[] = []): Term => ({
  parts: [text],
  simpler: simpler.map((other) => ({ parts: [other] })),
});

export const nothing: Term = word("");

/** A clause that may be left out. */
export const optional = (clause: Term): Term => ({ parts: [clause], simpler: [nothing] });

export const list = (items: readonly Term[], separator = ", ", least = 1): Term => ({
  parts: items,
  list: { separator, least },
});

/** The statement's text. */
export function write({ parts, list: { separator } = { separator: "", least: 0 } }: Term): string {
  return parts.map((part) => (typeof part === "string" ? part : write(part))).join(separator);
}

/**
 * Every term that one step makes smaller: a part becomes what is within it or what is simpler, a list loses an item.
 * Those that lose most come first. Not all of them are statements that an engine takes.
 */
export function* smaller(whole: Term): Generator<Term> {
  yield* whole.simpler ?? [];
  yield* within(whole);
  const { parts, list: items } = whole;
  for (const [index, part] of parts.entries()) {
    if (items && parts.length > items.least) yield { ...whole, parts: parts.toSpliced(index, 1) };
    if (typeof part === "string") continue;
    for (const other of smaller(part)) yield { ...whole, parts: parts.with(index, other) };
  }
}

/** All terms below one, the outer ones first. */
function* within({ parts }: Term): Generator<Term> {
  const below = parts.filter((part) => typeof part !== "string");
  yield* below;
  for (const part of below) yield* within(part);
}
