/** Fingerprints of input objects: short texts that tell later which objects changed. */
import { createHash, type Hash } from "node:crypto";
import type { InputObject } from "./input-objects";

/** Maximum number of objects whose changes a fingerprint can tell apart. With more, only the whole is compared. */
const maxObjects = 40;
/** Length of the hash of a name and of a content, in characters. */
const hashLength = 4;
const entryLength = 2 * hashLength;
/** Maximum number of changed objects that a message names. */
const maxNames = 10;

/**
 * Computes a fingerprint: an entry of 8 characters for each of up to 40 objects (hash of the name, hash of size and
 * version), or the number of objects and one hash.
 */
export async function fingerprintOf(objects: AsyncIterable<InputObject>): Promise<string> {
  return (await readObjects(objects, () => {})).fingerprint;
}

/**
 * Compares objects with an earlier fingerprint.
 * @param since time at which the fingerprint was computed; names the changed objects when it does not list them.
 * @returns the changes, such as `dag://raw/a.csv (changed)`; none if nothing changed.
 */
export async function changesSince(
  earlier: string,
  objects: AsyncIterable<InputObject>,
  since: Date,
): Promise<string[]> {
  const entries = entriesOf(earlier);
  const named: string[] = [];
  let count = 0;
  let known = 0;
  const note = (object: InputObject) => {
    const [name, content] = hashesOf(object);
    const before = entries?.get(name);
    if (before !== undefined) known += 1;
    const change =
      entries === undefined
        ? object.lastModified > since && "changed"
        : before === undefined
          ? "new"
          : before !== content && "changed";
    if (!change) return;
    count += 1;
    if (named.length < maxNames) named.push(`${object.name} (${change})`);
  };
  const { fingerprint } = await readObjects(objects, note);
  if (fingerprint === earlier) return [];
  const removed = (entries?.size ?? known) - known;
  const changes = [
    ...named,
    ...(count > named.length ? [`${count - named.length} more`] : []),
    ...(removed > 0 ? [`${removed} ${removed === 1 ? "object was" : "objects were"} removed`] : []),
  ];
  return changes.length > 0 ? changes : ["objects were added or removed"];
}

/** Returns a fingerprint in which the objects that are newer than `time` count as changed. */
export async function fingerprintBefore(objects: AsyncIterable<InputObject>, time: Date): Promise<string> {
  async function* withOldVersions() {
    for await (const object of objects) yield object.lastModified > time ? { ...object, version: "newer" } : object;
  }
  return fingerprintOf(withOldVersions());
}

async function readObjects(objects: AsyncIterable<InputObject>, note: (object: InputObject) => void) {
  const all = createHash("sha256");
  const entries = new Map<string, string>();
  let count = 0;
  for await (const object of objects) {
    const [name, content] = hashesOf(object);
    all.update(`${name}${content}`);
    count += 1;
    if (count <= maxObjects) entries.set(name, content);
    note(object);
  }
  return { fingerprint: count <= maxObjects ? [...entries].flat().join("") : `${count}.${textOf(all, 16)}` };
}

function entriesOf(fingerprint: string): ReadonlyMap<string, string> | undefined {
  if (fingerprint.includes(".")) return undefined;
  const entries = fingerprint.match(new RegExp(`.{${entryLength}}`, "g")) ?? [];
  return new Map(entries.map((entry) => [entry.slice(0, hashLength), entry.slice(hashLength)]));
}

function hashesOf({ name, size, version }: InputObject): readonly [name: string, content: string] {
  const content = createHash("sha256").update(`${size} ${version}`);
  return [textOf(createHash("sha256").update(name), hashLength), textOf(content, hashLength)];
}

function textOf(hash: Hash, length: number): string {
  return hash.digest("base64url").slice(0, length);
}
