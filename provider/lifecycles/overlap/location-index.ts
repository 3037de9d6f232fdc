/** Indexes of locations and tokens, so that a check does not scan all resources of a program. */
import { asFolder, type Location } from "../../../contract/location";

/** Index of items by folder. */
export class FolderIndex<Item> {
  readonly #at = new Map<string, Item[]>();
  readonly #under = new Map<string, Item[]>();

  /** Adds an item at a location, which may be a folder or an object. */
  add(location: Location, item: Item): void {
    const [own, ...above] = enclosingFolders(location);
    push(this.#at, own!, item);
    for (const folder of above) push(this.#under, folder, item);
  }

  /** Returns the items at a location or inside it. */
  within(location: Location): readonly Item[] {
    const [own] = enclosingFolders(location);
    return [...(this.#at.get(own!) ?? []), ...(this.#under.get(own!) ?? [])];
  }

  /** Returns the items at a location or at a folder that contains it. */
  containing(location: Location): readonly Item[] {
    return enclosingFolders(location).flatMap((folder) => this.#at.get(folder) ?? []);
  }
}

/** Index of items by token. Tokens are case-insensitive. */
export class TokenIndex<Item> {
  readonly #items = new Map<string, Item[]>();

  add(words: Iterable<string>, item: Item): void {
    for (const word of words) push(this.#items, word, item);
  }

  /** Returns the items with any of the tokens. */
  matching(words: Iterable<string>): readonly Item[] {
    return [...words].flatMap((word) => this.#items.get(word) ?? []);
  }
}

/** Returns the tokens of a text, plus the empty token, which matches items without a token. */
export function tokens(text: string): ReadonlySet<string> {
  return new Set(["", ...(text.toLowerCase().match(/[\p{L}\p{M}\p{N}_]+/gu) ?? [])]);
}

/** Returns the longest token of a text, which is the most selective one; the empty token if there is none. */
export function longestToken(text: string): string {
  return [...tokens(text)].reduce((longest, word) => (word.length > longest.length ? word : longest));
}

/** Returns the location as a folder, then its parent folders up to the bucket. */
function enclosingFolders(location: Location): string[] {
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
