/**
 * Finds what a query would delete: a table, an input of one, or other objects. The service's records of splits tell of
 * tables, so that it does not matter whether, or when, the program registers one.
 */
import {
  formatLocation,
  isWithin,
  overlaps,
  parseLocation,
  type Location,
  type QueryRecord,
  type SplitRecord,
} from "../../../contract";
import type { Client } from "../../client";
import { settingName } from "../configuration";
import { describeError } from "../describe-error";
import type { CheckFailure, LifecycleContext, Preflight, PreflightContext } from "../lifecycle";
import { resultObject } from "../overlap/overlap";
import { redacted } from "../redaction";
import { Refusal } from "../refusal";
import { qualifiedName } from "../schema/table-names";
import { laterPublisher } from "./purge";
import { nameOf } from "./resource-name";
import { folderOf, hasObjects } from "./results";

/** Maximum number of splits to examine, newest first. */
const maxRecords = 200;

const moveAway = "set another outputResourcePath";

/** Timeout of a question, in milliseconds: a preview does not wait long for a service that does not answer. */
const timeout = 10_000;

/**
 * Returns why a result cannot move to a folder: it is within the folder of the earlier result, or around it, and that one
 * is to be purged.
 */
export function nestedProblem(
  folder: string,
  deletionPolicy: string | undefined,
  { ownFolder, secret }: PreflightContext,
): CheckFailure | undefined {
  if (ownFolder === undefined || deletionPolicy !== "purge" || !overlaps(folderOf(folder), folderOf(ownFolder))) {
    return undefined;
  }
  const [named, earlier] = [folder, ownFolder].map((each) => redacted(each, { secret }));
  const reason = `${named} and ${earlier}, which has the earlier result, are one within the other, so that it could not be purged: ${moveAway}`;
  return { property: "outputResourcePath", reason };
}

/**
 * Refuses a query that deletes a table, an input of one, or objects that no query has published, as far as the service
 * says so. Warns of other objects that it deletes.
 */
export async function objectsToDelete(folder: string, context: PreflightContext): Promise<Preflight> {
  const { storage, warn, secret, client } = context;
  const named = redacted(folder, { secret });
  try {
    const { bucket } = folderOf(folder);
    if (storage && !(await storage.bucketExists(bucket))) {
      const name = secret ? "[secret]" : `"${bucket}"`;
      warn(`the bucket ${name} of ${named} does not exist: create it, or the service will refuse the query`);
      return {};
    }
    const found = client && (await tableProblem(folder, { ...context, client }));
    if (found?.deletes) return { failures: [{ property: "outputResourcePath", reason: found.reason }] };
    if (found) warn(found.reason);
    if (!storage) return { mayDelete: true, isUnchecked: true };
    if (!(await hasObjects(storage, folder))) return { mayDelete: found !== undefined };
    const there = await client?.describeOutput({ folder }, { timeout, maxRetries: 0 }).catch(() => undefined);
    if (there?.others !== undefined) {
      const what = secret ? "the output folder has objects that are no result of a query" : there.others;
      const reason = `${what}: the query would delete them: ${moveAway}, or move them away first`;
      return { failures: [{ property: "outputResourcePath", reason }] };
    }
    const whose = there?.queryId === undefined ? "" : `, the result of query ${there.queryId}`;
    warn(`${named} contains objects${whose}: they are deleted when the query's result is complete`);
    return { deletes: named, mayDelete: true };
  } catch (error) {
    warn(uncheckedText(folder, error, context));
    return { mayDelete: true, isUnchecked: true };
  }
}

/**
 * Refuses a query that runs again in its own folder when it would delete a table, or an input of one, that others have put
 * there since. Warns when the service or the storage does not answer.
 * @param since the query of the resource that published to the folder, and so deleted what was there before; 0 if none did
 * @throws {Refusal}, which names the split
 */
export async function requireNoTable(folder: string, since: number, context: LifecycleContext): Promise<void> {
  const found = await tableProblem(folder, context, since).catch((error: unknown) => {
    context.signal.throwIfAborted();
    context.warn(uncheckedText(folder, error, context));
  });
  if (found?.deletes) throw new Refusal(found.reason);
}

function uncheckedText(folder: string, error: unknown, { secret }: Pick<LifecycleContext, "secret">): string {
  const reason = secret ? "" : `: ${describeError(error)}`;
  return `cannot check whether ${redacted(folder, { secret })} contains objects, which would be deleted${reason}`;
}

/** What a query would do to a table. */
interface TableProblem {
  readonly reason: string;
  /** False when it would only add rows, which another program may want. */
  readonly deletes: boolean;
}

/**
 * Returns what a query that writes to a folder would do to a table; undefined if there is none.
 * @param since a query whose result has replaced what was in the folder. @default there is none
 */
export async function tableProblem(
  outputResourcePath: string,
  context: PreflightContext & { readonly client: Client },
  since = 0,
): Promise<TableProblem | undefined> {
  const { client, storage } = context;
  const folder = folderOf(outputResourcePath);
  const [outermost] = folder.key.split("/", 1);
  if (storage && !(await hasObjects(storage, `dag://${folder.bucket}/${outermost}/`))) return undefined;
  const seen = new Set<string>();
  let added: TableProblem | undefined;
  // Without storage, nothing shows that an input is there again.
  for await (const split of recentSplits(client, storage ? 0 : since)) {
    const table = locationOf(split);
    const isNewest = !seen.has(formatLocation(table));
    seen.add(formatLocation(table));
    if (isNewest && overlaps(folder, table) && (await hasTable(split, table, since, context))) {
      const found = { reason: tableText(folder, split, context), deletes: isWithin(table, folder) };
      if (found.deletes) return found;
      added ??= found;
    }
    const input = await inputWithin(folder, split, context);
    if (input !== undefined) return { reason: inputText(folder, split, input, context), deletes: true };
  }
  return added;
}

/** Returns true unless the table of a split is known to be gone, or to have become the result of a select. */
async function hasTable(
  { id, status, outputDatabase: database, outputTable: table }: SplitRecord,
  folder: Location,
  since: number,
  { client, storage, serviceTables }: PreflightContext & { readonly client: Client },
): Promise<boolean> {
  if (status === "running") return true;
  if (id < since) return false;
  if (storage && !(await hasObjects(storage, formatLocation(folder)))) return false;
  const listed = await serviceTables?.table({ database, table });
  if (listed) return listed.source !== "select";
  const replacesTable = (record: QueryRecord) =>
    record.type === "select" && isWithin(folder, folderOf(record.outputResourcePath));
  return (await laterPublisher(id, replacesTable, { client })) === undefined;
}

/** Returns an input of a split in a folder that still exists, as far as that is known. */
async function inputWithin(
  folder: Location,
  { status, inputObjectKeys }: SplitRecord,
  { storage }: PreflightContext,
): Promise<string | undefined> {
  for (const input of inputObjectKeys) {
    const location = parseLocation(input);
    if (!isWithin(location, folder) || resultObject.test(location.key)) continue;
    if (status === "running" || !storage || (await storage.head(location))) return input;
  }
  return undefined;
}

function tableText(folder: Location, split: SplitRecord, context: PreflightContext): string {
  if (context.secret) return `the output folder is in a table that a split made: ${moveAway}`;
  const table = tableOf(split, context);
  return !isWithin(locationOf(split), folder)
    ? `outputResourcePath ${formatLocation(folder)} is inside ${table}: the result will be rows of it`
    : `outputResourcePath ${formatLocation(folder)} has ${table}: the query would delete it: ${moveAway}${remedy(context)}`;
}

function inputText(folder: Location, split: SplitRecord, input: string, context: PreflightContext): string {
  if (context.secret) return `the output folder contains an input of a table that a split made: ${moveAway}`;
  return (
    `outputResourcePath ${formatLocation(folder)} contains ${input}, an input of ${tableOf(split, context)}: ` +
    `the query would delete it: ${moveAway}${remedy(context)}`
  );
}

function tableOf(split: SplitRecord, { programTables }: PreflightContext): string {
  // The query itself claims the folder too.
  const owner = programTables?.writerOf(formatLocation(locationOf(split)));
  const of = owner?.includes(":SplitTable::") ? ` of ${nameOf(owner)}` : "";
  const made = split.status === "running" ? "is making" : "made";
  return `the table ${qualifiedName(split.outputDatabase, split.outputTable)}${of}, which split query ${split.id} ${made}`;
}

function locationOf({ outputDatabase, outputTable }: SplitRecord): Location {
  return { bucket: outputDatabase, key: `${outputTable}/` };
}

function remedy({ storage }: PreflightContext): string {
  return storage
    ? ", or delete the objects first if nobody needs them"
    : `. If those objects no longer exist, set ${settingName("storage")}, so that this can be seen`;
}

/** The splits that clients have listed, by id, with the records that were read. */
const splitsOf = new WeakMap<Client, Promise<Map<number, Promise<QueryRecord> | undefined>>>();

/**
 * Returns the splits after a query that made or are making a table, the newest first. A client lists them once, and so a
 * run; it reads each record once, when it is needed.
 */
async function* recentSplits(client: Client, after: number): AsyncGenerator<SplitRecord, void, undefined> {
  const listed = splitsOf.get(client) ?? listSplits(client);
  splitsOf.set(client, listed);
  listed.catch(() => splitsOf.delete(client));
  const splits = await listed;
  for (const id of splits.keys()) {
    if (id < after) return;
    const asked = splits.get(id) ?? client.getQuery({ queryId: id });
    splits.set(id, asked);
    asked.catch(() => splits.set(id, undefined));
    const record = await asked;
    if (record.type === "split") yield record;
  }
}

async function listSplits(client: Client): Promise<Map<number, undefined>> {
  const found = new Map<number, undefined>();
  for await (const { id } of client.queries({ type: "split", status: ["running", "finished"], order: "desc" })) {
    found.set(id, undefined);
    if (found.size >= maxRecords) break;
  }
  return found;
}
