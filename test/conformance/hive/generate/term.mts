/** What a generated statement is made of, and what may be left out of it. */

/** A piece of a statement. */
export interface Term {
  readonly parts: readonly (string | Term)[];
  /** What may stand in its place and says less. */
  readonly simpler?: readonly Term[];
  /** Set where the parts are items of a list that may lose some: what stands between them, how many must stay. */
  readonly list?: { readonly separator: string; readonly minItems: number };
}

/** Joins texts and terms to a term: `` term`abs(${x})` ``. */
export function term(texts: TemplateStringsArray, ...terms: readonly Term[]): Term {
  return { parts: texts.flatMap((text, index) => [text, ...(terms[index] ? [terms[index]] : [])]) };
}

/** A term of one text. */
export const raw = (text: string, simpler: readonly string[] = []): Term => ({
  parts: [text],
  simpler: simpler.map((other) => ({ parts: [other] })),
});

export const emptyTerm: Term = raw("");

/** A clause that may be left out. */
export const removable = (clause: Term): Term => ({ parts: [clause], simpler: [emptyTerm] });

export const list = (items: readonly Term[], separator = ", ", minItems = 1): Term => ({
  parts: items,
  list: { separator, minItems },
});

/** The statement's text. */
export function toSql({ parts, list: { separator } = { separator: "", minItems: 0 } }: Term): string {
  return parts.map((part) => (typeof part === "string" ? part : toSql(part))).join(separator);
}

/**
 * Every term that one step makes smaller: a part becomes what is within it or what is simpler, a list loses an item.
 * Those that lose most come first. Not all of them are statements that an engine takes.
 */
export function* shrinkCandidates(whole: Term): Generator<Term> {
  yield* whole.simpler ?? [];
  yield* subterms(whole);
  const { parts, list: items } = whole;
  for (const [index, part] of parts.entries()) {
    if (items && parts.length > items.minItems) yield { ...whole, parts: parts.toSpliced(index, 1) };
    if (typeof part === "string") continue;
    for (const other of shrinkCandidates(part)) yield { ...whole, parts: parts.with(index, other) };
  }
}

/** All terms below one, the outer ones first. */
function* subterms({ parts }: Term): Generator<Term> {
  const below = parts.filter((part) => typeof part !== "string");
  yield* below;
  for (const part of below) yield* subterms(part);
}
