/**
 * Generations of tables, so that a query is run again when a table that it reads was rebuilt. A resource gets a new
 * generation each time it is created.
 */
import { createHash, randomBytes } from "node:crypto";
import { isOfLookup, noGeneration, type ProgramTables, type TableName } from "./program-tables";

/** The part of a check's options that tells which tables a resource reads. */
interface RunOptions {
  readonly urn: string;
  readonly olds?: object | undefined;
  readonly randomSeed?: Uint8Array | undefined;
  readonly programTables?: ProgramTables | undefined;
}

/** Characters of a new generation, of 63 each. */
const generationLength = 8;
/**
 * Returns the generation of a resource: the one it has, or a new one for a resource that is about to be created, which
 * differs from that of the resource that it replaces. Undefined for an existing resource that a release without
 * generations created, and outside of a run.
 */
export function generationFor({ urn, olds, randomSeed, programTables }: RunOptions): string | undefined {
  if (!programTables) return undefined;
  if (olds) {
    const { generation } = olds as { readonly generation?: string };
    programTables.exists(urn, generation);
    return generation;
  }
  const earlier = programTables.earlierGeneration(urn);
  for (let attempt = 0; ; attempt += 1) {
    const generation = newGeneration(randomSeed, attempt);
    if (generation !== earlier) return generation;
  }
}

function newGeneration(randomSeed: Uint8Array | undefined, attempt: number): string {
  const seed = randomSeed
    ? createHash("sha256")
        .update(randomSeed)
        .update(`generation${attempt || ""}`)
        .digest()
    : randomBytes(6);
  return seed.toString("base64url").slice(0, generationLength).replaceAll("-", "0");
}

/**
 * Returns the generations of the program's tables that a statement reads, in the order of its tables. A table that
 * this run does not know (another provider's, or not a target of this run) keeps the generation that was read last.
 * @param read the tables; undefined while the statement is unknown.
 */
export function tablesRead(read: readonly TableName[] | undefined, options: RunOptions): readonly string[] | undefined {
  const { programTables } = options;
  if (!programTables || read === undefined) return tablesBefore(options);
  return generations(
    read.map((table) => programTables.generationOf(table) ?? programTables.generationRead(options.urn, table)),
    [],
  );
}

/** Returns the generations of the program's resources whose output contains input objects, in their order. */
export function producersRead(objects: readonly string[], options: RunOptions): readonly string[] | undefined {
  const { programTables } = options;
  if (!programTables) return tablesBefore(options);
  return generations(
    objects.map((object) => programTables.containing(object)?.generation),
    tablesBefore(options) ?? [],
  );
}

/** Returns the positions of the tables that were rebuilt since a resource read them. */
export function rebuiltTables(before: readonly string[] = [], now: readonly string[] = []): number[] {
  return now.flatMap((generation, index) =>
    generation !== noGeneration && generation !== before[index] ? [index] : [],
  );
}

/**
 * Returns the tables that an existing resource has read. One that was imported, or whose tables were those of another
 * provider configuration, has no record of them: it has read those whose queries were submitted before its own.
 * @param id that of the resource's query
 */
export function tablesOfExisting(
  id: string,
  old: { readonly tables?: readonly string[] | undefined },
  now: readonly string[] | undefined,
  programTables: ProgramTables | undefined,
): readonly string[] | undefined {
  if (now === undefined) return old.tables;
  return now.map((generation, index) => {
    const before = old.tables?.[index] ?? noGeneration;
    // A table may have been made by a resource of the program then, and be referred to by an id now, or the reverse.
    if (before !== noGeneration && isOfLookup(before) === isOfLookup(generation)) return before;
    return programTables?.isMadeBefore(generation, Number(id)) ? generation : noGeneration;
  });
}

/**
 * Returns the tables that a resource reads as a text that is part of its query's identity. It is that of earlier
 * releases, so that a query that one of them submitted is found.
 */
export function identityOf(tables: readonly string[] | undefined): string | undefined {
  return tables?.join("");
}

/** Returns true when the table at a position is made by a resource of the program. */
export function isFollowed(index: number, tables: readonly string[] = []): boolean {
  const generation = tables[index] ?? noGeneration;
  return generation !== noGeneration && !isOfLookup(generation);
}

function tablesBefore({ olds }: RunOptions): readonly string[] | undefined {
  return (olds as { readonly tables?: readonly string[] } | undefined)?.tables;
}

function generations(found: readonly (string | undefined)[], before: readonly string[]): readonly string[] | undefined {
  const known = found.map((generation, index) => generation ?? before[index] ?? noGeneration);
  return known.every((generation) => generation === noGeneration) ? undefined : known;
}
