/** Parses and translates statements in the main thread of the process, which no other query shares. */
import { deserialize, serialize } from "node:v8";
import { type PartitionColumns, partitionConditions, type TableNode, translate } from "../../../../hiveql/index";
import {
  HiveQLError,
  type ParsedStatement,
  parseStatement,
  type Query,
  readStatement as readQuery,
  tablesRead,
  unsupported,
} from "../../../../hiveql/syntax";
import { EngineError } from "../engine-errors";
import type { NamedTable, ResultQuery, TranslationTable } from "../translation";
import type { ViewDefinition } from "../../../core/ports/engine";

/** Maximum characters of the translated SQL. */
const longestSql = 2_000_000;

/** Maximum characters of a statement that is kept, and that is passed on to the process that runs it. */
const longestKept = 20_000;

/** A statement with the views that it reads: parsed, read and translated once for each of its steps. */
export class Statement {
  /** False when the statement surely does not ask for the locations of rows. */
  readonly readsLocations: boolean;
  readonly #byName: ReadonlyMap<string, string>;
  readonly #viewQueries = new Map<TableNode, Query>();
  #parsed: ParsedStatement | undefined;
  #query: Query | undefined;
  #translated: { readonly tables: ReadonlyMap<TableNode, string>; readonly result: ResultQuery } | undefined;

  constructor(
    readonly text: string,
    readonly views: readonly ViewDefinition[] = [],
    readonly user?: string,
    known: { readonly parsed?: ParsedStatement | undefined; readonly query?: Query | undefined } = {},
  ) {
    this.#parsed = known.parsed;
    this.#query = known.query;
    this.#byName = new Map(views.map(({ database, view, query }) => [`${database}.${view}`, query]));
    this.readsLocations = [text, ...this.#byName.values()].some((each) => /input__file__name/i.test(each));
  }

  /** The parse tree. @throws HiveQLError */
  get parsed(): ParsedStatement {
    return (this.#parsed ??= withStackLimit(() => parseStatement(this.text)));
  }

  /** The syntax tree. @throws HiveQLError */
  get query(): Query {
    return (this.#query ??= withStackLimit(() => readQuery(this.parsed)));
  }

  /** Returns the syntax tree for another process, which then need not load the parser; undefined for a large statement. */
  encode(): Uint8Array | undefined {
    if (this.text.length > longestKept) return undefined;
    try {
      return serialize(this.query);
    } catch {
      // A tree that is too deep for V8 is read again.
      return undefined;
    }
  }

  /** Returns the partitions that the statement needs of its tables. @param onlyPlain as for `partitionConditions` */
  partitionsNeeded(partitionColumns: PartitionColumns, onlyPlain: boolean) {
    return withStackLimit(() => partitionConditions(this.query, partitionColumns, { ...this.#options(), onlyPlain }));
  }

  /**
   * Translates the statement; most are checked and then run, with the same tables.
   * @param tableAt returns the table that a node names.
   * @throws HiveQLError
   */
  translate(tableAt: (node: TableNode) => TranslationTable | undefined): ResultQuery {
    const textAt = (node: TableNode) => JSON.stringify(tableAt(node) ?? null);
    const known = this.#translated;
    if (known && [...known.tables].every(([node, text]) => textAt(node) === text)) return known.result;
    const tables = new Map<TableNode, string>();
    const result = withStackLimit(() => {
      const found = (_database: string, _table: string, node: TableNode) => {
        tables.set(node, textAt(node));
        return tableAt(node);
      };
      const { fileSql, columns, notes } = translate(this.query, found, this.#options());
      if (fileSql.length > longestSql) throw tooLarge();
      return { sql: fileSql, columns, notes };
    });
    this.#translated = { tables, result };
    return result;
  }

  #options() {
    const viewAt = (node: TableNode) => this.#viewAt(node);
    return { viewAt, ...(this.user === undefined ? {} : { user: this.user }) };
  }

  /** Each place that names a view has a tree of its own, so that its tables have the conditions of that place. */
  #viewAt(node: TableNode): Query | undefined {
    const text = this.#byName.get(`${node.database ?? "default"}.${node.table}`);
    if (text === undefined) return undefined;
    const query = this.#viewQueries.get(node) ?? readQuery(parseStatement(text));
    this.#viewQueries.set(node, query);
    return query;
  }
}

/** The statement that was used last: most are checked and then run in the same process. */
let last: Statement | undefined;

/**
 * Returns the handle of a statement; that of the statement that was used last is the same again.
 * @param encoded its syntax tree, from {@link Statement.encode} of another process
 */
export function readStatement(
  text: string,
  views: readonly ViewDefinition[] = [],
  user?: string,
  encoded?: Uint8Array,
): Statement {
  const isSame = last?.text === text;
  if (isSame && last?.user === user && JSON.stringify(last?.views) === JSON.stringify(views)) return last as Statement;
  const query = encoded && (deserialize(encoded) as Query);
  const statement = new Statement(text, views, user, query ? { query } : { parsed: isSame ? last?.parsed : undefined });
  if (text.length <= longestKept) last = statement;
  return statement;
}

/** Returns the tables that a statement reads. @throws HiveQLError */
export function readTables(text: string): readonly NamedTable[] {
  return withStackLimit(() => tablesRead((last?.text === text ? last : readStatement(text)).parsed));
}

function withStackLimit<Result>(run: () => Result): Result {
  try {
    return run();
  } catch (error) {
    if (error instanceof HiveQLError) throw error;
    // The statement is nested so deeply that it exceeds the stack.
    if (error instanceof RangeError) throw tooLarge();
    const reason = error instanceof Error ? error.message : String(error);
    throw new EngineError(`the statement could not be translated: ${reason}`, { cause: error });
  }
}

const tooLarge = () =>
  unsupported({ line: 1, column: 1 }, "statement", "is larger than the embedded engine can translate");
