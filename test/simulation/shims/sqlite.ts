/**
 * node:sqlite with databases in memory, one for each path of the world's disk. A database outlives the process that has
 * opened it: a transaction that was committed is not lost, because the service flushes each.
 */
import { DatabaseSync as Real } from "node:sqlite";
import type { StatementSync } from "node:sqlite";
import { world } from "../world/world";

/** The one database of the simulation: it is emptied for each world, which takes less time than to make its schema. */
let kept:
  | {
      readonly database: Real;
      readonly statements: Map<string, StatementSync>;
      /** Empty the database, when its schema is there. */
      emptying: readonly StatementSync[] | undefined;
      owner: object;
      path: string;
    }
  | undefined;

function databaseOf(path: string) {
  if (kept?.owner === world()) {
    if (kept.path !== path) throw new Error("a world has one database");
    return kept;
  }
  if (kept === undefined)
    kept = {
      database: new Real(":memory:"),
      statements: new Map(),
      emptying: undefined,
      owner: world(),
      path,
    };
  else {
    kept.emptying ??= emptyingOf(kept.database);
    for (const statement of kept.emptying) statement.run();
    Object.assign(kept, { owner: world(), path });
  }
  return kept;
}

function emptyingOf(database: Real): StatementSync[] {
  const tables = database
    .prepare("SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite_stat%' AND name <> 'marks'")
    .all() as { name: string }[];
  return [
    ...tables.map(({ name }) => database.prepare(`DELETE FROM "${name}"`)),
    database.prepare("UPDATE marks SET starts = 0, ids_to = 0, closed = 1"),
  ];
}

export class DatabaseSync {
  isOpen = true;
  readonly #kept;

  constructor(path: string) {
    const { files } = world();
    const exists = files.find(path) !== undefined;
    if (!exists) files.write(path, Buffer.from("database"));
    files.write(`${path}-wal`, Buffer.from("log"));
    files.flush();
    this.#kept = databaseOf(path);
  }

  get isTransaction(): boolean {
    return this.#kept.database.isTransaction;
  }

  exec(sql: string): void {
    if (sql.startsWith("PRAGMA")) return;
    this.#kept.database.exec(sql);
  }

  prepare(sql: string): StatementSync {
    // The pages of a database in memory are whole.
    if (sql.startsWith("PRAGMA quick_check")) return { get: () => ({ quick_check: "ok" }) } as unknown as StatementSync;
    const { statements, database } = this.#kept;
    let statement = statements.get(sql);
    if (statement === undefined) statements.set(sql, (statement = prepared(database, sql)));
    return statement;
  }

  close(): void {
    this.isOpen = false;
  }
}

/** Prepares a statement, which fails as on a full disk when it writes and no reserve is free. */
function prepared(database: Real, sql: string): StatementSync {
  const statement = database.prepare(sql);
  if (!/^\s*(INSERT|UPDATE|DELETE|REPLACE)/.test(sql)) return statement;
  for (const name of ["run", "get", "all"] as const) {
    const method = statement[name].bind(statement) as (...values: unknown[]) => never;
    Object.assign(statement, {
      [name]: (...values: unknown[]) => {
        requireSpace();
        return method(...values);
      },
    });
  }
  return statement;
}

function requireSpace(): void {
  const { files } = world();
  const path = kept!.path;
  if (files.full.length === 0 || files.find(`${path}.reserve`) === undefined) return;
  throw Object.assign(new Error("database or disk is full"), { code: "ERR_SQLITE_ERROR", errcode: 13 });
}
