/**
 * What tables there are: those that the config declares, those that splits wrote, and any folder with objects in it
 * (design §2, "Data").
 */
import { createHash } from "node:crypto";
import { extname } from "node:path";
import type { Column, InputFormat, Location } from "../../../contract";
import type { Storage, StoredObject } from "../../../storage/storage";
import type { TableDefinition, TableName } from "../ports/engine";
import { readHead } from "./sniff-format";
import type { State } from "../ports/state";

/** A table that the config declares. */
export interface DeclaredTable extends TableName {
  readonly format: InputFormat;
  /** Absent: read from the data. */
  readonly columns?: readonly Column[];
}

/** The folder of a table. */
export function tableFolder({ database, table }: TableName): Location {
  return { bucket: database, key: `${table}/` };
}

export class Catalog {
  readonly #declared: ReadonlyMap<string, DeclaredTable>;

  constructor(
    private readonly state: State,
    private readonly storage: Storage,
    declared: readonly DeclaredTable[],
  ) {
    this.#declared = new Map(declared.map((table) => [`${table.database}/${table.table}`, table]));
  }

  /** Whether a table of this database is declared or was written by a split. */
  knowsDatabase(database: string): boolean {
    return [...this.#declared.values(), ...this.state.tables()].some((table) => table.database === database);
  }

  /** Whether objects lie in the table's folder. */
  async hasObjects(name: TableName): Promise<boolean> {
    return (await firstOf(this.storage.list(tableFolder(name)))) !== undefined;
  }

  /** The table, or undefined where nothing declares it and no object is in its folder. */
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
    const first = await firstOf(this.storage.list(location));
    return first && { database, table, location, format: await this.#formatOf(first) };
  }

  /**
   * Names, sizes and times of a folder's objects in one short text. Users may put objects into a table's folder
   * at any time; while this text is the same, what a split found out about the values is still true.
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
    const [line = ""] = (await readHead(this.storage, location)).toString("utf8").split("\n", 1);
    if (line.trimStart().startsWith("{")) return "json";
    return line.includes("\t") && !line.includes(",") ? "tsv" : "csv";
  }
}

/** The table whose folder an output folder is or lies in. */
export function tableAt({ bucket, key }: Location): TableName {
  return { database: bucket, table: key.split("/", 1)[0]! };
}

const byExtension: Readonly<Record<string, InputFormat>> = {
  ".csv": "csv",
  ".tsv": "tsv",
  ".json": "json",
  ".jsonl": "json",
  ".ndjson": "json",
};

async function firstOf<Item>(items: AsyncIterable<Item>): Promise<Item | undefined> {
  for await (const item of items) return item;
  return undefined;
}
