/**
 * Finds out whether dag:storage is the storage of the service. A setting of another environment has the same names, and
 * other objects: what is read, compared or deleted there is not what the queries of this service made.
 */
import { formatLocation } from "../../../contract";
import type { Storage } from "../../../storage";
import type { Client } from "../../client";
import type { LifecycleContext } from "../lifecycle";
import { redacted } from "../redaction";
import { folderOf } from "./results";

/** Number of objects of a folder that are compared. */
const compared = 100;
/** Timeout of the question, in milliseconds. Without an answer, nothing is known. */
const timeout = 10_000;
/** Milliseconds before the second comparison: a query may have replaced the objects between the two lists of the first. */
const pause = 1_000;

/** The buckets in which a run has found the same objects. */
const sameBuckets = new WeakMap<Client, Set<string>>();

type StorageContext = Pick<LifecycleContext, "client" | "storage" | "secret" | "sleep" | "signal">;

/**
 * Returns why dag:storage is not the storage of the service: a folder has objects in one of the two, and none of them, by
 * name, size and second of its time, in the other. Undefined when it is, when nothing is there, or when the service does
 * not answer.
 */
export async function storageProblem(folder: string, context: StorageContext): Promise<string | undefined> {
  const { client, storage, sleep, signal } = context;
  if (!storage) return undefined;
  const { bucket } = folderOf(folder);
  const same = sameBuckets.get(client) ?? new Set();
  sameBuckets.set(client, same);
  for (let isSecond = false; ; isSecond = true) {
    if (same.has(bucket)) return undefined;
    const found = await compare(folder, client, storage);
    if (found === "unknown") return undefined;
    if (found === "same") same.add(bucket);
    else if (isSecond) return problemText(folder, found, context);
    else await sleep(pause, signal);
  }
}

/** The number of objects in each of the two storages, none of which is in both. */
interface DifferentCounts {
  readonly own: number;
  readonly theirs: number;
}

async function compare(
  folder: string,
  client: Client,
  storage: Storage,
): Promise<DifferentCounts | "same" | "unknown"> {
  const location = folderOf(folder);
  const ask = client.listObjects({ folder: formatLocation(location), max: compared }, { timeout, maxRetries: 0 });
  const listed = await ask.catch(() => undefined);
  if (listed === undefined) return "unknown";
  const theirs = new Set(listed.objects.map((each) => keyOf({ ...each, lastModified: new Date(each.lastModified) })));
  let own = 0;
  for await (const { location: object, size, lastModified } of storage.list(location)) {
    if (theirs.has(keyOf({ location: formatLocation(object), size, lastModified }))) return "same";
    if (++own === compared) break;
  }
  return own === 0 && theirs.size === 0 ? "unknown" : { own, theirs: theirs.size };
}

function keyOf(object: { readonly location: string; readonly size: number; readonly lastModified: Date }): string {
  return `${object.location} ${object.size} ${Math.floor(object.lastModified.getTime() / 1000)}`;
}

function problemText(
  folder: string,
  { own, theirs }: DifferentCounts,
  { secret }: Pick<LifecycleContext, "secret">,
): string {
  const there = theirs === 0 ? "no objects" : theirs === 1 ? "1 object" : `${theirs} objects`;
  const here = own === 0 ? "none" : theirs === 0 ? `${own}` : "other ones";
  return `dag:storage is not the storage of the service: in ${redacted(folder, { secret })} the service has ${there}, dag:storage has ${here}`;
}

/**
 * Returns the context of a refresh: without the storage, after a warning, when it is not that of the service, so that no
 * object counts as deleted or changed.
 */
export async function withServiceStorage(
  folder: string | undefined,
  context: LifecycleContext,
): Promise<LifecycleContext> {
  if (folder === undefined) return context;
  const problem = await storageProblem(folder, context).catch(() => undefined);
  if (problem === undefined) return context;
  context.warn(`${problem}, so that nothing is compared there: ${storageCorrection}`);
  return { ...context, storage: undefined };
}

/** @throws an error that names the remedy when dag:storage is not the storage of the service. */
export async function requireServiceStorage(folder: string, context: StorageContext): Promise<void> {
  const problem = await storageProblem(folder, context);
  if (problem !== undefined) throw new Error(`${problem}: ${storageCorrection}`);
}

const storageCorrection = "correct dag:storage (DAG_STORAGE), or dag:endpoint (DAG_ENDPOINT)";
