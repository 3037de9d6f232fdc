/** The tables that splits wrote, the folders that queries published, and the port that reads both. */
import type { Column, InputFormat, Location } from "../../../../contract";
import type { PublishedFolder } from "../published-folder";

/** Some of the tables that splits wrote. */
export interface TablePage {
  readonly limit: number;
  /** Only the tables of this database. */
  readonly database?: string;
  /** The last table of the page before. */
  readonly after?: { readonly database: string; readonly table: string };
}

/** A table that a split wrote. */
export interface WrittenTable {
  readonly database: string;
  readonly table: string;
  readonly format: InputFormat;
  readonly columns: readonly Column[];
  /** Fingerprint of the table's objects when its values were checked; null when unchecked. See `catalog.ts`. */
  readonly fingerprint: string | null;
}

/** The change to the catalog that is stored in the same transaction as the end of a query. */
export interface CatalogChange {
  readonly put?: WrittenTable;
  /** A table whose folder received new objects: its catalog entry is deleted. */
  readonly overwritten?: { readonly database: string; readonly table: string };
  readonly published?: PublishedFolder;
}

/** Reads the tables and the publications. The ends of queries write them: {@link AttemptSteps.end}. */
export interface CatalogRecords {
  getTable(database: string, table: string): Promise<WrittenTable | undefined>;
  /** Returns the tables that splits wrote, in the order of their databases and names. */
  listTables(page: TablePage): Promise<WrittenTable[]>;
  /**
   * Returns the last publication to the folder, and to each folder in it, in the order of the folders.
   * @param newest the number of publications that are returned at most, the last one first. @default all
   */
  listPublished(folder: Location, newest?: number): Promise<PublishedFolder[]>;
  /**
   * Returns the first publication that wrote this content, and the first one of each other type, format and columns, in
   * the order of their queries. At most 100.
   */
  listPublishedAs(content: string): Promise<PublishedFolder[]>;
}
