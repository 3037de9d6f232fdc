/** Finds what resources claim without looking at every claim: programs have hundreds. */
import { asFolder, type Location } from "../../../contract/location";

/** Things by the folders that they are in, or are. */
export class FolderIndex<Item> {
  readonly #at = new Map<string, Item[]>();
  readonly #under = new Map<string, Item[]>();

  /** Adds what is at a location, be it a folder or an object. */
  add(location: Location, item: Item): void {
    const [own, ...above] = upwards(location);
    push(this.#at, own!, item);
    for (const folder of above) push(this.#under, folder, item);
  }

  /** What is at a location, or under it. */
  within(location: Location): readonly Item[] {
    const [own] = upwards(location);
    return [...(this.#at.get(own!) ?? []), ...(this.#under.get(own!) ?? [])];
  }

  /** What is at a location, or at a folder that holds it. */
  holding(location: Location): readonly Item[] {
    return upwards(location).flatMap((folder) => this.#at.get(folder) ?? []);
  }
}

/** Things by words; letters' case makes no difference. */
export class TokenIndex<Item> {
  readonly #items = new Map<string, Item[]>();

  add(words: Iterable<string>, item: Item): void {
    for (const word of words) push(this.#items, word, item);
  }

  /** What was added under any of some words. */
  having(words: Iterable<string>): readonly Item[] {
    return [...words].flatMap((word) => this.#items.get(word) ?? []);
  }
}

/** Every word of a text, and the empty one, under which stands what has no word. */
export function tokens(text: string): ReadonlySet<string> {
  return new Set(["", ...(text.toLowerCase().match(/[\p{L}\p{M}\p{N}_]+/gu) ?? [])]);
}

/** The word of a text that tells most; the empty one where there is none. */
export function longestToken(text: string): string {
  return [...tokens(text)].reduce((longest, word) => (word.length > longest.length ? word : longest));
}

/** A location as a folder, then the folders that hold it, up to its bucket. */
function upwards(location: Location): string[] {
  const { bucket, key } = asFolder(location);
  const path = `${bucket}/${key}`;
  const ends = [...path.matchAll(/\//g)].map(({ index }) => index + 1);
  return ends.map((end) => path.slice(0, end)).toReversed();
}

function push<Item>(lists: Map<string, Item[]>, key: string, item: Item): void {
  const list = lists.get(key);
  if (list) list.push(item);
  else lists.set(key, [item]);
}
