/** The tree of a generated statement, with the replacements that shrink it. */

/** A part of a statement. */
export interface Term {
  readonly parts: readonly (string | Term)[];
  /** Simpler terms that may replace this one. */
  readonly simpler?: readonly Term[];
  /** Set when the parts are items of a list: their separator, and the number of items that must remain. */
  readonly list?: { readonly separator: string; readonly minItems: number };
}

/** Joins texts and terms into a term: `` term`abs(${x})` ``. */
export function term(texts: TemplateStringsArray, ...terms: readonly Term[]): Term {
  return { parts: texts.flatMap((text, index) => [text, ...(terms[index] ? [terms[index]] : [])]) };
}

/** Returns a term of one SQL text; `simpler` are texts that may replace it. */
export const raw = (text: string, simpler: readonly string[] = []): Term => ({
  parts: [text],
  simpler: simpler.map((other) => ({ parts: [other] })),
});

export const emptyTerm: Term = raw("");

/** Returns a clause that shrinking may remove. */
export const removable = (clause: Term): Term => ({ parts: [clause], simpler: [emptyTerm] });

/** Returns a list of terms; shrinking keeps at least `minItems` of them. */
export const list = (items: readonly Term[], separator = ", ", minItems = 1): Term => ({
  parts: items,
  list: { separator, minItems },
});

/** Returns the text of a term. */
export function toSql({ parts, list: { separator } = { separator: "", minItems: 0 } }: Term): string {
  return parts.map((part) => (typeof part === "string" ? part : toSql(part))).join(separator);
}

/**
 * Yields the terms that are one step smaller: a part is replaced by one of its subterms or a simpler term, or a list
 * loses an item. The smallest terms come first. Not all of them are valid statements.
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

/** Yields all subterms of a term, the outer ones first. */
function* subterms({ parts }: Term): Generator<Term> {
  const below = parts.filter((part) => typeof part !== "string");
  yield* below;
  for (const part of below) yield* subterms(part);
}
