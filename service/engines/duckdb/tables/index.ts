/** Generates the SQL that reads a job's tables. */
import type { DuckDBConnection } from "@duckdb/node-api";
import type { Column, QueryNote } from "../../../../contract";
import { duckdbErrorKind } from "../engine-errors";
import type { TableNode } from "../../../../hiveql/index";
import type { Statement } from "../process/translator";
import { checkedObjects, type EngineFiles, type EngineTable, type FileExtent } from "../files";
import { quoteIdentifier } from "../sql-quoting";
import type { TranslationTable } from "../translation";
import { BlankLines, searchesUnderscores } from "./blank-lines";
import type { CastFromText } from "./cast";
import { fileChunks } from "./file-chunks";
import { type ColumnsOptions, scansAllRows, type ScanMode, TableColumns } from "./columns";
import { parquetRows, type ParquetRows } from "./parquet/rows";
import { ParquetColumns } from "./parquet/schema";
import { needsPartitionTable, partitionRowsSql, tableSql } from "./partitions/values";
import { type PartitionedTable, partitionsOf, withLocations } from "./partitions/index";
import { selectPartitions, type TableRead } from "./partitions/pruning";
import { KnownFacts } from "./known-facts";
import type { RememberedFacts } from "./remembered-facts";
import { inTransaction } from "./transaction";
import { typedRows } from "./typed-rows";
import { NeedsText, readAsText, textNote, type UndeclaredColumn } from "./undeclared/read-as-text";
import { nonNumberNotes } from "./undeclared/non-numbers";
import { resolveTable, type ResolvedFile, type ResolvedTable } from "./resolve";
import { maxLineBytes } from "./text-scan";

/** The tables of a job, as relations that SQL can read. */
export interface JobTables {
  /** Returns the relation for a place of the statement that names a table; undefined when there is no such table. */
  readonly tableAt: (node: TableNode) => TranslationTable | undefined;
  /** Names of the relations, for the statement guard. */
  readonly relations: ReadonlySet<string>;
  /** The WITH clause that defines the relations, for a SELECT around the translated one; empty without tables. */
  readonly withClause: string;
  /** What the user should know of the tables, for the query's log. */
  readonly notes: readonly QueryNote[];
  /** The columns whose types were inferred. */
  readonly undeclared: readonly UndeclaredColumn[];
  /** Names of the tables of which later rows may have other columns. */
  readonly sampled: readonly string[];
}

export interface TablesOptions {
  readonly cast: CastFromText;
  /** Makes the files of tables readable. @default they are */
  readonly files?: Pick<EngineFiles, "provide" | "chunks">;
  /** Keeps what was found out of tables beyond the end of the process. @default nothing does */
  readonly remembered?: RememberedFacts | undefined;
}

/** A read of a table; `text` has its files unless they are Parquet. */
interface ResolvedRead extends TableRead {
  readonly text?: ResolvedTable;
  readonly signal: AbortSignal;
}

/** Generates the SQL that reads tables, and caches the properties of their files. */
export class Tables {
  readonly #cast: CastFromText;
  readonly #files: TablesOptions["files"];
  readonly #blankLines = new BlankLines();
  readonly #facts: KnownFacts;
  readonly #columns: TableColumns;
  readonly #parquetColumns = new ParquetColumns();

  constructor({ cast, files, remembered }: TablesOptions) {
    this.#cast = cast;
    this.#files = files;
    this.#facts = new KnownFacts(remembered);
    this.#columns = new TableColumns(this.#facts);
  }

  /**
   * Runs `use` with relations of the tables that a query reads, in one transaction, so that the current time is the same for
   * the choice of the partitions and for the query. Runs it again with others when DuckDB finds newlines in quotes,
   * which it cannot read with several threads, and whenever `use` throws NeedsText, which names other columns each time.
   */
  async withRelations<Result>(
    connection: DuckDBConnection,
    definitions: readonly EngineTable[],
    query: Statement,
    { scanMode, signal }: { readonly scanMode: ScanMode; readonly signal: AbortSignal },
    use: (job: JobTables) => Promise<Result>,
  ): Promise<Result> {
    const found = definitions.map(partitionsOf);
    const tables = query.readsLocations ? found.map(withLocations) : found;
    const read = new Set<ResolvedTable>();
    const texts: UndeclaredColumn[] = [];
    const run = async () => {
      const reads = await selectPartitions(connection, tables, query, { cast: this.#cast });
      const resolved = await Promise.all(reads.map((each) => this.#resolve(each, scanMode, signal)));
      for (const { text } of resolved) if (text) read.add(text);
      return use(
        await this.#relations(connection, resolved, { scanMode, texts, readsLocations: query.readsLocations }),
      );
    };
    const attempt = () => (tables.length === 0 ? run() : inTransaction(connection, run));
    for (let isSerial = false; ;) {
      try {
        return await attempt();
      } catch (error) {
        if (error instanceof NeedsText) texts.push(...error.columns);
        else if (duckdbErrorKind(error) === "parallel-csv" && !isSerial) {
          for (const table of read) this.#facts.remember(table, { serial: true });
          isSerial = true;
        } else throw error;
      }
    }
  }

  /**
   * Returns the columns of a table that is small enough to read all its rows; undefined when it is not.
   * @throws EngineError when its columns cannot be used
   */
  async columnsIfSmall(
    connection: DuckDBConnection,
    definition: EngineTable,
    signal: AbortSignal,
  ): Promise<readonly Column[] | undefined> {
    if (!scansAllRows(definition.files, "if-small")) return undefined;
    const { text } = await this.#resolve({ table: partitionsOf(definition), nodes: [] }, "if-small", signal);
    return text && this.#columns.ofAnyCell(connection, text, { scanMode: "if-small", signal });
  }

  /** Makes files of a table readable at their paths. */
  async provide(table: PartitionedTable, extent: FileExtent, signal: AbortSignal): Promise<void> {
    await this.#files?.provide(table, extent, signal);
  }

  /** Returns the rows of a table of Parquet, of which the columns can be read without reading a row. */
  parquetRows(connection: DuckDBConnection, table: PartitionedTable, signal: AbortSignal): Promise<ParquetRows> {
    return parquetRows(connection, table, { cast: this.#cast, parquetColumns: this.#parquetColumns, signal });
  }

  /** Returns the columns of a table of text, also of those cells that only an escape or quotes tell. */
  columnsOfAnyCell(connection: DuckDBConnection, table: ResolvedTable, options: ColumnsOptions) {
    return this.#columns.ofAnyCell(connection, table, options);
  }

  /** Reads a file, until the signal is aborted. */
  async *chunks(file: ResolvedFile, signal: AbortSignal): AsyncGenerator<Buffer> {
    for await (const chunk of this.#files?.chunks(file, signal) ?? fileChunks(file)) {
      signal.throwIfAborted();
      yield chunk;
    }
  }

  /** Makes the files readable, and reads the heads of text files and their blank lines. */
  async #resolve(read: TableRead, scanMode: ScanMode, signal: AbortSignal): Promise<ResolvedRead> {
    const { format, files } = read.table;
    const isScanned = scansAllRows(files, scanMode);
    const table = isScanned ? read.table : { ...read.table, files: files.slice(0, checkedObjects) };
    // A statement that needs no file reads others only for the names of undeclared columns.
    await this.#files?.provide(table, isScanned && files.length > 0 ? "whole" : "outline", signal);
    if (format === "parquet") return { ...read, table, signal };
    const resolved = await resolveTable(table, format, { signal, holdsLoop: true });
    const text = isScanned ? await this.#withByteFacts(resolved, signal) : resolved;
    return { ...read, table, text, signal };
  }

  /** Returns a table with the facts of its files' bytes. */
  async #withByteFacts(resolved: ResolvedTable, signal: AbortSignal): Promise<ResolvedTable> {
    if (resolved.format === "json" && !resolved.files.some(({ gzip }) => gzip)) return resolved;
    const searched = searchesUnderscores(resolved);
    const known = () => {
      const { bytes } = this.#facts.of(resolved);
      if (!bytes || (searched && !bytes.searched)) return undefined;
      return { ...resolved, files: resolved.files.map((file, index) => ({ ...file, ...bytes.files[index]! })) };
    };
    return (
      known() ??
      this.#facts.finding(resolved, signal, async () => known() ?? this.#foundByteFacts(resolved, searched, signal))
    );
  }

  async #foundByteFacts(resolved: ResolvedTable, searched: boolean, signal: AbortSignal): Promise<ResolvedTable> {
    const table = await this.#blankLines.withFacts(resolved, signal);
    const files = table.files.map((file) => ({
      blankLines: file.blankLines ?? 0,
      underscores: file.underscores ?? true,
      bufferBytes: file.bufferBytes ?? maxLineBytes,
      spacedQuotes: file.spacedQuotes ?? false,
      widestRow: file.widestRow ?? 0,
    }));
    this.#facts.remember(resolved, { bytes: { searched, files } });
    return table;
  }

  /** Generates the relations, and creates the tables of partitions that they read, for the transaction. */
  async #relations(
    connection: DuckDBConnection,
    resolved: readonly ResolvedRead[],
    {
      scanMode,
      texts,
      readsLocations,
    }: {
      readonly scanMode: ScanMode;
      readonly texts: readonly UndeclaredColumn[];
      readonly readsLocations: boolean;
    },
  ): Promise<JobTables> {
    const byNode = new Map<TableNode, TranslationTable>();
    const definitions: string[] = [];
    const notes = texts.map(textNote);
    const undeclared = new Map<string, UndeclaredColumn>();
    for (const [index, read] of resolved.entries()) {
      const { database, table, partitionColumns } = read.table;
      const isText = (column: string) =>
        texts.some((text) => text.database === database && text.table === table && text.name === column);
      const { notes: found, ...rows } = await this.#rows(connection, read, { scanMode, isText });
      notes.push(...found);
      for (const { name, type } of isInferred(read) ? rows.columns : [])
        if (type !== "string") undeclared.set(`${database}.${table}.${name}`, { database, table, name, type });
      const name = `${database}.${table} ${index}`;
      const partitionTable = await this.#partitionTable(connection, read.table, `${name} partitions`);
      const columns = [...rows.columns, ...partitionColumns];
      const fileName = readsLocations && !columns.some((column) => isFileName(column)) ? fileNameColumn : undefined;
      const sql = tableSql(rows, read.table, { cast: this.#cast, partitionTable, fileName });
      const relation = quoteIdentifier(name);
      // A view would be bound when it is created and again when it is read, which opens the files each time.
      definitions.push(`${relation} AS NOT MATERIALIZED (${sql})`);
      const named = { database, table, columns, relation, ...(fileName && { fileName }) };
      for (const node of read.nodes) byNode.set(node, named);
    }
    const sampled = resolved.flatMap(({ table: { database, table }, text }) =>
      text && this.#columns.areSampled(text, scanMode) ? [`${database}.${table}`] : [],
    );
    const relations = new Set(resolved.map(({ table: { database, table } }, index) => `${database}.${table} ${index}`));
    const tableAt = (node: TableNode) => byNode.get(node);
    const withClause = definitions.length > 0 ? `WITH ${definitions.join(", ")} ` : "";
    return { tableAt, relations, withClause, notes, undeclared: [...undeclared.values()], sampled };
  }

  /** Creates the table of the values of a table's partitions, and returns its name; undefined when it needs none. */
  async #partitionTable(
    connection: DuckDBConnection,
    table: PartitionedTable,
    name: string,
  ): Promise<string | undefined> {
    if (!needsPartitionTable(table)) return undefined;
    const quoted = quoteIdentifier(name);
    await connection.run(`CREATE TEMP TABLE ${quoted} AS ${partitionRowsSql(table, this.#cast)}`);
    return quoted;
  }

  async #rows(
    connection: DuckDBConnection,
    { table, text, signal }: ResolvedRead,
    { scanMode, isText }: { readonly scanMode: ScanMode; readonly isText: (column: string) => boolean },
  ): Promise<ParquetRows> {
    if (!text) return this.parquetRows(connection, table, signal);
    const found = await this.#columns.of(connection, text, { scanMode, signal });
    const columns = found.map((column) => (isText(column.name) ? readAsText(column) : column));
    const parallel = this.#facts.of(text).serial !== true;
    return {
      ...typedRows(text, { columns, cast: this.#cast, parallel }),
      notes: [...text.notes, ...nonNumberNotes(table, found)],
    };
  }
}

/** Name of the column of a view for Hive's INPUT__FILE__NAME. */
const fileNameColumn = "input__file__name";

const isFileName = ({ name }: Column) => name.toLowerCase() === fileNameColumn;

const isInferred = ({ text }: ResolvedRead) => text !== undefined && !text.declared && text.format !== "json";
