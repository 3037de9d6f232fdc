/** The tables that the resources of one program make, with the generation of each. */
import type { Policy } from "./replaced-policy";
import type { Waiting } from "./waiting";
import { longestToken, tokens } from "../overlap/location-index";
import { EarlyReaders } from "./early-readers";
import { asFolder, LocationError, parseLocation, type Location } from "../../../contract/location";

/** Stands for a table that no resource of the program makes, or whose generation is not known. */
export const noGeneration = "---";

/**
 * Begins the generation of a table to which the program refers by the id of its query, which follows. Other generations
 * have no hyphen.
 */
const lookupMark = "-";

/** Returns true for the generation of a table to which the program refers by an id. */
export const isOfLookup = (generation: string): boolean => /^-\d+$/.test(generation);

/** A table that a statement reads. */
export interface TableName {
  readonly database: string;
  readonly table: string;
}

/** A folder that a resource of the program writes. */
export interface ProgramTable {
  /** URN of the resource. */
  readonly urn: string;
  /** Generation of the resource; undefined for a resource that a release without generations created. */
  readonly generation: string | undefined;
  /** True when the resource exists and has written the folder. The service may lack the tables of others. */
  readonly exists: boolean;
  /** Returns the names of the columns, if they are known. */
  columns(): readonly string[] | undefined;
  /** True when the service's config may declare other columns for the folder, as for the result of a select. */
  readonly mayBeDeclared: boolean;
  /** True when the program has given the name, which a replacement gets again. @default false */
  readonly isNamed?: boolean;
}

/** A query whose resource is replaced. */
interface ReplacedQuery {
  readonly urn: string;
  /** What counts for its objects. */
  readonly deletionPolicy: Policy;
  /** Identifies the objects that it published; undefined if they were not listed. */
  readonly etag: string | undefined;
  /** The inputs of the replacement. */
  readonly news?: object;
}

/** A resource whose new inputs have another folder than its table. */
export type MovedResource = Pick<ReplacedQuery, "urn" | "deletionPolicy">;

/** Collects the tables of one run. The engine checks a resource after the resources that it depends on. */
export class ProgramTables {
  /** The queries that read a table which is registered after them. */
  readonly earlyReaders = new EarlyReaders();
  readonly #tables = new Map<string, ProgramTable>();
  /** The longest words of the tables' names, to tell quickly whether a statement may read one. */
  readonly #words = new Set<string>();
  /** Generations of existing resources, by URN, so that their replacements get others. */
  readonly #earlier = new Map<string, string | undefined>();
  /** The resources that are to adopt a table, by URN. */
  readonly #adopting = new Set<string>();
  /** The generations that existing resources have read, by URN and by the key of the table. */
  readonly #read = new Map<string, () => ReadonlyMap<string, string>>();
  /** Folders of existing resources whose new ones are not known yet. */
  readonly #mayMove = new Set<string>();
  /** Existing queries that follow their tables, by URN; true for one with a secret input. */
  readonly #followers = new Map<string, boolean>();
  /** The folders that resources of this run have been created for; true for one whose query was taken over. */
  readonly #held = new Map<string, boolean>();
  /** The ids by which the program refers to what is in a folder; undefined for that of a query that has not finished. */
  readonly #lookedUp = new Map<string, string | undefined>();
  /** URNs of the resources that this run has created. */
  readonly #made = new Set<string>();
  /** Queries of existing resources, by URN. */
  readonly #queries = new Map<string, number>();
  /** Queries whose resources this run replaces. */
  readonly #replaced = new Map<number, ReplacedQuery>();
  /** The inputs of resources that this run is to create, by URN, until it does. */
  readonly #toCreate = new Map<string, object>();
  /** The resources whose new inputs have another folder, by the key of the folder that they have. */
  readonly #moved = new Map<string, MovedResource>();

  /** @param registered waits until the program has registered its resources. @default it has */
  constructor(readonly registered: (context: Waiting) => Promise<void> = () => Promise.resolve()) {}

  /** Adds the folder that a resource writes. A replaced resource is checked, and so added, twice; the last one counts. */
  add(folder: string, table: ProgramTable): void {
    try {
      const location = asFolder(parseLocation(folder));
      if (!this.#tables.has(keyOfFolder(location))) this.earlyReaders.registered(location, table.urn);
      this.earlyReaders.checkedMaker(table.urn, table.exists);
      this.#tables.set(keyOfFolder(location), { ...table, columns: once(table.columns) });
      this.#addWord(location);
    } catch (error) {
      // The resource's own check reports the invalid location.
      if (!(error instanceof LocationError)) throw error;
    }
  }

  /**
   * Notes that a resource that this run creates writes a folder.
   * @param adopted true when it has taken over a query that was submitted before.
   */
  hold(folder: string, adopted: boolean): void {
    const key = keyOfFolder(asFolder(parseLocation(folder)));
    const table = this.#tables.get(key);
    if (table) this.#tables.set(key, { ...table, exists: true });
    if (table) this.#made.add(table.urn);
    this.#held.set(key, adopted || this.#held.get(key) === true);
  }

  /** Returns true when this run has created a resource that writes a folder. */
  isHeld(folder: string): boolean {
    return this.#held.has(keyOfFolder(asFolder(parseLocation(folder))));
  }

  /** Returns true when a resource that this run creates has taken over what a query wrote to a folder. */
  isAdopted(folder: string): boolean {
    return this.#held.get(keyOfFolder(asFolder(parseLocation(folder)))) === true;
  }

  /**
   * Notes that the program refers by its id, as with `SplitTable.get`, to what a query wrote to a folder, or imports it.
   * @param id undefined for a query that has not finished, so that the folder has what an earlier one wrote
   */
  looksUp(folder: string, id: string | undefined): void {
    const location = asFolder(parseLocation(folder));
    this.#lookedUp.set(keyOfFolder(location), id);
    this.#addWord(location);
  }

  /** Returns true when the program refers to what is in a folder by an id. */
  isLookedUp(folder: string): boolean {
    return this.#lookedUp.has(keyOfFolder(asFolder(parseLocation(folder))));
  }

  /** Returns the URN of the existing resource to which a folder belongs; undefined if the program has none. */
  holder(folder: string): string | undefined {
    const table = this.#tables.get(keyOfFolder(asFolder(parseLocation(folder))));
    return table?.exists ? table.urn : undefined;
  }

  /** Returns the URN of the resource of the program that writes a folder, also if it does not exist yet. */
  writerOf(folder: string): string | undefined {
    return this.#tables.get(keyOfFolder(asFolder(parseLocation(folder))))?.urn;
  }

  /** Notes the query of an existing resource, when it is compared. */
  hasQuery(urn: string, queryId: number): void {
    this.#queries.set(urn, queryId);
  }

  /**
   * Returns true when the resource of a generation stays as it is, and its query was submitted before another one, or when
   * that of a lookup was.
   */
  isMadeBefore(generation: string, queryId: number): boolean {
    if (isOfLookup(generation)) return Number(generation.slice(lookupMark.length)) < queryId;
    const maker = [...this.#tables.values()].find((table) => table.generation === generation);
    const made = maker && this.#queries.get(maker.urn);
    return made !== undefined && made < queryId && !this.isReplaced(made);
  }

  /** Notes that this run replaces the resource of a query, so that its replacement does not adopt that query. */
  replaces(queryId: number, query: ReplacedQuery): void {
    this.#replaced.set(queryId, query);
  }

  /** Returns the query whose resource this run replaces. */
  replaced(queryId: number): ReplacedQuery | undefined {
    return this.#replaced.get(queryId);
  }

  /** Returns true when this run replaces the resource of a query. */
  isReplaced(queryId: number): boolean {
    return this.#replaced.has(queryId);
  }

  /** Notes the inputs of a resource that is to be created; undefined when that begins. */
  creates(urn: string, news: object | undefined): void {
    if (news) this.#toCreate.set(urn, news);
    else this.#toCreate.delete(urn);
  }

  /**
   * Returns the inputs of the resource that takes the place of one that is deleted; undefined if none does, or does already.
   * With `--replace`, the engine asks only about a new one of the same URN.
   */
  replacementOf(queryId: number, urn: string | undefined): object | undefined {
    return this.#replaced.get(queryId)?.news ?? (urn === undefined ? undefined : this.#toCreate.get(urn));
  }

  /** Returns the query of an existing resource; undefined if it was not compared. */
  queryOf(urn: string): number | undefined {
    return this.#queries.get(urn);
  }

  /**
   * Returns true when the engine deletes a resource before the program has registered it: it depends on another one, which
   * is made again afterwards.
   */
  isDeletedForOther(queryId: number, urn: string): boolean {
    if (!this.isReplaced(queryId) || this.#earlier.has(urn)) return false;
    const replaced = new Set([...this.#replaced.values()].map((query) => query.urn));
    return [...this.#tables.values()].some(
      (table) => table.urn !== urn && !this.#made.has(table.urn) && (!table.exists || replaced.has(table.urn)),
    );
  }

  /** Returns true when this run has registered a resource that is made again, and has not submitted its query yet. */
  isMadeLater(queryId: number, urn: string): boolean {
    if (this.#made.has(urn)) return false;
    return [...this.#tables.values()].some((table) => table.urn === urn && (!table.exists || this.isReplaced(queryId)));
  }

  /** Notes that the new inputs of a resource have another folder. Its check reports it, before its diff. */
  moves(folder: string, resource: MovedResource): void {
    this.#moved.set(keyOfFolder(asFolder(parseLocation(folder))), resource);
  }

  /** Returns the resource that has a folder, and whose new inputs have another one. */
  movedFrom(folder: string): MovedResource | undefined {
    return this.#moved.get(keyOfFolder(asFolder(parseLocation(folder))));
  }

  /** Notes the generation of an existing resource. */
  exists(urn: string, generation: string | undefined): void {
    this.#earlier.set(urn, generation);
  }

  /**
   * Notes what an existing resource has read, for its replacement: this run may not know all of these tables.
   * @param read returns the tables of its statement.
   * @param tables their generations, as its inputs have them.
   */
  hasRead(urn: string, read: () => readonly TableName[], tables: readonly string[] = []): void {
    const generationOf = () =>
      new Map(read().flatMap((table, index) => (tables[index] ? [[keyOf(table), tables[index]] as const] : [])));
    let known: ReadonlyMap<string, string> | undefined;
    this.#read.set(urn, () => (known ??= generationOf()));
  }

  /** Notes that an existing query follows its tables. @param secret true when an input is secret */
  follows(urn: string, secret: boolean): void {
    this.#followers.set(urn, secret);
  }

  /** Notes the folder of an existing resource whose new one is not known yet, and may be the same. */
  mayMove(folder: string): void {
    this.#mayMove.add(keyOfFolder(asFolder(parseLocation(folder))));
  }

  /**
   * Returns the names of the tables that an existing query follows, and that nothing registered so far makes or looks up.
   * @param mayBeMade true for those only that a resource may still make whose folder is not known yet, false for the others
   */
  followedButNotMade(
    urn: string,
    mayBeMade: boolean,
  ): { readonly secret: boolean; readonly tables: readonly string[] } {
    const secret = this.#followers.get(urn);
    const read = secret === undefined ? undefined : this.#read.get(urn)?.();
    const isUnmade = (key: string) => !this.#tables.has(key) && !this.#lookedUp.has(key);
    const unmade = [...(read ?? [])].filter(
      ([key, made]) =>
        isUnmade(key) && made !== noGeneration && !isOfLookup(made) && this.#mayMove.has(key) === mayBeMade,
    );
    return { secret: secret === true, tables: unmade.map(([key]) => key.slice(0, -1).replace("/", ".")) };
  }

  /**
   * Returns the generation of a table: that of the resource of the program that makes it, or of its query, to which the
   * program refers by an id. Undefined where this run knows neither.
   */
  generationOf(table: TableName): string | undefined {
    const id = this.#lookedUp.get(keyOf(table));
    return this.get(table)?.generation ?? (id === undefined ? undefined : `${lookupMark}${id}`);
  }

  /**
   * Returns the generation of a table that a resource read before this run; undefined if it read none. Of a table to which
   * the program refers by the id of a query that has not finished, a new resource reads one before all others.
   */
  generationRead(urn: string, table: TableName): string | undefined {
    const read = this.#read.get(urn)?.().get(keyOf(table));
    return read ?? (this.#lookedUp.has(keyOf(table)) ? `${lookupMark}0` : undefined);
  }

  /** Returns the generation that the resource had before this run replaces it. */
  earlierGeneration(urn: string): string | undefined {
    return this.#earlier.get(urn);
  }

  /**
   * Returns true when the resource that makes a table is new: it may have adopted the table of another one.
   * @param name of the table, or the location of an object of it
   */
  isOfNew(name: string): boolean {
    const maker = this.makerOf(name);
    return maker !== undefined && (!this.#earlier.has(maker.urn) || this.#adopting.has(maker.urn));
  }

  /** Notes that a new resource is to adopt a table. */
  adopts(urn: string): void {
    this.#adopting.add(urn);
  }

  /** Returns true when the resource of a table is to adopt it, so that no split rebuilds it. @param name see {@link isOfNew} */
  isToBeAdopted(name: string): boolean {
    const maker = this.makerOf(name);
    return maker !== undefined && this.#adopting.has(maker.urn);
  }

  /** Returns the table that a resource of the program makes. @param name see {@link isOfNew}; a database may have dots */
  makerOf(name: string): ProgramTable | undefined {
    if (name.startsWith("dag://")) return this.containing(name);
    const dot = name.lastIndexOf(".");
    return this.get({ database: name.slice(0, dot), table: name.slice(dot + 1) });
  }

  /** Returns the names of the tables in a database. */
  namesIn(database: string): string[] {
    const keys = [...this.#tables.keys()].map((key) => key.split("/"));
    return keys.flatMap(([bucket, table, rest]) => (bucket === database && rest === "" ? [table!] : []));
  }

  /** Returns the table of this name, if a resource of the program makes it. */
  get(table: TableName): ProgramTable | undefined {
    return this.#tables.get(keyOf(table));
  }

  /** Returns true for the inputs of a table whose name is generated: its replacement gets another one. */
  isGenerated(news: { readonly outputDatabase?: unknown; readonly outputTable?: unknown }): boolean {
    const { outputDatabase: database, outputTable: table } = news;
    // Unknown while a resource that they depend on is replaced.
    if (typeof database !== "string" || typeof table !== "string") return false;
    return this.get({ database, table })?.isNamed === false;
  }

  #addWord({ key }: Location): void {
    this.#words.add(longestToken(key.split("/", 1)[0]!));
  }

  /** Returns false when a statement reads no table of the program for certain. Much faster than parsing it. */
  mayBeReadBy(statement: string): boolean {
    return [...tokens(statement)].some((word) => this.#words.has(word));
  }

  /** Returns the URN of the resource that makes an object, while it is not made yet. */
  makerAwaited(object: string): string | undefined {
    const table = this.containing(object);
    const isAwaited = table && (!table.exists || this.earlyReaders.isAwaited(table.urn));
    return isAwaited ? table.urn : undefined;
  }

  /** Returns the innermost folder of the program that contains an object. */
  containing(object: string): ProgramTable | undefined {
    const [, bucket = "", key = ""] = /^dag:\/\/([^/]*)\/(.*)$/s.exec(object) ?? [];
    const parts = key.split("/").slice(0, -1);
    for (; parts.length > 0; parts.pop()) {
      const table = this.#tables.get(keyOfFolder({ bucket, key: `${parts.join("/")}/` }));
      if (table) return table;
    }
    return undefined;
  }
}

/** Returns a table's name, such as `wildlife.birds`. */
export function tableName({ database, table }: TableName): string {
  return `${database}.${table}`;
}

function keyOf({ database, table }: TableName): string {
  return keyOfFolder({ bucket: database, key: `${table}/` });
}

/** Returns the key of a folder: without the upper case of a table's name, which HiveQL ignores. */
function keyOfFolder({ bucket, key }: Location): string {
  return `${bucket}/${key}`.toLowerCase();
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
