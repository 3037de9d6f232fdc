/**
 * The catalog of tables: tables that the config declares, tables that splits wrote, and every other folder with objects
 * (design §2, "Data").
 */
import { createHash } from "node:crypto";
import { extname } from "node:path";
import {
  errors,
  formatLocation,
  isHiddenObject,
  type Column,
  type Location,
  type TableFormat,
} from "../../../contract";
import type { Storage, StoredObject } from "../../../storage/storage";
import type { TableDefinition, TableName, ViewDefinition } from "../ports/engine";
import { foreignFormatOf } from "../../../storage/foreign-formats";
import { isWritten, PublishedFolders } from "./published";
import { guessFormat, readObjectHead } from "../../../storage/sniff-format";
import type { CatalogRecords } from "../ports/state";

/** A table that is declared in the config. */
export interface DeclaredTable extends TableName {
  readonly format: TableFormat;
  /** The declared columns; when absent, the engine infers them from the data. */
  readonly columns?: readonly Column[];
  /** The declared partition columns. */
  readonly partitions?: readonly Column[];
}

/** A table, with what the catalog knows of it besides what an engine must know. */
export interface KnownTable extends TableDefinition {
  readonly source: "declared" | "split" | "select" | "folder";
  /** How the table is read although objects of it are not as queries wrote them. */
  readonly note?: string;
}

/** Returns the folder of a table. */
export function tableFolder({ database, table }: TableName): Location {
  return { bucket: database, key: `${table}/` };
}

export class TableCatalog {
  readonly #declared: ReadonlyMap<string, DeclaredTable>;

  readonly #views: ReadonlyMap<string, ViewDefinition>;
  /** The folders that queries published. */
  readonly published: PublishedFolders;

  constructor(
    private readonly records: CatalogRecords,
    private readonly storage: Storage,
    declared: readonly DeclaredTable[],
    views: readonly ViewDefinition[] = [],
  ) {
    this.published = new PublishedFolders(records, storage);
    this.#views = new Map(views.map((view) => [`${view.database}/${view.view}`, view]));
    this.#declared = new Map(declared.map((table) => [`${table.database}/${table.table}`, table]));
  }

  /** Returns true when the database has a table that is declared or was written by a split. */
  async hasTablesIn(database: string): Promise<boolean> {
    if ([...this.#declared.values()].some((table) => table.database === database)) return true;
    return (await this.records.listTables({ database, limit: 1 })).length > 0;
  }

  /**
   * Returns the tables of a database that are declared, and those that splits wrote, in the order of their names. The
   * objects of the latter may have been deleted since.
   * @param limit the number of those that splits wrote, at most
   */
  async tablesIn(database: string, limit: number) {
    const declared = [...this.#declared.values()].filter((table) => table.database === database);
    const written = await this.records.listTables({ database, limit });
    return [
      ...written.map((table) => ({ ...table, source: "split" as const })),
      ...declared.map((table) => ({ ...table, source: "declared" as const })),
    ];
  }

  /** Returns the tables of a database that are still as selects wrote them, of those that selects wrote to last. */
  async resultsIn(database: string, limit: number): Promise<KnownTable[]> {
    const published = await this.records.listPublished({ bucket: database, key: "" }, limit);
    const names = [...new Set(published.map(({ folder }) => tableContaining(folder).table))];
    // A folder that cannot be read is one of the others in a list.
    const definition = (table: string) => this.definition({ database, table }).catch(() => undefined);
    const found = await Promise.all(names.map(definition));
    return found.filter((table) => table?.source === "select") as KnownTable[];
  }

  /** Returns the names of the tables and views of a database; of many folders, only the first. */
  async namesIn(database: string): Promise<ReadonlySet<string>> {
    const tables = (await this.tablesIn(database, maxNames)).map(({ table }) => table);
    const names = new Set([...tables, ...this.viewsIn(database).map(({ view }) => view)]);
    const folders = this.storage.folders({ bucket: database, key: "" });
    for await (const name of folders) if (names.add(name).size >= maxNames) break;
    return names;
  }

  /** Returns the view of this name; undefined when the config has none. */
  view({ database, table }: TableName): ViewDefinition | undefined {
    return this.#views.get(`${database}/${table}`);
  }

  /** Returns true when the config declares the table. */
  declares({ database, table }: TableName): boolean {
    return this.#declared.has(`${database}/${table}`);
  }

  /** Returns all views. */
  views(): readonly ViewDefinition[] {
    return [...this.#views.values()];
  }

  /** Returns the views of a database. */
  viewsIn(database: string): readonly ViewDefinition[] {
    return [...this.#views.values()].filter((view) => view.database === database);
  }

  /** Returns true when the table's folder has objects. */
  async hasObjects(name: TableName): Promise<boolean> {
    return (await firstItem(this.storage.list(tableFolder(name)))) !== undefined;
  }

  /** Returns the table; undefined when the config does not declare it and its folder has no objects. */
  async definition({ database, table }: TableName): Promise<KnownTable | undefined> {
    const location = tableFolder({ database, table });
    const declared = this.#declared.get(`${database}/${table}`);
    if (declared) return { ...declared, location, source: "declared" };
    const written = await this.records.getTable(database, table);
    const first = await this.#firstWithRows(location);
    // A split writes an object even when it has no rows: without any, its table was deleted.
    if (!first) return undefined;
    if (written) {
      const { format, columns, fingerprint } = written;
      const checked = fingerprint !== null && fingerprint === (await this.fingerprint(location));
      const change = await this.published.changeOf(location);
      const note = `table ${database}.${table} is read with the format and schema of its split: ${change}`;
      const known = { database, table, location, format, columns, checked, source: "split" } as const;
      return change === undefined ? known : { ...known, note };
    }
    return this.#folder({ database, table }, location, first);
  }

  /** Returns the table of a folder that is not in the catalog. @param first its first object that has rows */
  async #folder(name: TableName, location: Location, first: StoredObject): Promise<KnownTable> {
    const found = await this.published.find(location, first);
    const full = `${name.database}.${name.table}`;
    if (found.type !== undefined) {
      const { type, format, columns, partitions } = found;
      const known = columns?.length ? { columns, ...(partitions.length > 0 ? { partitions } : {}) } : {};
      const table = { ...name, location, format, ...known, mayHaveHeader: type === "split", source: type };
      const note = `table ${full} is read as the first of two results that it may be a copy of: ${found.doubt}`;
      return found.doubt === undefined ? table : { ...table, note };
    }
    const { reason } = found;
    const { format, doubt }: FoundFormat = found.format ? { format: found.format } : await this.#formatOf(first);
    const notes = [
      ...(reason === undefined ? [] : [`table ${full} is read as an ordinary folder: ${reason}`]),
      ...(doubt === undefined ? [] : [`table ${full} is read as ${format}: ${doubt}. ${formatRemedy}`]),
    ];
    const guessed = { mayHaveHeader: !isWritten(first), formatFound: true, source: "folder" } as const;
    const folder = { ...name, location, format, ...guessed };
    return notes.length === 0 ? folder : { ...folder, note: notes.join("; ") };
  }

  /**
   * Returns a hash over the names, sizes and etags, or else modification times, of a folder's objects. Users may change the objects at
   * any time: the results of a split's check are valid while the hash is the same.
   */
  async fingerprint(folder: Location): Promise<string> {
    const hash = createHash("sha256");
    for await (const { location, size, lastModified, etag } of this.storage.list(folder)) {
      hash.update(`${location.key}\n${size}\n${etag ?? lastModified.getTime()}\n`);
    }
    return hash.digest("base64url");
  }

  /** Returns the first object that has rows, or else an empty one; undefined when the folder has neither. */
  async #firstWithRows(folder: Location): Promise<StoredObject | undefined> {
    let empty: StoredObject | undefined;
    for await (const object of this.storage.list(folder)) {
      if (isHiddenObject(object.location.key.slice(folder.key.length))) continue;
      if (object.size > 0) return object;
      empty ??= object;
    }
    return empty;
  }

  async #formatOf({ location }: StoredObject): Promise<FoundFormat> {
    const extension = extname(location.key.replace(/\.gz$/, "")).toLowerCase();
    const named = byExtension[extension];
    if (named) return { format: named };
    const head = await readObjectHead(this.storage, location);
    const foreign = foreignFormatOf(extension, head.bytes);
    if (foreign) {
      throw new errors.InvalidDMLStatement(
        `query reads ${formatLocation(location)}, which is ${foreign.name}: ${foreign.remedy}`,
        { field: "query" },
      );
    }
    if (head.bytes.indexOf("PAR1") === 0) return { format: "parquet" };
    return guessFormat(this.storage, location, head);
  }
}

/** Returns the table whose folder is or contains the output folder: `data.t` for `dag://data/t/x/`. */
export function tableContaining({ bucket, key }: Location): TableName {
  return { database: bucket, table: key.split("/", 1)[0]! };
}

/** Names of a database that are compared with a misspelt one. */
const maxNames = 1000;

/** The format of an undeclared table. */
interface FoundFormat {
  readonly format: TableFormat;
  /** Why another format is possible. */
  readonly doubt?: string;
}

const formatRemedy = "Declare the table, or give its objects the extension .csv or .tsv, if this is wrong";

const byExtension: Readonly<Record<string, TableFormat>> = {
  ".csv": "csv",
  ".tsv": "tsv",
  ".json": "json",
  ".jsonl": "json",
  ".ndjson": "json",
  ".parquet": "parquet",
};

async function firstItem<Item>(items: AsyncIterable<Item>): Promise<Item | undefined> {
  for await (const item of items) return item;
  return undefined;
}
