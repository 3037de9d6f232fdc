/** Hive's counts of words in a row, while they are no estimation yet. */
import { type DuckDBListValue, type DuckDBStructValue, listValue, structValue } from "@duckdb/node-api";

/** The most frequent rows of `length` words. @param rows the sentences of each row of a group. */
export function ngrams(rows: DuckDBListValue, length: number, count: number, precision: number) {
  return mostFrequent(
    sentencesOf(rows).flatMap((words) => parts(words, length)),
    count,
    precision,
  );
}

/** The most frequent words at the places of a context where it is NULL. */
export function contextNgrams(rows: DuckDBListValue, context: DuckDBListValue, count: number, precision: number) {
  const pattern = context.items as readonly (string | null)[];
  if (!pattern.includes(null))
    throw new Error("HiveQL: the context of context_ngrams needs a NULL for what is counted");
  if (pattern.includes("")) throw new Error("HiveQL: the context of context_ngrams has an empty text");
  const found = sentencesOf(rows)
    .flatMap((words) => parts(words, pattern.length))
    .filter((part) => part.every((word, index) => pattern[index] === null || pattern[index] === word))
    .map((part) => part.filter((_word, index) => pattern[index] === null));
  return mostFrequent(found, count, precision);
}

function sentencesOf(rows: DuckDBListValue): readonly (readonly string[])[] {
  return rows.items.flatMap((row) =>
    (row as DuckDBListValue).items.map((sentence) => {
      const words = (sentence as DuckDBListValue | null)?.items;
      if (!words || words.includes(null)) throw new Error("HiveQL: NULL is no word and no sentence");
      return words as readonly string[];
    }),
  );
}

function parts(words: readonly string[], length: number): readonly (readonly string[])[] {
  return Array.from({ length: Math.max(words.length - length + 1, 0) }, (_unused, start) =>
    words.slice(start, start + length),
  );
}

/** Hive keeps at least 1000 while it counts, and begins to estimate where there are more. */
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
    throw new Error(`HiveQL: more than ${kept} different ones, of which Hive estimates the counts`);
  const sorted = [...counted.values()].toSorted((left, right) => right.times - left.times || compare(left, right));
  if (sorted.length === 0) return null;
  if (sorted[count] && sorted[count].times === sorted[count - 1]?.times)
    throw new Error("HiveQL: there are more that are as frequent as the last one, of which Hive keeps any");
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
