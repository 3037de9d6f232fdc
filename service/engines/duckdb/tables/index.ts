/** The tables of a job as views of one connection. */
import { randomUUID } from "node:crypto";
import type { DuckDBConnection } from "@duckdb/node-api";
import { duckdbErrorKind } from "../errors";
import type { EngineTable } from "../process/protocol";
import { quoteName } from "../sql";
import type { TranslationTable } from "../translation";
import { BlankLines } from "./blank-lines";
import type { CastFromText } from "./cast";
import { proveColumns, type KnownColumn } from "./prove";
import { relationSql } from "./typed-view";
import { resolveTable, type ResolvedTable } from "./resolve";

/** The tables of a job, ready to be named in SQL. */
export interface JobTables {
  readonly tables: readonly TranslationTable[];
  /** Names of the relations, for the guard. */
  readonly relations: ReadonlySet<string>;
}

export interface TablesOptions {
  readonly cast: CastFromText;
}

/** Whether what only a reading of all rows can show is found out, whatever that costs: the columns that nobody declared, and blank lines. */
export type Proof = "always" | "if-small";

/** Bytes of files up to which all rows are read although `if-small` is asked for. */
const smallBytes = 32 * 1024 * 1024;
/** What is remembered of this many tables; the least recently used is forgotten. */
const rememberedTables = 1000;

/** What reading a table's files has shown; it holds while they are the same. */
interface Knowledge {
  readonly columns?: readonly KnownColumn[];
  /** A quoted cell holds a newline, so a file cannot be read by several threads. */
  readonly serial?: boolean;
}

/** Makes tables readable, and remembers what their files have shown. */
export class Tables {
  readonly #cast: CastFromText;
  readonly #blankLines = new BlankLines();
  readonly #knowledge = new Map<string, Knowledge>();

  constructor({ cast }: TablesOptions) {
    this.#cast = cast;
  }

  /**
   * Runs `use` with views of the tables on a connection; runs it again with other views where their files turn out
   * to hold newlines in quotes, which DuckDB cannot read with several threads.
   */
  async withViews<Result>(
    connection: DuckDBConnection,
    definitions: readonly EngineTable[],
    proof: Proof,
    use: (job: JobTables) => Promise<Result>,
    signal?: AbortSignal,
  ): Promise<Result> {
    const resolved = await Promise.all(definitions.map((table) => this.#resolve(table, proof, signal)));
    try {
      return await this.#attempt(connection, resolved, proof, use);
    } catch (error) {
      if (duckdbErrorKind(error) !== "parallel-csv") throw error;
      for (const { identity } of resolved) this.#remember(identity, { serial: true });
      return this.#attempt(connection, resolved, proof, use);
    }
  }

  async #resolve(definition: EngineTable, proof: Proof, signal: AbortSignal | undefined): Promise<ResolvedTable> {
    const resolved = await resolveTable(definition, signal);
    return readsAll(definition, proof) ? this.#blankLines.counted(resolved, signal) : resolved;
  }

  async #attempt<Result>(
    connection: DuckDBConnection,
    resolved: readonly ResolvedTable[],
    proof: Proof,
    use: (job: JobTables) => Promise<Result>,
  ): Promise<Result> {
    const suffix = randomUUID().slice(0, 8);
    const relations = new Set<string>();
    const tables: TranslationTable[] = [];
    try {
      for (const table of resolved) {
        const columns = await this.#columns(connection, table, proof);
        const parallel = this.#known(table.identity).serial !== true;
        const { database, table: name } = table.table;
        const view = `${database}.${name} ${suffix}`;
        relations.add(view);
        const sql = relationSql(table, { columns, cast: this.#cast, parallel });
        await connection.run(`CREATE TEMP VIEW ${quoteName(view)} AS ${sql}`);
        tables.push({ database, table: name, columns, relation: quoteName(view) });
      }
      return await use({ tables, relations });
    } finally {
      for (const view of relations) await connection.run(`DROP VIEW IF EXISTS ${quoteName(view)}`);
    }
  }

  async #columns(connection: DuckDBConnection, table: ResolvedTable, proof: Proof): Promise<readonly KnownColumn[]> {
    if (table.declared) return table.columns;
    const known = this.#known(table.identity);
    if (known.columns) return known.columns;
    if (!readsAll(table.table, proof)) return table.columns;
    const columns = await proveColumns(connection, table, known.serial !== true);
    this.#remember(table.identity, { columns });
    return columns;
  }

  #known(identity: string): Knowledge {
    return this.#knowledge.get(identity) ?? {};
  }

  #remember(identity: string, knowledge: Knowledge): void {
    const merged = { ...this.#known(identity), ...knowledge };
    this.#knowledge.delete(identity);
    this.#knowledge.set(identity, merged);
    if (this.#knowledge.size > rememberedTables) this.#knowledge.delete(this.#knowledge.keys().next().value!);
  }
}

function readsAll({ files }: EngineTable, proof: Proof): boolean {
  return proof === "always" || files.reduce((sum, { size }) => sum + size, 0) <= smallBytes;
}
