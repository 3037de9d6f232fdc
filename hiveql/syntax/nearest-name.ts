/** Names for a misspelt one: the nearest of those that exist. */
import { NoSuchColumn, type Position } from "./errors";

/**
 * Returns the name that a misspelt one stands for; undefined when none is near: one letter in three may be wrong, missing,
 * added or exchanged with the next. It is never the same name, which does not stand for itself.
 */
export function nearestName(written: string, names: Iterable<string>): string | undefined {
  let nearest: string | undefined;
  let least = Math.floor(Math.max(written.length, 3) / 3) + 1;
  if (written.length < 3) return undefined;
  for (const name of names) {
    if (name === written || Math.abs(name.length - written.length) >= least) continue;
    const edits = distance(written.toLowerCase(), name.toLowerCase());
    if (edits < least) [nearest, least] = [name, edits];
  }
  return nearest;
}

/** Returns `. Did you mean …?` with the known name that is nearest to a misspelt one; an empty text when none is near. */
export function didYouMean(written: string, names: Iterable<string>): string {
  const near = nearestName(written, names);
  return near === undefined ? "" : `. Did you mean \`${near}\`?`;
}

/** Matches a name in backticks that can only be meant as a regular expression. */
const isPattern = /[|*+?]/;

/** What is known of a column that does not exist. */
interface Missing {
  /** The relation whose columns are given. @default all relations in FROM */
  readonly owner?: string | undefined;
  /** The misspelt part and the names that could stand there. @default the last part of the path, and the columns */
  readonly mistaken?: { readonly name: string; readonly known: readonly string[] };
}

/**
 * Returns the error for a column that does not exist.
 * @param path the column as the statement writes it, such as `s.amont`.
 * @param columns the columns that it can be.
 */
export function noSuchColumn(
  position: Position,
  path: string,
  columns: readonly string[],
  { owner, mistaken }: Missing = {},
): NoSuchColumn {
  const { name, known } = mistaken ?? { name: path.slice(path.lastIndexOf(".") + 1), known: columns };
  const near = nearestName(name, known);
  const list = `${owner === undefined ? "the columns are" : `${owner} has`} ${listed(columns)}`;
  const reason =
    near !== undefined
      ? `does not exist; did you mean \`${near}\`? ${capitalised(list)}`
      : isPattern.test(path)
        ? `does not exist; for a regular expression over column names, set hive.support.quoted.identifiers=none`
        : `does not exist; ${list}`;
  return new NoSuchColumn(position, path, reason);
}

/** Returns the number of edits that make one text of the other. */
function distance(left: string, right: string): number {
  let before: number[] = [];
  let row = Array.from({ length: right.length + 1 }, (_unused, index) => index);
  for (let i = 1; i <= left.length; i += 1) {
    const next = [i];
    for (let j = 1; j <= right.length; j += 1) {
      const same = left[i - 1] === right[j - 1];
      const edits = Math.min(row[j]! + 1, next[j - 1]! + 1, row[j - 1]! + (same ? 0 : 1));
      const isExchange = i > 1 && j > 1 && left[i - 1] === right[j - 2] && left[i - 2] === right[j - 1];
      next.push(isExchange ? Math.min(edits, before[j - 2]! + 1) : edits);
    }
    [before, row] = [row, next];
  }
  return row[right.length]!;
}

function listed(names: readonly string[]): string {
  if (names.length === 0) return "none";
  return names.length > 12 ? `${names.slice(0, 12).join(", ")}, …` : names.join(", ");
}

/** Returns a sentence's text; the name of a relation keeps its letters. */
const capitalised = (text: string) => (text.startsWith("the ") ? `T${text.slice(1)}` : text);
