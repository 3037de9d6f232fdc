/** ngrams and context_ngrams, for the cases in which Hive counts exactly and does not estimate. */
import { type DuckDBListValue, type DuckDBStructValue, listValue, structValue } from "@duckdb/node-api";

/**
 * Returns the most frequent sequences of `length` words.
 * @param rows the sentences of each row of a group.
 */
export function ngrams(rows: DuckDBListValue, length: number, count: number, precision: number) {
  return mostFrequent(
    sentencesOf(rows).flatMap((words) => nGramsOf(words, length)),
    count,
    precision,
  );
}

/** Returns the most frequent words at the NULL positions of a context. */
export function contextNgrams(rows: DuckDBListValue, context: DuckDBListValue, count: number, precision: number) {
  const pattern = context.items as readonly (string | null)[];
  if (!pattern.includes(null))
    throw new Error("HiveQL: the context of context_ngrams needs a NULL for the words to count");
  if (pattern.includes("")) throw new Error("HiveQL: the context of context_ngrams has an empty string");
  const found = sentencesOf(rows)
    .flatMap((words) => nGramsOf(words, pattern.length))
    .filter((part) => part.every((word, index) => pattern[index] === null || pattern[index] === word))
    .map((part) => part.filter((_word, index) => pattern[index] === null));
  return mostFrequent(found, count, precision);
}

function sentencesOf(rows: DuckDBListValue): readonly (readonly string[])[] {
  return rows.items.flatMap((row) =>
    (row as DuckDBListValue).items.map((sentence) => {
      const words = (sentence as DuckDBListValue | null)?.items;
      if (!words || words.includes(null)) throw new Error("HiveQL: ngrams of a NULL word or sentence: filter NULL out");
      return words as readonly string[];
    }),
  );
}

function nGramsOf(words: readonly string[], length: number): readonly (readonly string[])[] {
  return Array.from({ length: Math.max(words.length - length + 1, 0) }, (_unused, start) =>
    words.slice(start, start + length),
  );
}

/** Returns the most frequent n-grams. Hive counts at least 1000 different ones exactly and estimates beyond that. */
function mostFrequent(found: readonly (readonly string[])[], count: number, precision: number): DuckDBListValue | null {
  const kept = count * precision < 1000 ? Math.trunc(1000 / count) * count : count * precision;
  const counted = new Map<string, { readonly words: readonly string[]; times: number }>();
  for (const words of found) {
    const key = JSON.stringify(words);
    const known = counted.get(key);
    if (known) known.times += 1;
    else counted.set(key, { words, times: 1 });
  }
  if (counted.size > kept)
    throw new Error(`HiveQL: more than ${kept} different n-grams, for which Hive estimates the counts: increase pf`);
  const sorted = [...counted.values()].toSorted((left, right) => right.times - left.times || compare(left, right));
  if (sorted.length === 0) return null;
  if (sorted[count] && sorted[count].times === sorted[count - 1]?.times)
    throw new Error(
      "HiveQL: further n-grams are as frequent as the last one of the result, and Hive returns any of them: change k",
    );
  return listValue(
    sorted
      .slice(0, count)
      .map(({ words, times }): DuckDBStructValue => structValue({ ngram: listValue(words), estfrequency: times })),
  );
}

interface Counted {
  readonly words: readonly string[];
}

function compare({ words: left }: Counted, { words: right }: Counted): number {
  const place = left.findIndex((word, index) => word !== right[index]);
  return (left[place] ?? "") < (right[place] ?? "") ? -1 : 1;
}
