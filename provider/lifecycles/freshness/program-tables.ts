/**
 * The tables that the resources of one program make, with the generation of each, so that a query is run again when a
 * table that it reads was made anew. A resource gets a new generation each time it is created.
 */
import { createHash, randomBytes } from "node:crypto";
import { asFolder, formatLocation, LocationError, parseLocation, type Location } from "../../../contract/location";

/** A table that a statement reads. */
export interface TableName {
  readonly database: string;
  readonly table: string;
}

/** A folder that a resource of the program writes. */
export interface ProgramTable {
  /** Generation of the resource; undefined for a resource that a release without generations created. */
  readonly generation: string | undefined;
  /** Returns the names of the columns, if they are known. */
  columns(): readonly string[] | undefined;
}

/** The part of a check's options that tells which tables a resource reads. */
interface RunOptions {
  readonly olds?: object | undefined;
  readonly randomSeed?: Uint8Array | undefined;
  readonly programTables?: ProgramTables | undefined;
  readonly secret: boolean;
}

/** The generations of the tables that a resource has read, by {@link tableKey}. */
export type ReadTables = Readonly<Record<string, string>>;

/** Collects the tables of one run. The engine checks a resource after the resources that it depends on. */
export class ProgramTables {
  readonly #tables = new Map<string, ProgramTable>();

  /** Adds the folder that a resource writes. A replaced resource is checked, and so added, twice; the last one counts. */
  add(folder: string, table: ProgramTable): void {
    try {
      this.#tables.set(keyOfFolder(asFolder(parseLocation(folder))), { ...table, columns: once(table.columns) });
    } catch (error) {
      // The resource's own check reports the invalid location.
      if (!(error instanceof LocationError)) throw error;
    }
  }

  /** Returns the table of this name, if a resource of the program makes it. */
  get(table: TableName): ProgramTable | undefined {
    return this.#tables.get(keyOf(table));
  }

  /** Returns the key and the table of the innermost folder that contains an object. */
  containing(object: string): readonly [key: string, table: ProgramTable] | undefined {
    const [, bucket = "", key = ""] = /^dag:\/\/([^/]*)\/(.*)$/s.exec(object) ?? [];
    const parts = key.split("/").slice(0, -1);
    for (; parts.length > 0; parts.pop()) {
      const found = keyOfFolder({ bucket, key: `${parts.join("/")}/` });
      const table = this.#tables.get(found);
      if (table) return [found, table];
    }
    return undefined;
  }
}

/**
 * Returns the generation of a resource: the one it has, or a new one for a resource that is about to be created.
 * Undefined for an existing resource that a release without generations created, and outside of a run.
 */
export function generationFor({ olds, randomSeed, programTables }: RunOptions): string | undefined {
  if (!programTables) return undefined;
  if (olds) return (olds as { readonly __generation?: string }).__generation;
  const seed = randomSeed ? createHash("sha256").update(randomSeed).update("generation").digest() : randomBytes(5);
  return seed.toString("base64url").slice(0, 6);
}

/**
 * Returns the generations of the program's tables that a statement reads. A table that this run does not know (another
 * provider's, or not a target of this run) keeps the generation that was read last.
 * @param read the tables; undefined while the statement is unknown.
 */
export function tablesRead(
  read: readonly TableName[] | undefined,
  { olds, programTables, secret }: RunOptions,
): ReadTables | undefined {
  const before = (olds as { readonly tables?: ReadTables } | undefined)?.tables;
  if (!programTables || read === undefined) return before;
  return ofEntries(
    read.map((table) => {
      const key = keyOf(table);
      return [key, programTables.get(table)?.generation ?? generationOf(before, key)] as const;
    }),
    secret,
  );
}

/** Returns the generations of the program's resources whose output contains input objects. */
export function producersRead(
  objects: readonly string[],
  { olds, programTables, secret }: RunOptions,
): ReadTables | undefined {
  const before = (olds as { readonly tables?: ReadTables } | undefined)?.tables;
  if (!programTables) return before;
  return ofEntries(
    objects.map((object) => {
      const [key, table] = programTables.containing(object) ?? ["", undefined];
      return [key, table?.generation ?? generationOf(before, key)] as const;
    }),
    secret,
  );
}

/** Returns the keys of the tables that were made anew since a resource read them. */
export function remadeTables(before: ReadTables | undefined, now: ReadTables | undefined): string[] {
  return Object.entries(now ?? {})
    .filter(([key, generation]) => generationOf(before, key) !== generation)
    .map(([key]) => key);
}

/** Returns true when a table is among the followed ones. */
export function isFollowed(table: TableName, followed: ReadTables | undefined): boolean {
  return generationOf(followed, keyOf(table)) !== undefined;
}

/** Returns a table's name for a message; undefined for a key that hides the name, because an input is secret. */
export function tableNameIn(key: string): string | undefined {
  return key.startsWith("#") ? undefined : key;
}

/** Returns the key of a table, such as `wildlife.birds`. */
function keyOf({ database, table }: TableName): string {
  return keyOfFolder({ bucket: database, key: `${table}/` });
}

/** Returns `database.table` for the folder of a table and the location for any other folder. */
function keyOfFolder(folder: Location): string {
  const [table, ...inner] = folder.key.split("/").slice(0, -1);
  return table === undefined || inner.length > 0 ? formatLocation(folder) : `${folder.bucket}.${table.toLowerCase()}`;
}

/** Returns undefined for a call inside of the same call: two queries that read each other have no known columns. */
function once<Value>(call: () => Value | undefined): () => Value | undefined {
  let isRunning = false;
  return () => {
    if (isRunning) return undefined;
    isRunning = true;
    try {
      return call();
    } finally {
      isRunning = false;
    }
  };
}

/** Returns a key that does not show the name, for a resource with a secret input. */
function hidden(key: string): string {
  return `#${createHash("sha256").update(key).digest("base64url").slice(0, 8)}`;
}

/** Looks a generation up also when an input has become secret, or is no longer secret. */
function generationOf(tables: ReadTables | undefined, key: string): string | undefined {
  if (!tables) return undefined;
  return tables[key] ?? tables[hidden(key)] ?? Object.entries(tables).find(([other]) => hidden(other) === key)?.[1];
}

function ofEntries(entries: readonly (readonly [string, string | undefined])[], secret: boolean) {
  const known = entries.filter((entry): entry is readonly [string, string] => entry[1] !== undefined);
  if (known.length === 0) return undefined;
  return Object.fromEntries(known.map(([key, generation]) => [secret ? hidden(key) : key, generation]));
}
