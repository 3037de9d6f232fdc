/** Suggestions for names that are not known. */

/** Returns ` Did you mean …?` with the known name that is nearest to a mistyped one; an empty text when none is near. */
export function didYouMean(name: string, known: readonly string[]): string {
  const near = nearest(name, known);
  return near === undefined ? "" : `. Did you mean \`${near}\`?`;
}

/** Returns the nearest known name: one edit away, or two for names of eight characters and more. */
function nearest(name: string, known: readonly string[]): string | undefined {
  const limit = name.length < 3 ? 0 : name.length < 8 ? 1 : 2;
  let best: { readonly name: string; readonly edits: number } | undefined;
  for (const each of known) {
    if (Math.abs(each.length - name.length) > limit) continue;
    const edits = distance(name, each);
    if (edits > 0 && edits <= limit && edits < (best?.edits ?? Infinity)) best = { name: each, edits };
  }
  return best?.name;
}

/** Returns how many characters must be inserted, removed, replaced or swapped with the next to make one of the other. */
function distance(left: string, right: string): number {
  let before: number[] = [];
  let last = Array.from({ length: right.length + 1 }, (_unused, index) => index);
  for (let i = 1; i <= left.length; i += 1) {
    const row = [i];
    for (let j = 1; j <= right.length; j += 1) {
      const isSame = left[i - 1] === right[j - 1];
      const isSwapped = i > 1 && j > 1 && left[i - 1] === right[j - 2] && left[i - 2] === right[j - 1];
      const steps = [last[j]! + 1, row[j - 1]! + 1, last[j - 1]! + (isSame ? 0 : 1)];
      row.push(Math.min(...steps, isSwapped ? before[j - 2]! + 1 : Infinity));
    }
    before = last;
    last = row;
  }
  return last[right.length]!;
}
