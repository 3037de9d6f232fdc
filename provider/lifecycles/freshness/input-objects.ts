/** Finds the input objects of a table, and expands `*` in their names. */
import { formatLocation, parseLocation } from "../../../contract";
import type { Storage } from "../../../storage";
import { forEachParallel } from "../../../storage/parallel";
import type { LifecycleContext } from "../lifecycle";
import { nameOf } from "../queries/resource-name";
import { Refusal } from "../refusal";
import type { ProgramTables } from "./program-tables";

/** Greatest number of names whose objects are looked up, so that a preview of thousands on S3 stays fast. */
const maxLookups = 1_000;
/** Number of objects that are looked up at a time. */
const parallelLookups = 16;

/** An object in storage, with what identifies its content. */
export interface InputObject {
  readonly name: string;
  readonly size: number;
  /** The etag, or the time of the last modification if the storage has no etags. */
  readonly version: string;
  readonly lastModified: Date;
}

/** A pattern of input objects matches no object. */
export class NoMatchError extends Refusal {
  override readonly name = "NoMatchError";
  readonly code = "NoInputObject";
}

/** Returns true when a name stands for all objects that match it: `*` is any text without a slash. */
export function isPattern(name: string): boolean {
  return name.includes("*");
}

/**
 * Replaces each pattern by the objects that match it, sorted by name.
 * @throws {NoMatchError} when a pattern matches no object.
 */
export async function expandPatterns(
  storage: Storage,
  names: readonly string[],
  programTables?: ProgramTables,
): Promise<string[]> {
  const expanded: string[] = [];
  for (const name of names) {
    if (!isPattern(name)) {
      expanded.push(name);
      continue;
    }
    const matches = await Array.fromAsync(matching(storage, name), (object) => object.name);
    if (matches.length === 0) throw new NoMatchError(noMatchText(name, programTables));
    expanded.push(...matches.toSorted());
  }
  return [...new Set(expanded)];
}

function noMatchText(name: string, programTables: ProgramTables | undefined): string {
  const text = `inputObjectKeys "${name}" matches no object`;
  const maker = programTables?.makerAwaited(name);
  if (maker === undefined) return `${text}: put an object there, or change the pattern`;
  const resource = nameOf(maker);
  return `${text}, because ${resource} has not made them yet: add dependsOn, or use an output of ${resource} in inputObjectKeys`;
}

/** Returns the inputs of a query with the objects that match their patterns; unchanged without access to the storage. */
export async function withExpandedPatterns<Inputs extends { readonly inputObjectKeys: readonly string[] }>(
  news: Inputs,
  { storage, programTables }: Pick<LifecycleContext, "storage" | "programTables">,
): Promise<Inputs> {
  if (!storage || !news.inputObjectKeys.some(isPattern)) return news;
  return { ...news, inputObjectKeys: await expandPatterns(storage, news.inputObjectKeys, programTables) };
}

/** Yields the input objects. Calls `missing` for a name without an object. */
export type InputSource = (storage: Storage, missing: (name: string) => void) => AsyncIterable<InputObject>;

/** Returns the objects of these names and patterns. */
export function objectsNamed(names: readonly string[]): InputSource {
  return (storage, missing) => findObjects(storage, names, missing);
}

async function* findObjects(
  storage: Storage,
  names: readonly string[],
  missing: (name: string) => void,
): AsyncGenerator<InputObject> {
  for (const name of names) {
    let found = 0;
    for await (const object of isPattern(name) ? matching(storage, name) : named(storage, name)) {
      found += 1;
      yield object;
    }
    if (found === 0) missing(name);
  }
}

/** Yields the objects in the folders of tables. Calls `missing` for each folder without an object. */
export async function* objectsInFolders(
  storage: Storage,
  folders: readonly string[],
  missing: (folder: string) => void,
): AsyncGenerator<InputObject> {
  for (const folder of folders) {
    let found = 0;
    for await (const object of storage.list(parseLocation(folder))) {
      found += 1;
      yield inputObject(object);
    }
    if (found === 0) missing(folder);
  }
}

/**
 * Looks up the objects of names that are no patterns, many at a time: of the first 1,000 of them.
 * @returns the names in their order, each with its object, or without one if there is none
 */
export async function lookUpObjects(
  storage: Storage,
  names: readonly string[],
): Promise<{ readonly name: string; readonly object: InputObject | undefined }[]> {
  const found = new Map<string, InputObject>();
  const asked = await forEachName(names, async (name) => {
    for await (const object of named(storage, name)) found.set(name, object);
  });
  return asked.map((name) => ({ name, object: found.get(name) }));
}

/** Runs `work` for each name that is no pattern, many at a time: for the first 1,000 of them, which it returns. */
export async function forEachName(names: readonly string[], work: (name: string) => Promise<void>): Promise<string[]> {
  const asked = names.filter((name) => !isPattern(name)).slice(0, maxLookups);
  await forEachParallel(asked, parallelLookups, work);
  return asked;
}

async function* matching(storage: Storage, pattern: string): AsyncGenerator<InputObject> {
  const { bucket, key } = parseLocation(pattern);
  const folder = key.slice(0, key.lastIndexOf("/", key.indexOf("*")) + 1);
  const expression = new RegExp(`^${key.split("*").map(escaped).join("[^/]*")}$`, "u");
  for await (const object of storage.list({ bucket, key: folder })) {
    if (expression.test(object.location.key)) yield inputObject(object);
  }
}

async function* named(storage: Storage, name: string): AsyncGenerator<InputObject> {
  const object = await storage.head(parseLocation(name));
  if (object) yield inputObject(object);
}

function escaped(text: string): string {
  return text.replace(/[.*+?^${}()|[\]\\/]/g, "\\$&");
}

type StoredObject = NonNullable<Awaited<ReturnType<Storage["head"]>>>;

function inputObject({ location, size, lastModified, etag }: StoredObject): InputObject {
  return { name: formatLocation(location), size, lastModified, version: etag ?? String(lastModified.getTime()) };
}
