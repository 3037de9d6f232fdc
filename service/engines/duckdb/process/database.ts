/** The DuckDB instance of an engine process, with its resource limits and access restrictions. */
import { DuckDBInstance, type DuckDBConnection } from "@duckdb/node-api";
import type { EngineSettings } from "./protocol";
import { quoteLiteral } from "../sql-quoting";

/** Connections of an engine: the maximum number of concurrent statements; further ones wait. */
const connectionCount = 64;

/** Prepares the instance and its connections for translated SQL. */
export interface DatabaseSetup {
  /** Prepares the instance, through its first connection. */
  readonly instance?: (connection: DuckDBConnection) => void;
  /** Prepares a connection before its first statement. */
  readonly connection: (connection: DuckDBConnection) => Promise<void>;
}

/**
 * An in-memory DuckDB whose statements can only access files under the data directory: no network, no extensions, no
 * other files except DuckDB's own spilled data. Its settings are locked.
 */
export class Database {
  readonly #idle: DuckDBConnection[];
  readonly #setUp = new WeakSet<DuckDBConnection>();
  readonly #setup: DatabaseSetup;
  readonly #waiting: ((connection: DuckDBConnection) => void)[] = [];

  /** Opens an instance. */
  static async open(settings: EngineSettings, setup: DatabaseSetup): Promise<Database> {
    const instance = await DuckDBInstance.create(":memory:", {
      memory_limit: `${Math.floor(settings.memoryBytes / 1024)}KiB`,
      threads: String(settings.threads),
      temp_directory: settings.tempDirectory,
      max_temp_directory_size: `${Math.floor(settings.tempBytes / 1024)}KiB`,
      autoinstall_known_extensions: "false",
      autoload_known_extensions: "false",
      allow_community_extensions: "false",
      allow_unsigned_extensions: "false",
    });
    const connections = await Promise.all(Array.from({ length: connectionCount }, () => instance.connect()));
    const [first] = connections as [DuckDBConnection, ...DuckDBConnection[]];
    setup.instance?.(first);
    await first.run("SET GLOBAL TimeZone = 'UTC'");
    // Progress is a setting of each connection, so all connections are opened before the settings are locked.
    for (const connection of connections) {
      for (const setting of progressSettings) await connection.run(setting);
    }
    await first.run(`SET allowed_directories = [${quoteLiteral(`${settings.dataDirectory}/`)}]`);
    await first.run("SET enable_external_access = false");
    await first.run("SET lock_configuration = true");
    return new Database(connections, setup);
  }

  private constructor(connections: DuckDBConnection[], setup: DatabaseSetup) {
    this.#idle = connections;
    this.#setup = setup;
  }

  /** Runs `use` with an exclusive connection; waits when all are in use. */
  async withConnection<Result>(use: (connection: DuckDBConnection) => Promise<Result>): Promise<Result> {
    const connection =
      this.#idle.pop() ?? (await new Promise<DuckDBConnection>((resolve) => this.#waiting.push(resolve)));
    try {
      if (!this.#setUp.has(connection)) {
        await this.#setup.connection(connection);
        this.#setUp.add(connection);
      }
      return await use(connection);
    } finally {
      const next = this.#waiting.shift();
      if (next) next(connection);
      else this.#idle.push(connection);
    }
  }
}

const progressSettings = [
  "SET enable_progress_bar = true",
  "SET enable_progress_bar_print = false",
  "SET progress_bar_time = 0",
];
