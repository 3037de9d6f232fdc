/**
 * The catalog of tables: tables that the config declares, tables that splits wrote, and every other folder with objects
 * (design §2, "Data").
 */
import { createHash } from "node:crypto";
import { extname } from "node:path";
import type { Column, InputFormat, Location } from "../../../contract";
import type { Storage, StoredObject } from "../../../storage/storage";
import type { TableDefinition, TableName } from "../ports/engine";
import { readObjectHead } from "./sniff-format";
import type { State } from "../ports/state";

/** A table that is declared in the config. */
export interface DeclaredTable extends TableName {
  readonly format: InputFormat;
  /** The declared columns; when absent, the engine infers them from the data. */
  readonly columns?: readonly Column[];
}

/** Returns the folder of a table. */
export function tableFolder({ database, table }: TableName): Location {
  return { bucket: database, key: `${table}/` };
}

export class TableCatalog {
  readonly #declared: ReadonlyMap<string, DeclaredTable>;

  constructor(
    private readonly state: State,
    private readonly storage: Storage,
    declared: readonly DeclaredTable[],
  ) {
    this.#declared = new Map(declared.map((table) => [`${table.database}/${table.table}`, table]));
  }

  /** Returns true when the database has a table that is declared or was written by a split. */
  hasTablesIn(database: string): boolean {
    return [...this.#declared.values(), ...this.state.tables()].some((table) => table.database === database);
  }

  /** Returns the tables of a database that are declared or were written by a split. */
  tablesIn(database: string) {
    const declared = [...this.#declared.values()].map((table) => ({ ...table, source: "declared" as const }));
    const written = this.state.tables().map((table) => ({ ...table, source: "split" as const }));
    return [...written, ...declared].filter((table) => table.database === database);
  }

  /** Returns true when the table's folder has objects. */
  async hasObjects(name: TableName): Promise<boolean> {
    return (await firstItem(this.storage.list(tableFolder(name)))) !== undefined;
  }

  /** Returns the table; undefined when it is not in the catalog and its folder has no objects. */
  async definition({ database, table }: TableName): Promise<TableDefinition | undefined> {
    const location = tableFolder({ database, table });
    const declared = this.#declared.get(`${database}/${table}`);
    if (declared) return { ...declared, location };
    const written = this.state.table(database, table);
    if (written) {
      const { format, columns, fingerprint } = written;
      const checked = fingerprint !== null && fingerprint === (await this.fingerprint(location));
      return { database, table, location, format, columns, checked };
    }
    const first = await firstItem(this.storage.list(location));
    return first && { database, table, location, format: await this.#formatOf(first) };
  }

  /**
   * Returns a hash over the names, sizes and modification times of a folder's objects. Users may change the objects at
   * any time: the results of a split's check are valid while the hash is the same.
   */
  async fingerprint(folder: Location): Promise<string> {
    const hash = createHash("sha256");
    for await (const { location, size, lastModified } of this.storage.list(folder)) {
      hash.update(`${location.key}\n${size}\n${lastModified.getTime()}\n`);
    }
    return hash.digest("base64url");
  }

  async #formatOf({ location }: StoredObject): Promise<InputFormat> {
    const named = byExtension[extname(location.key.replace(/\.gz$/, "")).toLowerCase()];
    if (named) return named;
    const [line = ""] = (await readObjectHead(this.storage, location)).toString("utf8").split("\n", 1);
    if (line.trimStart().startsWith("{")) return "json";
    return line.includes("\t") && !line.includes(",") ? "tsv" : "csv";
  }
}

/** Returns the table whose folder is or contains the output folder: `data.t` for `dag://data/t/x/`. */
export function tableContaining({ bucket, key }: Location): TableName {
  return { database: bucket, table: key.split("/", 1)[0]! };
}

const byExtension: Readonly<Record<string, InputFormat>> = {
  ".csv": "csv",
  ".tsv": "tsv",
  ".json": "json",
  ".jsonl": "json",
  ".ndjson": "json",
};

async function firstItem<Item>(items: AsyncIterable<Item>): Promise<Item | undefined> {
  for await (const item of items) return item;
  return undefined;
}
